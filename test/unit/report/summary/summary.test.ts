import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { skippedJudge, type JudgedStatement } from '../../../../src/judges/judgement.ts'
import type { Report } from '../../../../src/report/report.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { formatSummary } from '../../../../src/report/summary/summary.ts'
import { summarizeRun } from '../../../../src/report/build/summarize-run.ts'
import { agentRun } from '../../../support/agent-run.ts'
import { caseResult, reportOf } from '../../../support/case-result.ts'
import type { RunDecision } from '../../../../src/transcript/select.ts'

const report = (...results: readonly CaseResult[]): Report => reportOf(results)

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
    Agent Evals  1 failed | 1 errored | 2 passed | 1 skipped (5), errored is failed in Vitest
      Pass Rate  67% (2 of 3)
        Answers  2 by a model, 2 by scenarios, no model called
           Cost  $0.02 + unknown for 1 case (2,468 tokens)
        Sandbox  bubblewrap
         Report  evals/reports/2026-02-22T14-30-00Z.json (partial)
    "
  `)
})

test('only what was written counts as recorded', () => {
  const recorded = { at: '2026-02-22T14:30:00Z', origin: 'claude-sonnet-4-5', engine_version: '2.1.0' }
  const lines = summary(
    caseResult('a', { source: 'record', recorded }),
    caseResult('b', { source: 'record', recorded: null }),
  )
  expect(lines).toContain('Answers  1 by a model, 1 by a model, and recorded')
})

test('cases that did not run are counted, with the time that they took then', () => {
  const one = { source: 'replay', duration_seconds: 4, cached: true } as const
  const lines = summary(
    caseResult('a', { ...one, reused_from: '2026-02-22T14-30-00-000Z-aaaaaa' }),
    caseResult('b', { ...one, reused_from: '2026-02-23T14-30-00-000Z-bbbbbb' }),
    caseResult('c', { source: 'replay' }),
  )
  expect(lines).toContain(
    '     Cached  2 unchanged since 2026-02-22T14-30-00-000Z-aaaaaa and 1 later run, which took 8.0 s (run --no-cache plays them again)',
  )
  expect(lines).not.toContain('Reused')
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

test('a call of a scenario that failed is named, unless its case failed and shows it', () => {
  const notices = ['A tool call of the scenario failed: Read {"file_path":"/a"}: File does not exist.']
  const lines = summary(caseResult('a', { ...scenario, notices }), caseResult('b', { outcome: 'failed', notices }))
  expect(lines.split('\n').filter((line) => line.includes('scenario failed'))).toEqual([
    '   Scenario  a: A tool call of the scenario failed: Read {"file_path":"/a"}: File does not exist.',
  ])
})

test('models that each judge themselves are named as such, a single one is not', () => {
  const own = (model: string): Partial<CaseResult> => ({
    judge: { ...skippedJudge('It holds.'), result: 'passed', model, selfJudged: true },
  })
  const line = 'each of the 2 models judges itself; to compare them, name one judge for all with --judge'
  expect(summary(caseResult('a', own('one')), caseResult('b', own('two')))).toContain(line)
  expect(summary(caseResult('a', own('one')), caseResult('b', own('one')))).not.toContain('judges itself')
})

test('of several packages, such as the plugins of a marketplace, each is named with its own cases', () => {
  const of = (name: string, ...results: readonly CaseResult[]): Report => ({
    ...report(...results),
    package: { name, version: null },
  })
  const reports = [
    { report: of('alpha', caseResult('a'), caseResult('b', { outcome: 'failed', reason: 'x' })), path: 'alpha/r.json' },
    { report: of('beta', caseResult('c')), path: null },
  ]
  expect(formatSummary(reports, { color: false }).filter((line) => line.includes('Report'))).toEqual([
    '     Report  alpha: 1 failed | 1 passed (2)  alpha/r.json',
    '     Report  beta: 1 passed (1)',
  ])
  // Two engines of one package are no two packages.
  const engines = [of('alpha', caseResult('a')), of('alpha', caseResult('a', { engineName: 'codex' }))]
  const shown = engines.map((one, index) => ({ report: one, path: `${index}.json` }))
  expect(formatSummary(shown, { color: false }).filter((line) => line.includes('Report'))).toEqual([
    '     Report  0.json',
    '     Report  1.json',
  ])
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

test('says what decided the runs of queries, and why some were full sessions', () => {
  const run = (decided: RunDecision): CaseResult['runs'][number] => summarizeRun(agentRun(), 1, null, { decided })
  const differ = 'the first requests of two sessions differ in body.messages.1, character 9: "a\u001B[31m" and "b"'
  const full = run({ by: 'full', because: differ })
  const reasons = ['one', 'two', 'three', 'four'].map((because) => run({ by: 'full', because }))
  const lines = summary(
    caseResult('a', { ...scenario, runs: [full, full] }),
    caseResult('b', { ...scenario, runs: [run({ by: 'probe', because: null }), ...reasons] }),
  )
  expect(
    lines
      .split('\n')
      .filter((line) => /Decided|full:|and 2 more/.test(line))
      .join('\n'),
  ).toMatchInlineSnapshot(`
    "    Decided  1 query run by the first model turn, 6 query runs by a full session
                 2 full: the first requests of two sessions differ in body.messages.1, character 9: "a\\x1b[31m" and "b"
                 1 full: one
                 1 full: two
                 and 2 more"
  `)
})

test('what scenarios answered is marked as scripted, with no precision and no recall', () => {
  const trigger: NonNullable<CaseResult['trigger']> = {
    skill: 'notes',
    should_trigger: true,
    runs: 1,
    completed: 1,
    fired: 1,
    fired_in_sub_agent: 0,
    errors: 0,
    timeouts: 0,
    rate: 1,
    interval: [0.2, 1],
    threshold: 0.5,
    fired_instead: [],
    internal: { query: 'Write.', firedInstead: [] },
  }
  const scripted = caseResult('a', { ...scenario, trigger })
  const copied = { at: '2026-01-01', origin: 'scenario', engine_version: null }
  const replayed = caseResult('b', { source: 'replay', recorded: copied, trigger })
  const only = summary(scripted, replayed)
  expect(only).toContain('Triggers  2 queries with scripted answers, which measure no model')
  expect(only).not.toMatch(/precision|recall/)
  const mixed = summary(scripted, caseResult('c', { trigger }))
  expect(mixed).toMatch(
    /Triggers {2}precision 100% \(1 of 1 runs\), recall 100% \(1 of 1 runs\)\n +1 query with scripted/,
  )
})

const statement = (rests: 'claim' | 'evidence', kind: 'either' | null = 'either'): JudgedStatement => ({
  text: 'It ran the tests.',
  verdict: 'pass',
  reason: 'It says so.',
  quote: 'I ran the tests.',
  quoteFoundIn: 'output',
  rests,
  ...(kind === null ? {} : { kind: { about: kind, absent: false, by: 'judge' } }),
  agreement: { agree: 1, of: 1 },
})

const judged = (...statements: readonly JudgedStatement[]): Partial<CaseResult> => ({
  judge: { ...skippedJudge('All hold.'), result: 'passed', statements },
})

test('claims are counted in report and summary', () => {
  const claiming = report(
    caseResult('a', judged(statement('claim'))),
    // Where nobody said what it is about, a person wrote the verdict.
    caseResult('b', judged(statement('claim', null), statement('evidence'))),
  )
  expect(claiming.judge.claims).toBe(1)
  expect(claiming.cases[0]?.expectations?.[0]).toMatchObject({ rests: 'claim' })
  const lines = formatSummary([{ report: claiming, path: 'r.json' }], { color: false }).join('\n')
  expect(lines).toContain("Judge  1 verdict rests only on the agent's own words")
})

test('what is in quarantine is never hidden', () => {
  const lines = summary(
    caseResult('a', scenario),
    caseResult('b', { ...scenario, quarantined: true }),
    caseResult('c', { outcome: 'failed', reason: 'no text', source: 'scenario', quarantined: true }),
  )
  expect(lines.split('\n').slice(0, 5).join('\n')).toMatchInlineSnapshot(`
    "Agent Evals  1 failed | 2 passed (3)
      Pass Rate  67% (2 of 3)
     Quarantine  2 cases gate nothing: 1 passed, 1 failed
                 c: failed. no text
                 b: passed"
  `)
})
