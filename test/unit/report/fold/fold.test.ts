import { expect, test } from 'vitest'
import { foldReports, type StoredRun } from '../../../../src/report/fold/fold.ts'
import { erroredJudge } from '../../../../src/judges/judgement.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'
import type { JournalEntry } from '../../../../src/report/results/journal.ts'
import type { PlannedCase } from '../../../../src/report/results/result.ts'
import type { RunPlan } from '../../../../src/report/results/run-folder.ts'
import { at, caseResult, ended, plannedCase, runPlan, started } from '../../../support/case-result.ts'

function source(
  cases: readonly PlannedCase[],
  entries: readonly JournalEntry[],
  plan: Partial<RunPlan> = {},
): StoredRun {
  return { plan: runPlan(cases, plan), journal: { entries, skipped: { corrupt: 0, 'unknown-version': 0 } } }
}

function outcomes(
  sources: readonly StoredRun[],
  ending: 'finished' | 'interrupted' | 'recovered' = 'finished',
): readonly string[] {
  return foldReports(sources, ending).flatMap(({ planned, status, results }) => [
    `${planned.packageRoot} ${planned.engineName} ${status}`,
    ...results.map(({ name, outcome, error }) => `${name}: ${error?.code ?? outcome}`),
  ])
}

const [a, b, c] = [plannedCase('a'), plannedCase('b'), plannedCase('c')]
const timedOut = { code: 'timed-out', message: 'no answer' } as const

test('every planned case is in the report exactly once', () => {
  const entries = [started(1, c), ended(2, caseResult('c', { outcome: 'failed', reason: 'x' })), started(1, a)]
  expect(outcomes([source([c, b, a], entries)])).toEqual([
    '/repo/packages/review claude-code partial',
    'a: interrupted',
    'b: skipped',
    'c: failed',
  ])
  expect(foldReports([source([b], [])], 'finished')[0]?.results[0]).toMatchObject({
    outcome: 'skipped',
    reason: 'not-run',
  })
})

test('a file of tests stands for them until it was collected', () => {
  const [one, two] = ['evals/one.eval.ts', 'evals/two.eval.ts'].map((id) => plannedCase(id, { id }))
  const collected: JournalEntry = { kind: 'file-collected', t: at(1), ...keyOf(one!) }
  const entries: readonly JournalEntry[] = [
    { kind: 'case-plan', t: at(1), planned: a },
    collected,
    ended(2, caseResult('a')),
  ]
  expect(outcomes([source([], entries, { files: [one!, two!] })], 'recovered')).toEqual([
    '/repo/packages/review claude-code recovered',
    'a: passed',
    'evals/two.eval.ts: skipped',
  ])
  const both = [...entries, { ...collected, ...keyOf(two!) }]
  expect(outcomes([source([], both, { files: [one!, two!] })])).toEqual([
    '/repo/packages/review claude-code complete',
    'a: passed',
  ])
})

function keyOf({ id, packageRoot, engineName }: PlannedCase): Pick<PlannedCase, 'engineName' | 'id' | 'packageRoot'> {
  return { id, packageRoot, engineName }
}

test('says how the run ended', () => {
  const whole = source([a], [ended(3, caseResult('a'))])
  expect(outcomes([whole])[0]).toBe('/repo/packages/review claude-code complete')
  expect(outcomes([whole], 'interrupted')[0]).toBe('/repo/packages/review claude-code interrupted')
  expect(outcomes([whole], 'recovered')[0]).toBe('/repo/packages/review claude-code recovered')
  const budget = source(
    [a],
    [ended(3, caseResult('a', { outcome: 'skipped', reason: 'not-run: the budget of $10 is used up' }))],
  )
  expect(outcomes([budget])[0]).toBe('/repo/packages/review claude-code partial')
})

test('a later try replaces an errored one and never a verdict', () => {
  const errored = caseResult('a', { outcome: 'errored', error: timedOut })
  const failed = caseResult('a', { outcome: 'failed', reason: 'x' })
  expect(outcomes([source([a], [ended(1, errored), ended(2, failed), ended(3, caseResult('a'))])])[1]).toBe('a: failed')
  expect(outcomes([source([a], [ended(1, failed), ended(2, errored)])])[1]).toBe('a: failed')
  expect(outcomes([source([a], [ended(1, errored), started(2, a)])])[1]).toBe('a: timed-out')
})

test('a pass of a watching Vitest replaces what earlier ones said of the cases it ran', () => {
  const entries = [
    ended(1, caseResult('a')),
    ended(1, caseResult('b')),
    ended(11, caseResult('a', { outcome: 'failed' })),
    started(12, c),
  ]
  expect(outcomes([source([a, b, c], entries, { rounds: [at(10)] })])).toEqual([
    '/repo/packages/review claude-code partial',
    'a: failed',
    'b: passed',
    'c: interrupted',
  ])
  expect(outcomes([source([a], [ended(1, caseResult('a')), started(11, a)], { rounds: [at(10)] })])[1]).toBe(
    'a: interrupted',
  )
})

test('there is one report per package and engine', () => {
  const codex = plannedCase('a', { engineName: 'codex' })
  const other = plannedCase('a', { packageRoot: '/repo' })
  expect(
    outcomes([
      source(
        [a, codex, other],
        [ended(1, caseResult('a')), ended(2, caseResult('a', { engineName: 'codex', outcome: 'failed' }))],
      ),
    ]),
  ).toEqual([
    '/repo/packages/review claude-code complete',
    'a: passed',
    '/repo/packages/review codex complete',
    'a: failed',
    '/repo claude-code partial',
    'a: skipped',
  ])
})

test('the machines of one run are folded by their place below the root', () => {
  const there = { root: '/ci', startedAt: at(100) }
  const moved = { packageRoot: '/ci/packages/review' }
  const second = source([plannedCase('b', moved)], [ended(110, caseResult('b', moved))], there)
  const folded = foldReports([source([a], [ended(5, caseResult('a'))]), second], 'finished')
  expect(folded.map(({ results }) => results.map(({ name }) => name))).toEqual([['a', 'b']])
  expect(folded[0]).toMatchObject({ startedAt: at(0), durationMs: 10_000, status: 'complete' })
})

test('nothing that finished is lost, planned or not', () => {
  expect(
    outcomes([source([a], [ended(1, caseResult('a')), ended(2, caseResult('written in TypeScript'))])]).slice(1),
  ).toEqual(['a: passed', 'written in TypeScript: passed'])
})

test('orders cases by file and line, whatever the order they ended in', () => {
  const places = { file: 'x.yaml', suite: 'x.yaml' }
  const cases = [30, 4, 200].map((line) => caseResult(`l${line}`, { ...places, at: { line, column: 1 } }))
  const names = outcomes([
    source(
      cases,
      cases.map((result, index) => ended(index, result)),
    ),
  ])
  expect(names.slice(1)).toEqual(['l4: passed', 'l30: passed', 'l200: passed'])
})

test('says how many lines it could not use, and survives a clock that jumps back', () => {
  const journal = { entries: [ended(-500, caseResult('a'))], skipped: { corrupt: 2, 'unknown-version': 1 } }
  const [folded] = foldReports([{ plan: runPlan([a]), journal }], 'finished')
  expect(folded?.durationMs).toBe(0)
  expect(folded?.notices).toEqual([
    'Torn or damaged journal lines that were skipped: 2.',
    'Journal lines of another version that were skipped: 1.',
  ])
})

test('what lint finds in a file is in the report once, also where several machines have read it', () => {
  const notice = (text: string): { code: string; text: string } => ({ code: 'section-repeated', text })
  const [report] = runPlan([a]).reports
  const machine = (...texts: readonly string[]): StoredRun =>
    source([a], [ended(1, caseResult('a'))], { reports: [{ ...report!, notices: texts.map(notice) }] })
  const [folded] = foldReports([machine('x.md:3:1 left'), machine('x.md:3:1 left', 'y.md:1:1 left')], 'finished')
  expect(folded?.notices).toEqual(['x.md:3:1 left', 'y.md:1:1 left'])
})

test('a model without a price is in the notices, of the agent and of the judge, unless the options price it', () => {
  const agent = { ...caseResult('a').agent, model: 'house-1' }
  const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const passed = { result: 'passed', error: null, requests: 1, usage, costUsd: null } as const
  const judge = { ...erroredJudge('judge-failed', ''), ...passed, model: 'house-2' }
  const results = [
    caseResult('a', { agent, costUsd: null }),
    caseResult('b', { judge, costUsd: 0.01 }),
    caseResult('c', { agent: { ...agent, model: 'claude-sonnet-4-5' } }),
  ]
  const entries = results.map((result, index) => ended(index, result))
  const notices = (prices: JsonObject): readonly string[] | undefined =>
    foldReports([source(results, entries, { options: { prices } })], 'finished')[0]?.notices
  expect(notices({})).toEqual(['the budget cannot be enforced: no price for house-1, house-2'])
  const price = { input: 1, output: 1 }
  expect(notices({ 'house-1': price })).toEqual(['the budget cannot be enforced: no price for house-2'])
  expect(notices({ 'house-1': price, 'house-2': price })).toEqual([])
})
