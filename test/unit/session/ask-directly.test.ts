import { expect, onTestFinished, test } from 'vitest'
import { messages } from '../../../src/engines/messages.ts'
import { acquireLease } from '../../../src/gateway/control/client.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { askDirectly } from '../../../src/session/ask-directly.ts'
import { barePackage } from '../../../src/packages/package.ts'
import { askFor } from '../../support/gateway.ts'
import { startUpstream, type UpstreamAnswer } from '../../support/upstream.ts'
import type { AnswerSource } from '../../../src/gateway/leases/lease.ts'
import type { SessionEnd } from '../../../src/session/session-end.ts'
import type { AgentRequest } from '../../../src/session/agent-request.ts'

const PACKAGE = barePackage({
  root: '/agents/caldwell',
  skills: [],
  agents: [
    {
      name: 'caldwell',
      description: '',
      file: '/agents/caldwell/persona/SOUL.md',
      promptFile: '/agents/caldwell/persona/SOUL.md',
      prompt: 'Calm. Direct.\n',
      skills: [],
      tools: [],
      parts: [
        { file: '/agents/caldwell/persona/SOUL.md', text: 'Calm. Direct.' },
        { file: '/agents/caldwell/memory/INDEX.md', text: '' },
      ],
    },
  ],
})

async function ask(
  model: string,
  source: AnswerSource | string,
  environment: Readonly<Record<string, string>> = {},
  part: Partial<AgentRequest> = {},
): Promise<SessionEnd> {
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 10, environment })
  onTestFinished(() => gateway.close())
  const engine = messages.forModel(model)
  const { signal } = new AbortController()
  const asked = { ...askFor(source), wire: engine.wire }
  const lease = await acquireLease(gateway.controlSocket, asked, signal)
  const request = {
    engine: { engine, executable: process.execPath, version: null },
    package: PACKAGE,
    evalCase: { prompt: 'Should I?', target: { kind: 'agent', name: 'caldwell' }, files: [], workspaceFiles: [] },
    source: asked.source,
    model,
    deadlineMs: 60_000,
    signal,
    ...part,
  } as AgentRequest
  return askDirectly({ ...request, engine: { engine, executable: process.execPath, version: null } }, lease)
}

test('an Anthropic model is asked over its own API, with the persona as system prompt and no tools', async () => {
  await using api = await startUpstream([{ text: 'No.' }])
  const environment = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-real' }
  // The API does not know the mark of a longer context.
  const ended = await ask('claude-opus-4-7[1m]', { kind: 'record', upstream: { kind: 'live' } }, environment)
  expect(api.requests.map(({ url, headers }) => [url, headers['x-api-key']])).toEqual([['/v1/messages', 'sk-real']])
  expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
    model: 'claude-opus-4-7',
    max_tokens: 16_384,
    system: 'Calm. Direct.\n',
    messages: [{ role: 'user', content: 'Should I?' }],
  })
  expect(ended).toMatchObject({
    result: { exitCode: 0, timedOut: false, aborted: false },
    summary: { status: 'completed', output: 'No.', problem: null },
    stream: [
      { kind: 'notice', text: 'The model was shown: persona/SOUL.md, memory/INDEX.md' },
      { kind: 'message', text: 'No.' },
    ],
    meter: {
      requests: 1,
      model: 'claude-upstream-1',
      usage: { inputTokens: 11, outputTokens: 7, cacheReadTokens: 3, cacheWriteTokens: 2 },
    },
    conversation: { threads: [{ thread: 'main', turns: [{ texts: ['Calm. Direct.\n', 'Should I?'] }] }] },
  })
})

test('every other model is asked over Chat Completions, and its price is that of its usage', async () => {
  const completion: UpstreamAnswer = {
    json: {
      id: 'c1',
      model: 'gpt-4o-2024-08-06',
      choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'No.', refusal: null } }],
      usage: { prompt_tokens: 1000, completion_tokens: 100 },
    },
  }
  await using api = await startUpstream([completion])
  const environment = { OPENAI_BASE_URL: `${api.url}/v1`, ATOMIC_AGENTS_OPENAI_KEY: 'sk-real' }
  const ended = await ask('gpt-4o', { kind: 'live' }, environment)
  expect(api.requests.map(({ url, headers }) => [url, headers['authorization']])).toEqual([
    ['/v1/chat/completions', 'Bearer sk-real'],
  ])
  expect(JSON.parse(api.requests[0]?.body ?? '')).toMatchObject({
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'Calm. Direct.\n' },
      { role: 'user', content: 'Should I?' },
    ],
  })
  expect(ended).toMatchObject({ summary: { output: 'No.' }, meter: { model: 'gpt-4o-2024-08-06', costUsd: 0.0035 } })
})

test('what a run costs that is killed at its deadline is what the budget was charged', async () => {
  await using api = await startUpstream([{ stream: 'N', rest: 'o.', goesOn: new Promise(() => {}) }])
  const environment = { ANTHROPIC_BASE_URL: api.url, ANTHROPIC_API_KEY: 'sk-real' }
  const ended = await ask('claude-opus-4-7', { kind: 'live' }, environment, { deadlineMs: 500 })
  expect(ended).toMatchObject({ result: { timedOut: true }, meter: { requests: 0 } })
  // The 2,000 tokens that were expected, at $25 for a million, and its input.
  expect(ended.meter.costUsd).toBeCloseTo(0.05, 3)
})

test('failure mode "agent crashes": an API error ends the run with its words, an answer that is cut off is no answer', async () => {
  const refused = await ask('claude-x', 'turns:\n  - error: { status: 401, message: bad key }')
  expect(refused.summary).toMatchObject({ status: 'api-error', output: '' })
  expect(refused.meter.problems).toMatchObject([{ code: 'upstream-failed' }])
  const cut = {
    id: 'c1',
    model: 'm',
    choices: [{ index: 0, finish_reason: 'length', message: { content: 'No, bec' } }],
  }
  await using api = await startUpstream([{ json: cut }])
  const ended = await ask('gpt-4o', { kind: 'live' }, { OPENAI_BASE_URL: `${api.url}/v1`, OPENAI_API_KEY: 'sk' })
  expect(ended.summary).toMatchObject({
    status: 'limit-reached',
    problem: 'The answer was cut off at 16,384 tokens.',
    output: 'No, bec',
  })
  expect(ended.meter.problems).toMatchObject([{ code: 'max-tokens' }])
})

test('a run that is called off before its answer says so', async () => {
  const ended = await ask('claude-x', 'turns: [No.]', {}, { signal: AbortSignal.abort() })
  expect(ended.result).toMatchObject({ aborted: true, exitCode: null })
})
