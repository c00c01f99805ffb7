// How much the Vitest process grows with the transcripts of its cases: 1 MB each against 1 KB each.
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { CONFIG, createProject, startVitest, timeOf, vitestOf } from './shared/project.mjs'

const CASES = Number(process.env.CASES ?? 300)

export async function bench() {
  const vitest = await vitestOf(4)
  const small = await sizes(vitest, 1)
  const large = await sizes(vitest, 1024)
  const what = `${CASES} cases with transcripts of 1 MB against 1 KB`
  return [
    { what: `${what}: peak of the process`, value: large.peak - small.peak, unit: 'MB', reach: null },
    { what: `${what}: the process at the end`, value: large.rss - small.rss, unit: 'MB', reach: null },
    { what: `${what}: kept at the end`, value: large.kept - small.kept, unit: 'MB', reach: 60 },
  ]
}

async function sizes(vitest, kilobytes) {
  const files = {
    'vitest.config.js': CONFIG(
      "{ sandbox: 'none', engine: 'talker', engines: { talker: { module: './talker.mjs' } } }",
    ),
    'sizes.js': SIZES,
    'talker.mjs': ENGINE,
    'node_modules/.bin/talker': `#!/bin/sh\n[ "$1" = --version ] && exec echo 1.0\nyes ${'x'.repeat(1023)} | head -n ${kilobytes}\n`,
  }
  const tests = ["import { test } from 'vitest-agent-evals/test'"]
  for (let index = 0; index < CASES; index += 1) {
    tests.push(`test('c${index}', async ({ expect, agent }) => expect(await agent.run('Talk.')).toContainOutput('x'))`)
    // It asks no model; a case without answers would be left out.
    files[`evals/scenarios/c${index}.yaml`] = 'turns: ["Never asked."]\n'
  }
  files['evals/talks.eval.js'] = tests.join('\n')
  const project = createProject(files, vitest)
  chmodSync(join(project.root, 'node_modules/.bin/talker'), 0o755)
  try {
    const running = startVitest(project, ['run', '--project', 'evals', '--reporter=./sizes.js'])
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
