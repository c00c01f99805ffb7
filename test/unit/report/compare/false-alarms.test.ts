// @module-tag slow
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { compare } from '../../../../src/report/compare/compare.ts'
import { percent, wilsonInterval } from '../../../../src/lib/rates.ts'
import { readReport, type ReadCase, type ReadReport } from '../../../../src/report/read-report.ts'

/** A generator of numbers from 0 to 1 that are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const REPORT = readReport(
  { version: 1, agent_evals_version: '0.2.0', cases: [{ name: '', verdict: 'PASS', source: 'live' }] },
  'report.json',
)
const REPEATS = { errors: 0, rate: null, interval: null, threshold: 1, pass_at_k: [], pass_all_k: [], saved: null }

function sample(rates: readonly number[], runs: number, random: () => number): ReadReport {
  const cases = rates.flatMap((rate, at): readonly ReadCase[] => {
    const passed = Array.from({ length: runs }, random).filter((one) => one < rate).length
    const outcome = passed === runs ? 'passed' : 'failed'
    const repeats = { ...REPEATS, runs, passed, completed: runs }
    return REPORT.cases.map((one) => ({ ...one, name: String(at), outcome, repeats }))
  })
  return { ...REPORT, cases }
}

function fails(before: readonly number[], after: readonly number[], runs: number, random: () => number): boolean {
  return compare(sample(before, runs, random), sample(after, runs, random)).verdict === 'failed'
}

const SIZES = [
  [1, 10],
  [5, 5],
  [10, 3],
  [10, 5],
  [10, 10],
  [25, 3],
  [50, 3],
] as const
const DROPS = [0.1, 0.2, 0.3, 0.4] as const
const SHAPES: readonly ((random: () => number) => number)[] = [
  () => 0.9,
  () => 0.5,
  () => 0.98,
  (random) => random(),
  (random) => (random() < 0.7 ? 1 : random()),
]

test(
  'over 10,000 histories in which nothing changed, the gate fails no more often than its level',
  { timeout: 300_000 },
  () => {
    const random = createRandom(44)
    const histories = 10_000
    const alarms = new Map<string, { alarms: number; of: number }>()
    for (let history = 0; history < histories; history++) {
      const [cases, runs] = SIZES[history % SIZES.length] ?? [1, 10]
      const shape = Math.floor(history / SIZES.length) % SHAPES.length
      const rates = Array.from({ length: cases }, () => SHAPES[shape]?.(random) ?? 1)
      const failed = Number(fails(rates, rates, runs, random))
      for (const key of ['all', `${cases} x ${runs}`, `rates ${shape}`]) {
        const found = alarms.get(key) ?? { alarms: 0, of: 0 }
        alarms.set(key, { alarms: found.alarms + failed, of: found.of + 1 })
      }
    }
    const rates = [...alarms].map(([key, found]) => [key, found.alarms, found.of] as const)
    console.log(rates.map(([key, failed, of]) => `${key.padEnd(8)}  ${failed} of ${of}`).join('\n'))
    for (const [key, failed, of] of rates) {
      const isWhole = key === 'all'
      // A part of the histories is held to what its own chance leaves open.
      const rate = isWhole ? failed / of : (wilsonInterval(failed, of)?.[0] ?? 1)
      expect(rate, key).toBeLessThanOrEqual(0.05)
    }
  },
)

test('the table of the docs says how often a drop is found', { timeout: 300_000 }, () => {
  const random = createRandom(45)
  const tries = 500
  const rows = SIZES.map(([cases, runs]) => {
    const found = DROPS.map((drop) => {
      const before = Array.from({ length: cases }, () => 0.9)
      const after = before.map((rate) => rate - drop)
      return Array.from({ length: tries }, () => fails(before, after, runs, random)).filter(Boolean).length
    })
    return `| ${cases} | ${runs} | ${found.map((count) => percent(count / tries)).join(' | ')} |`
  })
  const table = [
    `| cases | runs each | ${DROPS.map((drop) => `${drop * 100} points`).join(' | ')} |`,
    `|--:|--:|${DROPS.map(() => '--:').join('|')}|`,
    ...rows,
  ].join('\n')
  console.log(table)
  const docs = readFileSync(join(import.meta.dirname, '../../../../docs/gates.md'), 'utf8')
  expect(docs).toContain(table)
})
