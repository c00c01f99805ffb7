import { z } from 'zod'
import { engines } from '../../src/engines/registry.ts'
import { judgeProviders } from '../../src/judges/providers/registry.ts'
import { OPTIONS } from '../../src/options/options.ts'
import { backends } from '../../src/sandbox/backends.ts'
import { hostPaths } from '../../src/sandbox/host-paths.ts'
import { unconfinedCommand } from '../../src/sandbox/none.ts'
import { discover } from '../../src/suites/discover.ts'
import { AAM_DEFAULTS } from '../../src/suites/formats/aam/aam-defaults.ts'
import { formats } from '../../src/suites/formats/registry.ts'
import { evalCase } from './eval-case.ts'
import type { ProgramEngine } from '../../src/engines/engine.ts'
import type { JudgeProviderKind } from '../../src/judges/providers/provider.ts'
import type { Backend } from '../../src/sandbox/backend.ts'
import type { Lists } from '../../src/settings.ts'
import type { Format } from '../../src/suites/format.ts'

/** A file of one line: the prompt, and what the output contains. */
const toyFormat: Format = {
  files: {
    find: async ({ root }) => (await discover(root, ['**/*.toy'], () => Promise.resolve(true))).ours,
    recognises: (file) => Promise.resolve(file.endsWith('.toy')),
    async load(file, { root, fs }) {
      const [prompt = '', value = ''] = ((await fs.readText(file)).text ?? '').trim().split(' => ')
      const at = { line: 1, column: 1 }
      const toy = evalCase({
        id: 'toy',
        prompt,
        checks: [{ kind: 'contains', value, at }],
        criteria: { text: `It says ${value}.`, at },
      })
      return { format: 'toy', file, packageRoot: root, config: AAM_DEFAULTS, cases: [toy], issues: [] }
    },
  },
  recordingFolder: () => 'toys',
  defaultTimeout: 30,
  kind: 'toy',
}

/** The program of {@link toyEngine}: it prints what its sandbox set. */
export const TOY_PROGRAM = '#!/bin/sh\ncat > /dev/null\necho "Hello from the toy, in toy: $IN_TOY"\n'

/** A program whose output is its last message. */
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
  probe: () => Promise.resolve({ works: true, enforced: 'toy (words)', found: null }),
  command: (_, request, { environment }) =>
    unconfinedCommand({ ...request, env: { ...request.env, IN_TOY: 'yes' } }, environment),
  paths: hostPaths,
  remedy: () => 'Believe in it.',
}

/** A judge that asks no model, and quotes {@link TOY_PROGRAM}. */
const toyJudge: JudgeProviderKind = {
  wire: 'anthropic-messages',
  recognises: (model) => model.startsWith('toy-'),
  missing: () => null,
  hint: () => null,
  open: (settings) =>
    Promise.resolve({
      wire: 'anthropic-messages',
      resolveModel: (model) => Promise.resolve(model),
      ask({ prompt: { system, user }, model }) {
        const nonce = /[0-9a-f]{16,}/.exec(user + system)?.[0] ?? ''
        const reason = `${model} has patience ${Reflect.get(settings, 'toyPatience')}.`
        const verdict = { statement: 1, reason, quote: QUOTE, verdict: 'pass', weak: '' }
        return Promise.resolve({ kind: 'json', value: { nonce, verdicts: [verdict], orders: '' } })
      },
    }),
}

const QUOTE = 'Hello from the toy, in toy: yes'

/** The built-in lists, each with a toy. */
export const lists = {
  module: import.meta.url,
  engines: { ...engines, toy: toyEngine },
  backends: { ...backends, toy: toyBackend },
  judgeProviders: { toy: toyJudge, ...judgeProviders },
  formats: { toy: toyFormat, ...formats },
  options: {
    ...OPTIONS,
    // The built-in schema has the names of the built-in backends.
    sandbox: { ...OPTIONS.sandbox, schema: z.enum(['auto', 'toy']) },
    toyPatience: { schema: z.number(), default: 3, help: 'how patient the toy is' },
  },
} satisfies Lists
