// How much the Vitest process grows with the transcripts of its cases: 1 MB each against 1 KB each.
import { CONFIG, createProject, startVitest, timeOf, vitestOf } from './shared/project.mjs'

// Each is a session of the real CLI. What is kept grows with the cases, so fewer tell what 1,000 would keep.
const CASES = Number(process.env.CASES ?? 24)
const SCALE = 1000

export async function bench() {
  const vitest = await vitestOf(4)
  const small = await sizes(vitest, 1024)
  const large = await sizes(vitest, 1024 * 1024)
  const perCase = (large.kept - small.kept) / CASES
  const what = `${CASES} cases with transcripts of 1 MB against 1 KB`
  return [
    { what: `${what}: peak of the process`, value: large.peak - small.peak, unit: 'MB', reach: null },
    { what: `${what}: the process at the end`, value: large.rss - small.rss, unit: 'MB', reach: null },
    { what: `${what}: kept at the end, as of ${SCALE} cases`, value: perCase * SCALE, unit: 'MB', reach: 60 },
  ]
}

async function sizes(vitest, bytes) {
  const queries = Array.from({ length: CASES }, (_, index) => ({
    id: `q${index}`,
    query: `Question ${index}`,
    should_trigger: false,
  }))
  const files = {
    'vitest.config.js': CONFIG("{ sandbox: 'prefer', runs: 1 }"),
    'scale.js': SCALES,
    'skills/s/SKILL.md': '---\nname: s\ndescription: Says it.\n---\n\nSay it.\n',
    'skills/s/evals/triggers.json': JSON.stringify(queries),
  }
  // Short of what one line of a CLI's stream may hold.
  const turn = `${'It is said again. '.repeat(Math.ceil(Math.min(bytes, PIECE) / 18))}\n`
  const use = { text: turn, tools: [{ name: 'Bash', input: { command: 'true', description: 'Do nothing' } }] }
  const turns = [...Array.from({ length: Math.max(1, Math.floor(bytes / PIECE)) }, () => use), 'Done.']
  for (const { id } of queries) files[`evals/scenarios/${id}.yaml`] = JSON.stringify({ turns })
  const project = createProject(files, vitest)
  try {
    const running = startVitest(project, ['run', '--project', 'evals', '--reporter=./scale.js'])
    await timeOf(running)
    return JSON.parse(/SIZES (.*)/.exec(running.output())[1])
  } finally {
    project.dispose()
  }
}

const PIECE = 128 * 1024

// A process shrinks slowly, so that what it keeps is only known once what it does not is collected.
const SCALES = `import v8 from 'node:v8'
import vm from 'node:vm'

v8.setFlagsFromString('--expose-gc')
const gc = vm.runInNewContext('gc')

export default class {
  async onTestRunEnd() {
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
