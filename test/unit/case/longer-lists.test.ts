import { chmod } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { engines } from '../../../src/engines/registry.ts'
import { startGateway } from '../../../src/gateway/gateway.ts'
import { judgeProviders } from '../../../src/judges/providers/registry.ts'
import { OPTIONS } from '../../../src/options/options.ts'
import { resolveOptions } from '../../../src/options/resolve-options.ts'
import { backends } from '../../../src/sandbox/backends.ts'
import { settleSandbox } from '../../../src/sandbox/decide.ts'
import { hostPaths } from '../../../src/sandbox/host-paths.ts'
import { unconfinedCommand } from '../../../src/sandbox/none.ts'
import { runOptionsOf, type RunSettings } from '../../../src/settings.ts'
import { discover } from '../../../src/suites/discover.ts'
import { formats } from '../../../src/suites/formats/registry.ts'
import { createSuiteCache, findSuites, loadSuite } from '../../../src/suites/load-suite.ts'
import { runInWorker } from '../../../src/vitest/runtime/run-in-worker.ts'
import type { ProgramEngine } from '../../../src/engines/engine.ts'
import type { JudgeProviderKind } from '../../../src/judges/providers/provider.ts'
import type { AgentEvalsOptions } from '../../../src/options/options.ts'
import type { Backend } from '../../../src/sandbox/backend.ts'
import type { Format } from '../../../src/suites/format.ts'

/** A file of one line: what is asked, and what the output has to hold. */
const toyFormat: Format = {
  files: {
    find: async ({ root }) => (await discover(root, ['**/*.toy'], () => Promise.resolve(true))).ours,
    recognises: (file) => Promise.resolve(file.endsWith('.toy')),
    async load(file, { root, fs }) {
      const [prompt = '', value = ''] = ((await fs.readText(file)).text ?? '').trim().split(' => ')
      const at = { line: 1, column: 1 }
      const config = {
        file: null,
        engine: null,
        timeout: null,
        judge: null,
        network: false,
        writablePaths: null,
        env: {},
      }
      const evalCase = {
        id: 'toy',
        name: 'toy',
        description: null,
        target: null,
        prompt,
        at,
        promptAt: at,
        timeout: null,
        files: [],
        workspaceFiles: [],
        tags: [],
        category: null,
        checks: [{ kind: 'contains', value, at }] as const,
        criteria: { text: `It says ${value}.`, at },
      }
      return { format: 'toy', file, packageRoot: root, config, cases: [evalCase], issues: [] }
    },
  },
  recordingFolder: () => 'toys',
  defaultTimeout: 30,
  kind: 'toy',
}

/** A program that prints what it is asked. */
const toyEngine: ProgramEngine = {
  name: 'toy',
  executable: 'toy',
  wire: 'openai-chat',
  transport: 'tcp',
  runtimeFiles: () => [],
  versionArguments: [],
  parseVersion: () => '1.0.0',
  install: ({ paths }) => ({
    files: [],
    copies: [],
    configFiles: [],
    warnings: [],
    hookPlan: { packageRoot: paths.packageRoot, hooks: [] },
  }),
  command: ({ prompt, env }) => ({ arguments: [], env, stdin: prompt }),
  createReader() {
    const lines: string[] = []
    return {
      line: (text) => (lines.push(text), [{ kind: 'message', agent: null, text }]),
      end: () => ({
        status: 'completed',
        problem: null,
        version: null,
        sessionId: null,
        model: null,
        skills: null,
        output: lines.join('\n'),
        finalMessage: lines.join('\n'),
        hooksWithoutVerdict: 0,
      }),
    }
  },
}

/** Sessions see one more variable. */
const toyBackend: Backend = {
  isUsual: () => false,
  probeKey: () => 'toy',
  probe: () => Promise.resolve({ works: true, decided: { enforced: 'toy (words)' } }),
  command: (_, request, { environment }) =>
    unconfinedCommand({ ...request, env: { ...request.env, IN_TOY: 'yes' } }, environment),
  paths: hostPaths,
  remedy: () => 'Believe in it.',
}

/** A judge that reads the prompt itself. */
const toyJudge: JudgeProviderKind = {
  wire: 'anthropic-messages',
  recognises: (model) => model.startsWith('toy-'),
  missing: () => null,
  hint: () => null,
  open: () =>
    Promise.resolve({
      wire: 'anthropic-messages',
      resolveModel: (model) => Promise.resolve(model),
      ask({ prompt: { system, user }, model }) {
        const nonce = /[0-9a-f]{16,}/.exec(user + system)?.[0] ?? ''
        const verdict = { statement: 1, reason: `${model} read it.`, quote: QUOTE, verdict: 'pass', weak: '' }
        return Promise.resolve({ kind: 'json', value: { nonce, verdicts: [verdict], orders: '' } })
      },
    }),
}

const QUOTE = 'Hello from the toy, in toy: yes'

const lists = {
  engines: { ...engines, toy: toyEngine },
  backends: { ...backends, toy: toyBackend },
  judgeProviders: { toy: toyJudge, ...judgeProviders },
  formats: { toy: toyFormat, ...formats },
}

// Real lists have the names of their own in the schema.
const options = {
  ...OPTIONS,
  sandbox: { ...OPTIONS.sandbox, schema: z.enum(['auto', 'toy']) },
  toyPatience: { schema: z.number(), default: 3, help: 'how patient the toy is' },
}

test('longer lists run a case: a format, an engine, a sandbox, a judge and an option that are no built-in ones', async () => {
  await using project = await createFixture({
    'package.agent.json': '{ "name": "toys", "version": "1.0.0" }',
    'evals/hello.toy': 'Say hello. => in toy: yes',
    'evals/scenarios/toy.yaml': 'turns: [Done.]\njudge:\n  - never asked\n',
    toy: '#!/bin/sh\ncat > /dev/null\necho "Hello from the toy, in toy: $IN_TOY"\n',
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
  const resolved = resolveOptions(given as AgentEvalsOptions, { AGENT_EVALS_TOY_PATIENCE: '7' }, options)
  const place = { environment: {}, root, probes: new Map(), backends: lists.backends }
  const settings: RunSettings = {
    ...runOptionsOf(resolved),
    root,
    cwd: root,
    project: 'evals',
    command: 'npx vitest run --project evals',
    trial: null,
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
    judge: { result: 'passed', provider: 'toy', model: 'toy-judge', reason: 'toy-judge read it.' },
    runs: [{ folder: expect.stringContaining('/toys/toy/toy.1') }],
  })
})
