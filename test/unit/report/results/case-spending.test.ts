import { expect, test } from 'vitest'
import { buildReport } from '../../../../src/report/build/build-report.ts'
import { foldReports } from '../../../../src/report/fold/fold.ts'
import { compare } from '../../../../src/report/compare/compare.ts'
import { parseReport } from '../../../../src/report/read-report.ts'
import { formatSummary } from '../../../../src/report/summary/summary.ts'
import { spendingOf } from '../../../../src/report/results/case-spending.ts'
import { combineRuns } from '../../../../src/report/results/combine-runs.ts'
import { knownProvenance } from '../../../../src/report/results/provenance.ts'
import { erroredJudge, type JudgePart } from '../../../../src/judges/judgement.ts'
import type { Report } from '../../../../src/report/report.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult, ended, runPlan, started } from '../../../support/case-result.ts'

const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 0, cacheWriteTokens: 0 }
const judge: JudgePart = { ...erroredJudge('judge-failed', ''), result: 'passed', error: null, requests: 1, usage }
const judged = (name: string, agent: number | null, ofJudge: number | null): CaseResult =>
  caseResult(name, { costUsd: agent, usage, judge: { ...judge, costUsd: ofJudge } })

function reportOf(results: readonly CaseResult[]): Report {
  const plan = runPlan(results)
  const [folded] = foldReports(
    [{ plan, journal: { entries: results.map((result) => ended(1, result)), skipped: NONE }, durationMs: 1 }],
    'finished',
  )
  if (folded === undefined) throw new Error('no report')
  return buildReport(folded, knownProvenance('4.1.12'))
}

const NONE = { corrupt: 0, 'unknown-version': 0 }

test('a case costs what its agent and its judge cost, and an unknown part hides no known one', () => {
  const { cases, summary } = reportOf([judged('a', 0.01, 0.005), judged('b', 0.02, null), judged('c', null, null)])
  expect(cases.map(({ cost_usd: usd, cost }) => [usd, cost])).toEqual([
    [0.015, { agent_usd: 0.01, judge_usd: 0.005, known_usd: 0.015 }],
    [null, { agent_usd: 0.02, judge_usd: null, known_usd: 0.02 }],
    [null, { agent_usd: null, judge_usd: null, known_usd: 0 }],
  ])
  expect(summary).toMatchObject({ cost_usd: 0.035, unknown_cost_cases: 2, tokens: { input_tokens: 60 } })
})

test('terminal, report and diff show one total, for each run and each judge of a case', () => {
  const runs = [judged('a', 0.01, 0.005), judged('a', 0.01, 0.007)] as const
  const report = reportOf([combineRuns(runs[0], [runs[1]], { runs: 2, threshold: 1 }), judged('b', 0.001, null)])
  expect(report.summary).toMatchObject({ cost_usd: 0.033, unknown_cost_cases: 1 })
  const compared = parseReport(JSON.stringify(report), 'report.json')
  expect(compare(compared, compared).totals.before).toMatchObject({
    cost_usd: 0.033,
    unknown_cost_cases: 1,
    run_cost: { cost_usd: 0.033, unknown_cost_cases: 1 },
    tokens: 72,
  })
  expect(formatSummary([{ report, path: null }], { color: false }).join('\n')).toContain(
    'Cost  $0.03 + unknown for 1 case (72 tokens)',
  )
})

test('what was taken over costs nothing, and what a retry replaced is counted', () => {
  expect(spendingOf({ ...judged('a', 0.01, 0.005), reused_from: 'before' })).toMatchObject({
    agent: { usd: 0, hasUnknown: false },
    judge: { usd: 0 },
  })
  const broken = {
    ...judged('a', 0.04, null),
    outcome: 'errored' as const,
    error: { code: 'timed-out' as const, message: '' },
  }
  const entries = [
    started(1, judged('a', 0, 0)),
    ended(2, broken),
    started(1, judged('a', 0, 0)),
    ended(3, judged('a', 0.01, 0.005)),
  ]
  const [folded] = foldReports(
    [{ plan: runPlan([judged('a', 0, 0)]), journal: { entries, skipped: NONE } }],
    'finished',
  )
  const report = folded === undefined ? null : buildReport(folded, knownProvenance('4.1.12'))
  expect(report?.summary).toMatchObject({ total: 1, passed: 1, cost_usd: 0.055, unknown_cost_cases: 1 })
})
