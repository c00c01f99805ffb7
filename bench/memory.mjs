// How large the Vitest process gets, its workers included, by the transcripts of its cases and by their number.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG, createProject, startVitest, timeOf, vitestOf } from './shared/project.mjs'

const CASES = Number(process.env.CASES ?? 300)
const FEW = Math.ceil(CASES / 5)

export async function bench() {
  const vitest = await vitestOf(4)
  const small = await sizes(vitest, CASES, 1)
  const few = await sizes(vitest, FEW, 1024)
  const large = await sizes(vitest, CASES, 1024)
  const plain = await plainSizes(vitest)
  const what = `${CASES} cases with transcripts of 1 MB`
  return [
    { what: `${what}: peak of the process`, value: large.peak, unit: 'MB', reach: 300 },
    { what: `${what}: its peak against that of ${FEW} cases`, value: large.peak / few.peak, unit: 'x', reach: 1.25 },
    { what: `${what}: its peak beyond that of 1 KB`, value: large.peak - small.peak, unit: 'MB', reach: null },
    { what: `${what} against 1 KB: kept at the end`, value: large.kept - small.kept, unit: 'MB', reach: 60 },
    { what: `${CASES} empty tests of plain Vitest: peak of the process`, value: plain.peak, unit: 'MB', reach: null },
  ]
}

async function sizes(vitest, cases, kilobytes) {
  const files = {
    'vitest.config.js': CONFIG(
      "{ sandbox: 'none', engine: 'talker', engines: { talker: { module: './talker.mjs' } } }",
    ),
    'sizes.js': SIZES,
    'talker.mjs': ENGINE,
    'node_modules/.bin/talker': `#!/bin/sh\n[ "$1" = --version ] && exec echo 1.0\nyes ${'x'.repeat(1023)} | head -n ${kilobytes}\n`,
  }
  const tests = ["import { test } from 'vitest-agent-evals/test'"]
  for (let index = 0; index < cases; index += 1) {
    tests.push(`test('c${index}', async ({ expect, agent }) => expect(await agent.run('Talk.')).toContainOutput('x'))`)
    // It asks no model; a case without answers would be left out.
    files[`evals/scenarios/c${index}.yaml`] = 'turns: ["Never asked."]\n'
  }
  files['evals/talks.eval.js'] = tests.join('\n')
  const project = createProject(files, vitest)
  chmodSync(join(project.root, 'node_modules/.bin/talker'), 0o755)
  return sizesOf(project, ['--project', 'evals'])
}

async function plainSizes(vitest) {
  const tests = Array.from({ length: CASES }, (_, index) => `test('c${index}', () => {})`)
  const files = {
    'vitest.config.js': "export default { test: { pool: 'threads' } }",
    'sizes.js': SIZES,
    'empty.test.js': ["import { test } from 'vitest'", ...tests].join('\n'),
  }
  return sizesOf(createProject(files, vitest), [])
}

async function sizesOf(project, args) {
  try {
    const running = startVitest(project, ['run', ...args, '--reporter=./sizes.js'])
    await timeOf(running)
    return JSON.parse(/SIZES (.*)/.exec(running.output())[1])
  } finally {
    project.dispose()
  }
}

const ENGINE = `export default {
  name: 'talker',
  executable: 'talker',
  wire: 'openai-chat',
  transport: 'tcp',
  runtimeFiles: () => [],
  versionArguments: ['--version'],
  parseVersion: (stdout) => stdout.trim(),
  install: ({ paths }) => ({
    files: [],
    copies: [],
    configFiles: [],
    hookPlan: { packageRoot: paths.packageRoot, hooks: [] },
    warnings: [],
  }),
  command: ({ env }) => ({ arguments: [], env, stdin: '' }),
  createReader() {
    let last = ''
    return {
      line: (text) => [{ kind: 'message', agent: null, text: (last = text) }],
      end: () => ({
        status: 'completed',
        problem: null,
        version: null,
        sessionId: null,
        model: null,
        output: last,
        finalMessage: last,
        skills: null,
        hooksWithoutVerdict: 0,
      }),
    }
  },
}
`

// A process shrinks slowly, so that what it keeps is only known once what it does not is collected.
const SIZES = `import v8 from 'node:v8'
import vm from 'node:vm'

v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')

export default class {
  async onTestRunEnd(modules) {
    for (const module of modules)
      for (const test of module.children.allTests()) {
        const { state, errors } = test.result()
        if (state !== 'passed') throw new Error(errors?.[0]?.message ?? state)
      }
    for (let i = 0; i < 5; i += 1) {
      gc()
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    const { rss, heapUsed, external } = process.memoryUsage()
    const mb = (bytes) => bytes / 1024 / 1024
    const sizes = { kept: mb(heapUsed + external), rss: mb(rss), peak: process.resourceUsage().maxRSS / 1024 }
    console.log('\\nSIZES ' + JSON.stringify(sizes))
  }
}
`
