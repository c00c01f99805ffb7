import { describe, expect, test } from 'vitest'
import { planCases, type CaseChoice, type PlanSettings } from '../../../../src/case/plan/plan.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import { AAM_DEFAULTS } from '../../../../src/formats/aam/aam-defaults.ts'
import { evalCase } from '../../../support/eval-case.ts'
import type { EvalCase, Suite } from '../../../../src/formats/suite.ts'

function suite(name: string, cases: readonly (readonly [id: string, line: number, target?: string])[]): Suite {
  const file = `/repo/evals/cases/${name}`
  return { format: 'aam', file, packageRoot: '/repo', config: AAM_DEFAULTS, cases: cases.map(toCase), issues: [] }
}

function toCase([id, line, skill]: readonly [id: string, line: number, target?: string]): EvalCase {
  return evalCase({ id, target: skill === undefined ? null : { kind: 'skill', name: skill }, at: { line, column: 1 } })
}

const suites = [
  suite('b.yaml', [['b1', 1, 'pdf']]),
  suite('a.yaml', [
    ['a2', 9, 'pdf'],
    ['a1', 2],
    ['a3', 12],
  ]),
  suite('c.yaml', [['c1', 1, 'pdf']]),
]
const NONE = { environment: null, option: null }
const SETTINGS: PlanSettings = { root: '/repo', engine: NONE, runs: NONE }

function selected(choice: CaseChoice): readonly string[] {
  return planCases(suites, choice, SETTINGS).cases.map(({ id }) => id.slice(id.indexOf('#') + 1))
}

test('cases are in the order of files and lines', () => {
  expect(selected({})).toEqual(['a1', 'a2', 'a3', 'b1', 'c1'])
  expect(planCases(suites, { target: 'skill:pdf' }, SETTINGS).cases[0]).toEqual({
    file: 'evals/cases/a.yaml',
    id: 'evals/cases/a.yaml#a2',
    engine: 'claude-code',
    runs: 1,
  })
})

test('an engine that is asked for comes before that of the suite, which comes before the default', () => {
  const codex = suites.map((one) => ({ ...one, config: { ...AAM_DEFAULTS, engine: 'codex' } }))
  const engines = (of: readonly Suite[], environment: string | null): readonly string[] => [
    ...new Set(
      planCases(of, {}, { ...SETTINGS, engine: { environment, option: null } }).cases.map((one) => one.engine),
    ),
  ]
  expect([engines(suites, null), engines(codex, null), engines(codex, 'copilot')]).toEqual([
    ['claude-code'],
    ['codex'],
    ['copilot'],
  ])
})

test('every condition has to hold', () => {
  const file = '/repo/evals/cases/a.yaml'
  const named = new Map([[file, new Set(['a1', 'a2'])]])
  expect(selected({ named })).toEqual(['a1', 'a2'])
  expect(selected({ named, target: 'skill:pdf' })).toEqual(['a2'])
  expect(selected({ named, kind: 'trigger' })).toEqual([])
  expect(selected({ named, pattern: /1$/ })).toEqual(['a1'])
  expect(selected({ named, files: new Map([[file, { lines: [9, 12] }]]) })).toEqual(['a2'])
  expect(selected({ named, files: new Map([[file, { lines: [9], due: new Set(['a1']) }]]) })).toEqual([])
  expect(
    selected({ files: new Map([[file, { due: new Set(['a3']), pattern: /./ }]]), shard: { index: 1, count: 2 } }),
  ).toEqual(['a3', 'b1'])
  expect(selected({ category: 'happy' })).toEqual([])
  expect(selected({ tag: ['slow'] })).toEqual([])
  expect(selected({ case: 'a*' })).toEqual([])
})

test('shards are dealt by the hash of the id, are disjoint, leave no case out and have one hash', () => {
  expect(selected({ shard: { index: 1, count: 2 } })).toEqual(['a2', 'a3', 'b1'])
  expect(selected({ shard: { index: 2, count: 2 } })).toEqual(['a1', 'c1'])
  const plan = (choice: CaseChoice): string => planCases(suites, choice, SETTINGS).hash
  expect(plan({ shard: { index: 1, count: 2 } })).toBe(plan({}))
  expect(plan({ target: 'skill:pdf' })).not.toBe(plan({}))
  expect(planCases(suites.toReversed(), {}, SETTINGS)).toEqual(planCases(suites, {}, SETTINGS))
})

test('the cases of a target are dealt evenly too', () => {
  expect(selected({ target: 'skill:pdf', shard: { index: 1, count: 3 } })).toEqual(['a2'])
  expect(selected({ target: 'skill:pdf', shard: { index: 3, count: 3 } })).toEqual(['b1'])
})

test('the engines and arms of a case stay in one shard', () => {
  const both = suites.map((one) => ({
    ...one,
    cases: one.cases.flatMap((each) => [
      each,
      { ...each, arm: 'without_skill' as const },
      { ...each, engine: 'codex' },
    ]),
  }))
  const [first, second] = [1, 2].map((index) =>
    planCases(both, { shard: { index, count: 2 } }, SETTINGS).cases.map(({ id }) => id.replace('@without_skill', '')),
  )
  expect(first).toHaveLength(9)
  expect(second).toHaveLength(6)
  expect(first?.filter((id) => second?.includes(id))).toEqual([])
})

describe('AGENT_EVALS_SHARD', () => {
  test('is read as i/n', () => {
    expect(resolveOptions({}, { AGENT_EVALS_SHARD: '2/4' }).shard).toEqual({ index: 2, count: 4 })
    expect(resolveOptions({ shard: '1/1' }, {}).shard).toEqual({ index: 1, count: 1 })
    expect(resolveOptions({}, {}).shard).toBeNull()
  })

  test.for(['0/4', '5/4', '1', '1/0', 'a/b', '1/2/3', '-1/4', '1.5/2'])('%s is refused', (text) => {
    expect(() => resolveOptions({}, { AGENT_EVALS_SHARD: text })).toThrow(
      `AGENT_EVALS_SHARD is "${text}": expected i/n with 1 <= i <= n, such as 2/4.`,
    )
  })
})
