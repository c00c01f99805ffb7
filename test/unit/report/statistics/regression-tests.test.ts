import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  adjustByHolm,
  changeInterval,
  planTests,
  pooledTest,
  reaches,
  type TallyPair,
} from '../../../../src/report/statistics/regression-tests.ts'
import { passAll, passAt, wilsonInterval } from '../../../../src/lib/rates.ts'
import { fisherTest, kappaInterval, signTest } from '../../../../src/report/statistics/tests.ts'

interface Tables {
  readonly tables: readonly {
    readonly cases: readonly (readonly [number, number, number, number])[]
    readonly pooled: number
    readonly fisher: readonly number[]
    readonly holm: readonly number[]
    readonly change: readonly (readonly [number, number])[]
  }[]
  readonly wilson: readonly {
    readonly passed: number
    readonly completed: number
    readonly interval: readonly [number, number]
  }[]
  readonly fisherTwoSided: readonly { readonly a: Of; readonly b: Of; readonly p: number }[]
  readonly signTwoSided: readonly { readonly better: number; readonly worse: number; readonly p: number }[]
  readonly kappa: readonly {
    /** Both pass, the judge alone, the person alone, both fail. */
    readonly table: readonly [number, number, number, number]
    readonly value: number
    readonly interval: readonly [number, number]
  }[]
  readonly passAt: readonly {
    readonly k: number
    readonly passed: number
    readonly completed: number
    readonly any: number
    readonly all: number
  }[]
}

/** Passed of completed. */
type Of = readonly [passed: number, completed: number]

const file = join(import.meta.dirname, '../../../fixtures/regression-tables.json')
const { tables, wilson, ...further } = JSON.parse(readFileSync(file, 'utf8')) as Tables

function near(actual: readonly number[], expected: readonly number[]): void {
  expect(actual).toHaveLength(expected.length)
  const worst = Math.max(...actual.map((one, at) => Math.abs(one - (expected[at] ?? Number.NaN))))
  expect(worst).toBeLessThan(1e-9)
}

function pairsOf(cases: (typeof tables)[number]['cases']): readonly TallyPair[] {
  return cases.map(([passed, completed, then, of]) => ({
    before: { passed, completed },
    after: { passed: then, completed: of },
  }))
}

test('every test equals a statistics package', () => {
  expect(tables.length).toBeGreaterThan(100)
  for (const table of tables) {
    const pairs = pairsOf(table.cases)
    const fisher = pairs.map((pair) => pooledTest([pair]))
    near([pooledTest(pairs)], [table.pooled])
    near(fisher, table.fisher)
    near(adjustByHolm(fisher), table.holm)
    near(
      pairs.flatMap((pair) => changeInterval(pair) ?? []),
      table.change.flat(),
    )
  }
  for (const { passed, completed, interval } of wilson) near(wilsonInterval(passed, completed) ?? [], interval)
})

test('what is shown beside the gate equals a statistics package too', () => {
  const { fisherTwoSided, signTwoSided, kappa, passAt: at } = further
  near(
    fisherTwoSided.map(({ a, b }) => fisherTest(tally(a), tally(b))),
    fisherTwoSided.map(({ p }) => p),
  )
  near(
    signTwoSided.map(({ better, worse }) => signTest(better, worse)),
    signTwoSided.map(({ p }) => p),
  )
  near(
    kappa.flatMap(({ table: [bothPass, judgePassed, judgeFailed, bothFail] }) => {
      const found = kappaInterval({ bothPass, judgePassed, judgeFailed, bothFail })
      return [found?.value ?? Number.NaN, ...(found?.interval ?? [])]
    }),
    kappa.flatMap(({ value, interval }) => [value, ...interval]),
  )
  near(
    at.flatMap(({ k, passed, completed }) => [passAt(k, passed, completed) ?? 0, passAll(k, passed, completed) ?? 0]),
    at.flatMap(({ any, all }) => [any, all]),
  )
})

function tally([passed, completed]: Of): { readonly passed: number; readonly completed: number } {
  return { passed, completed }
}

test('one case of three runs can just fail, and three more runs of nothing change nothing', () => {
  expect(planTests([[3, 3]])).toMatchObject({ pooled_level: 0.05, single_level: 0, least_drop: 1 })
  expect(planTests([[3, 3]]).best_single_p_value).toBeCloseTo(0.05, 12)
  expect(planTests([[1, 1]]).least_drop).toBeNull()
  expect(planTests([]).least_drop).toBeNull()
  expect(reaches(pooledTest(pairsOf([[3, 3, 0, 3]])), 0.05)).toBe(true)
})

test('over ten cases no single one of three runs can fail, and the pooled test can', () => {
  const plan = planTests(Array.from({ length: 10 }, () => [3, 3]))
  expect(plan).toMatchObject({ pooled_level: 0.05, single_level: 0 })
  expect(plan.best_adjusted_p_value).toBeCloseTo(0.5, 12)
  expect(plan.least_drop).toBeCloseTo(5 / 30, 12)
})

test('where single cases can fail, both ways to fail share the level', () => {
  const plan = planTests(Array.from({ length: 10 }, () => [10, 10]))
  expect(plan.single_level).toBeCloseTo(0.01, 12)
  expect(plan.single_level + plan.pooled_level).toBeCloseTo(0.05, 12)
})
