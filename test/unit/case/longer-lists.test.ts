import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import { settleSandbox } from '../../../src/sandbox/decide.ts'
import { runOptionsOf } from '../../../src/options/options.ts'
import type { RunSettings } from '../../../src/settings.ts'
import { createSuiteCache, findSuites, loadSuite } from '../../../src/suites/load-suite.ts'
import { runInWorker } from '../../../src/vitest/runtime/run-in-worker.ts'
import { lists, TOY_PROGRAM } from '../../support/toy-lists.ts'
import type { AgentEvalsOptions } from '../../../src/options/options.ts'

test('longer lists run a case: a format, an engine, a sandbox, a judge and an option that are no built-in ones', async () => {
  await using project = await createFixture({
    'package.agent.json': '{ "name": "toys", "version": "1.0.0" }',
    'evals/hello.toy': 'Say hello. => in toy: yes',
    'evals/scenarios/toy.yaml': 'turns: [Done.]\njudge:\n  - never asked\n',
    toy: TOY_PROGRAM,
  })
  const root = project.path.replace(/\/$/, '')
  await chmod(join(root, 'toy'), 0o755)
  const gateway = await startGateway({ concurrency: 1, maxCostUsd: 10, environment: {} })
  onTestFinished(() => gateway.close())

  const cache = createSuiteCache()
  const { searched } = await findSuites({ root, agentsRoot: root, cache }, false, lists.formats)
  expect(searched).toEqual([join(root, 'evals/hello.toy')])
  const { cases, ...suite } = await loadSuite(searched[0] ?? '', { root, cache }, lists.formats)
  const [evalCase] = cases
  if (evalCase === undefined) throw new Error('The toy was not read.')

  const given = { engine: 'toy', engines: { toy: join(root, 'toy') }, sandbox: 'toy', judge: 'toy-judge' }
  const resolved = resolveOptions(given as AgentEvalsOptions, { AGENT_EVALS_TOY_PATIENCE: '7' }, lists.options)
  const place = { environment: {}, root, probes: new Map(), backends: lists.backends }
  const settings: RunSettings = {
    ...runOptionsOf(resolved),
    root,
    cwd: root,
    project: 'evals',
    command: 'npx vitest run --project evals',
    trial: null,
    engineVersions: {},
    runFolder: join(root, '.vitest/agent-evals/run'),
    controlSocket: gateway.controlSocket,
    sandbox: await settleSandbox(resolved.sandbox, place),
    liveBlockedReason: null,
    onMissingAnswers: 'errored',
    lists,
  }
  expect(settings).toMatchObject({ toyPatience: 7 })

  const { signal } = new AbortController()
  const result = await runInWorker({ suite, evalCase, settings, signal })
  expect(result).toMatchObject({
    outcome: 'passed',
    error: null,
    format: 'toy',
    engine: { name: 'toy', version: '1.0.0' },
    checks: [{ outcome: 'passed' }],
    judge: { result: 'passed', provider: 'toy', model: 'toy-judge', reason: 'toy-judge has patience 7.' },
    runs: [{ folder: expect.stringContaining('/toys/toy/toy.1') }],
  })
})
