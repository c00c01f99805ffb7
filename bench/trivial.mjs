// What a case costs by itself, 1,000 cases of one file without an engine, less a run with one; and what that run takes beyond one of plain Vitest.
import { join } from 'node:path'
import {
  besidePeers,
  CONFIG,
  createProject,
  fastest,
  install,
  measurePeers,
  start,
  startVitest,
  timeOf,
  vitestOf,
} from './shared/project.mjs'

const CASES = Number(process.env.CASES ?? 1000)
const TIMES = Number(process.env.TIMES ?? 3)

export async function bench() {
  const vitest = await vitestOf(4)
  const own = await measure((cases) => ours(vitest, cases))
  const bare = await measure((cases) => plain(vitest, cases))
  const peers = await measurePeers([
    ['plain Vitest', () => bare.perCase],
    ['vitest-evals', async () => (await measure((cases) => vitestEvals(vitest, cases))).perCase],
    ['evalite', async () => (await measure(evalite)).perCase],
  ])
  const what = `own cost of a trivial case, ${CASES} in one file`
  return [
    ...besidePeers({ what, value: own.perCase, unit: 'ms', reach: 0.5 }, peers),
    { what: 'a run with one trivial case, beyond plain Vitest', value: own.one - bare.one, unit: 'ms', reach: 150 },
  ]
}

async function measure(run) {
  const one = await fastest(TIMES, () => run(1))
  const all = await fastest(TIMES, () => run(CASES))
  return { one, perCase: (all - one) / (CASES - 1) }
}

// Each is prepared and left out for want of a recording: everything that is ours, and no session.
function ours(vitest, cases) {
  const evals = Array.from({ length: cases }, (_, index) => ({
    id: `e${index}`,
    prompt: `Do ${index}.`,
    expectations: ['It does.'],
  }))
  const files = {
    'vitest.config.ts': CONFIG(),
    'skills/s/SKILL.md': '---\nname: s\ndescription: S.\n---\n',
    'skills/s/evals/evals.json': JSON.stringify({ skill_name: 's', evals }, null, 1),
  }
  // Nothing passes, so that the run is red.
  return inProject(createProject(files, vitest), ['run', '--project', 'evals', '--reporter=dot'], [1])
}

function plain(vitest, cases) {
  return inProject(createProject({ 'a.test.js': tests('vitest', 'test', cases) }, vitest), ['run', '--reporter=dot'])
}

async function vitestEvals(vitest, cases) {
  const modules = await install('vitest-evals', { 'vitest-evals': '0.16.1', vitest: '4.1.12' })
  const text = [
    "import { createHarness, describeEval } from 'vitest-evals'",
    "const harness = createHarness({ name: 'echo', run: async ({ input }) => ({ output: input, events: [{ type: 'message', role: 'user', content: input }] }) })",
    "describeEval('all', { harness }, (it) => {",
    `  for (let i = 0; i < ${cases}; i += 1) it('c' + i, async ({ run }) => void (await run(String(i))))`,
    '})',
  ].join('\n')
  const project = createProject(
    { 'a.test.js': text },
    { ...vitest, modules },
    { 'vitest-evals': join(modules, 'vitest-evals') },
  )
  return inProject(project, ['run', '--reporter=dot'])
}

async function evalite(cases) {
  const modules = await install('evalite', { evalite: '0.19.0' })
  const text = [
    "import { evalite } from 'evalite'",
    `const data = Array.from({ length: ${cases} }, (_, i) => ({ input: String(i), expected: String(i) }))`,
    "evalite('all', { data: async () => data, task: async (input) => input, scorers: [{ name: 'equal', scorer: () => 1 }] })",
  ].join('\n')
  // Its usual store is a native module whose install script does not run here.
  const config =
    "import { defineConfig } from 'evalite/config'\nimport { createInMemoryStorage } from 'evalite/in-memory-storage'\nexport default defineConfig({ storage: () => createInMemoryStorage() })\n"
  const project = createProject({ 'a.eval.ts': text, 'evalite.config.ts': config }, await vitestOf(4), {
    evalite: join(modules, 'evalite'),
  })
  try {
    return await timeOf(start(process.execPath, [join(modules, 'evalite/dist/bin.js'), 'run'], project.root))
  } finally {
    project.dispose()
  }
}

function tests(from, name, cases) {
  const lines = Array.from({ length: cases }, (_, index) => `${name}('c${index}', () => {})`)
  return [`import { ${name} } from '${from}'`, ...lines].join('\n')
}

async function inProject(project, args, codes) {
  try {
    return await timeOf(startVitest(project, args), codes)
  } finally {
    project.dispose()
  }
}
