import { expect, test } from 'vitest'
import { runFirstTurn } from '../../../../src/session/first-turn/run-first-turn.ts'
import { templateName, templateOf, type TemplateMaking } from '../../../../src/session/first-turn/template.ts'
import { claudeCode } from '../../../../src/engines/claude-code/engine.ts'
import { firstTurn } from '../../../../src/engines/claude-code/first-turn.ts'
import { startGateway } from '../../../../src/gateway/gateway.ts'
import type { AgentRequest } from '../../../../src/session/agent-request.ts'
import type { FirstTurnPlan } from '../../../../src/session/first-turn/probe.ts'

const PLAN: FirstTurnPlan = {
  mode: 'auto',
  key: 'scope',
  others: [],
  overlayPaths: [],
  isSubject: () => true,
}

function request(controlSocket: string, prompt: string, more: object = {}): AgentRequest {
  const asked = {
    label: prompt,
    engine: { engine: claudeCode, executable: process.execPath, version: '2.1.330' },
    sandbox: { backend: 'bubblewrap' },
    suite: { config: { network: false, env: {} } },
    evalCase: { prompt, files: [], workspaceFiles: [], target: null },
    package: { mcpServers: [], hookGroups: [], skills: [] },
    source: { kind: 'scenario' },
    model: null,
    controlSocket,
    signal: new AbortController().signal,
    ...more,
  }
  return asked as unknown as AgentRequest
}

test('starts that differ give no query of the suite a template, and the place is named', async () => {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 1, environment: {} })
  const making = (prompt: string): TemplateMaking => ({
    request: request(gateway.controlSocket, prompt),
    rules: firstTurn,
    scope: PLAN,
  })
  const problem =
    'the first requests of two sessions differ in body.messages.1.content.0.text, character 9: "a" and "b"'
  const name = templateName(making('One.'))
  gateway.prepared.add(Promise.resolve({ name, value: Promise.resolve({ problem }), over: Promise.resolve() }))
  for (const prompt of ['One.', 'Two.']) expect(await templateOf(making(prompt))).toMatchObject({ problem })
  await gateway.close()
})

test('the first turn of a scenario decides without the gateway', async () => {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 1, environment: {} })
  const started: string[] = []
  const asked = (prompt: string, text: string): AgentRequest => {
    const turns = [{ line: 1, text, tools: [], stop: null, error: null }]
    const source = { kind: 'scenario', scenario: { file: 'a.yaml', model: null, turns, side: [] } }
    return request(gateway.controlSocket, prompt, { source, onStart: () => void started.push(prompt) })
  }
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'One.' }] }]
  const body = JSON.stringify({ model: 'claude', max_tokens: 10, messages })
  const template = {
    request: { path: '/v1/messages', headers: {}, body, thread: 'main' },
    leaseRequest: {},
    prompt: 'One.',
    ids: [],
    offered: [],
    hooks: [],
    isOwn: false,
  }
  const name = templateName({ request: asked('One.', ''), rules: firstTurn, scope: { ...PLAN, key: 'played' } })
  const over = Promise.resolve()
  gateway.prepared.add(Promise.resolve({ name, value: Promise.resolve(template), over }))
  const run = (prompt: string, text: string): ReturnType<typeof runFirstTurn> =>
    runFirstTurn(asked(prompt, text), { ...PLAN, key: 'played' })
  expect(await run('One.', 'Done.')).toMatchObject({ decided: { by: 'probe', because: null } })
  await gateway.close()
  expect(await run('Two.', 'Done.')).toMatchObject({
    run: { status: 'completed', output: 'Done.', requests: 1, costUsd: 0 },
    decided: { by: 'probe', because: null },
    credential: 'api-key',
  })
  expect(started).toEqual(['One.', 'Two.'])
  // What it does not decide is asked for at the gateway.
  await expect(run('Three.', '')).rejects.toMatchObject({ code: 'gateway-unavailable' })
})
