// How evenly 16 machines are cut by recorded times, and how long one takes to plan its part.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compileSources, write } from './shared/project.mjs'

const MACHINES = 16
const CASES = Number(process.env.CASES ?? 1000)

export async function bench() {
  const sources = compileSources()
  const load = async (path) => import(new URL(path, sources).href)
  const { createCutter } = await load('case/plan/create-cutter.js')
  const { planCases } = await load('case/plan/plan.js')
  const { AAM_DEFAULTS } = await load('formats/aam/aam-defaults.js')
  const root = mkdtempSync(join(tmpdir(), 'shards-bench-'))
  try {
    const times = makeRecordings(root)
    const suite = suiteOf(root, AAM_DEFAULTS)
    const parts = Array.from({ length: MACHINES }, (_, index) => {
      const settings = { ...SETTINGS, root, shard: { index: index + 1, count: MACHINES } }
      const startedAt = performance.now()
      const plan = planCases([suite], settings, settings, createCutter(settings).by())
      return { ids: plan.cases.map(({ id }) => id.slice(id.indexOf('#') + 1)), ms: performance.now() - startedAt }
    })
    const byNumber = Array.from({ length: MACHINES }, (_, index) =>
      [...times.keys()].filter((_id, position) => position % MACHINES === index),
    )
    const uneven = (shards) => {
      const sums = shards.map((ids) => ids.reduce((all, id) => all + times.get(id), 0))
      return Math.max(...sums) / (sums.reduce((all, one) => all + one, 0) / MACHINES)
    }
    const what = `${CASES} cases with recorded times on ${MACHINES} machines`
    return [
      {
        what: `${what}: the slowest, against their mean`,
        value: uneven(parts.map(({ ids }) => ids)),
        unit: 'x',
        reach: 1.1,
      },
      { what: `${what}: the same if cut by number`, value: uneven(byNumber), unit: 'x', reach: null },
      {
        what: `${what}: planning of one`,
        value: Math.min(...parts.map(({ ms }) => ms)) / 1000,
        unit: 's',
        reach: null,
      },
    ]
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

const NONE = { environment: null, option: null }
const SETTINGS = { engine: NONE, model: null, runs: NONE, measureNoise: false, source: 'live', shardTimes: null }

// Live sessions take from ten seconds to ten minutes, and the long ones are few.
function makeRecordings(root) {
  let seed = 7
  const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
  const normal = () => Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random())
  write(join(root, 'package.agent.json'), '{}')
  const times = new Map()
  for (let index = 0; index < CASES; index += 1) {
    const seconds = 30 * Math.exp(0.9 * normal())
    times.set(`c${index}`, seconds)
    const turns = Array.from({ length: 12 }, () => ({
      answer: { content: [{ kind: 'text', text: 'x'.repeat(1500) }] },
    }))
    const recording = { version: 1, origin: 'claude', durationMs: seconds * 1000, lanes: [{ lane: 'main', turns }] }
    write(join(root, `evals/recordings/cases/c${index}/claude-code.1.json`), JSON.stringify(recording))
  }
  return times
}

function suiteOf(root, config) {
  const at = { line: 1, column: 1 }
  const cases = Array.from({ length: CASES }, (_, index) => ({
    kind: 'task',
    id: `c${index}`,
    name: `c${index}`,
    description: null,
    target: null,
    prompt: 'p',
    files: [],
    workspaceFiles: [],
    checks: [],
    criteria: null,
    tags: [],
    category: null,
    timeout: null,
    at,
    promptAt: at,
  }))
  return { format: 'aam', file: join(root, 'evals/cases/a.yaml'), packageRoot: root, config, cases, issues: [] }
}
