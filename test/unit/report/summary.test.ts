import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { buildReport } from '../../../src/report/build-report.ts'
import { foldReports } from '../../../src/report/fold.ts'
import { knownProvenance } from '../../../src/results/provenance.ts'
import type { Report } from '../../../src/report/report.ts'
import type { CaseResult } from '../../../src/results/result.ts'
import { formatSummary } from '../../../src/report/summary.ts'
import { caseResult, ended, runPlan } from '../../support/case-result.ts'

function report(...results: readonly CaseResult[]): Report {
  const journal = {
    entries: results.map((result, index) => ended(index, result)),
    skipped: { corrupt: 0, 'unknown-version': 0 },
  }
  const [folded] = foldReports([{ plan: runPlan(results), journal }], 'finished')
  return buildReport(folded!, knownProvenance('4.1.12'))
}

function summary(...results: readonly CaseResult[]): string {
  return formatSummary([{ report: report(...results), path: 'evals/reports/2026-02-22T14-30-00Z.json' }], {
    color: false,
  }).join('\n')
}

const scenario = { source: 'scenario', costUsd: 0, usage: null } as const

test('says what happened, by whom, at what cost and where the report lies', () => {
  const results = [
    caseResult('a', scenario),
    caseResult('b', scenario),
    caseResult('c', { outcome: 'failed', reason: 'x' }),
    caseResult('d', { outcome: 'errored', error: { code: 'timed-out', message: 'x' }, costUsd: null }),
    caseResult('e', {
      outcome: 'skipped',
      reason: 'not-run: the budget is used up',
      source: null,
      runs: [],
      sandbox: null,
    }),
  ]
  expect(`\n${summary(...results)}\n`).toMatchInlineSnapshot(`
    "
    Agent Evals  1 failed | 1 errored | 2 passed | 1 skipped (5)
      Pass Rate  67% (2 of 3)
        Answers  2 by a model, 2 by scenarios, no model called
           Cost  $0.02 + unknown for 1 case (2,468 tokens)
        Sandbox  bubblewrap
         Report  evals/reports/2026-02-22T14-30-00Z.json (partial)
    "
  `)
})

test('only what was written counts as recorded', () => {
  const recorded = { at: '2026-02-22T14:30:00Z', origin: 'claude-sonnet-4-5', engineVersion: '2.1.0' }
  const lines = summary(
    caseResult('a', { source: 'record', recorded }),
    caseResult('b', { source: 'record', recorded: null }),
  )
  expect(lines).toContain('Answers  1 by a model, 1 by a model, and recorded')
})

test('is short when all went well', () => {
  const enforced = { asked: 'prefer', enforced: 'none (container)' }
  expect(`\n${summary(caseResult('a', { ...scenario, sandbox: enforced }))}\n`).toMatchInlineSnapshot(`
    "
    Agent Evals  1 passed (1)
      Pass Rate  100% (1 of 1)
        Answers  1 by scenarios, no model called
           Cost  $0.00
        Sandbox  not enforced: none (container)
         Report  evals/reports/2026-02-22T14-30-00Z.json
    "
  `)
})

test('never shows a rate of nothing as a number', () => {
  const skipped = caseResult('a', { outcome: 'skipped', reason: 'no recording', source: null, runs: [], sandbox: null })
  expect(`\n${summary(skipped)}\n`).toMatchInlineSnapshot(`
    "
    Agent Evals  1 skipped (1)
      Pass Rate  n/a (no case passed or failed)
         Report  evals/reports/2026-02-22T14-30-00Z.json
    "
  `)
  expect(formatSummary([], { color: true })).toEqual([])
})

test('colour changes nothing but colour', () => {
  const reports = [
    { report: report(caseResult('a'), caseResult('b', { outcome: 'failed', reason: 'x' })), path: 'r.json' },
  ]
  const painted = formatSummary(reports, { color: true })
  expect(painted[0]).toBe(
    '\u001B[2mAgent Evals\u001B[22m  \u001B[1m\u001B[31m1 failed\u001B[39m\u001B[22m\u001B[2m | \u001B[22m\u001B[1m\u001B[32m1 passed\u001B[39m\u001B[22m \u001B[2m(2)\u001B[22m',
  )
  expect(painted.map((line) => stripVTControlCharacters(line))).toEqual(formatSummary(reports, { color: false }))
})
