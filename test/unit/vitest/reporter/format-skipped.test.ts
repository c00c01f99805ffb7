import { expect, test } from 'vitest'
import { formatSkipped } from '../../../../src/vitest/reporter/format-skipped.ts'
import type { CaseResult } from '../../../../src/report/results/result.ts'
import { caseResult } from '../../../support/case-result.ts'

const settings = {
  command: 'npx vitest run --project evals',
  cwd: '/repo',
  root: '/repo',
  liveBlockedReason: null,
}

function skipped(name: string, reason: string, more: Partial<CaseResult> = {}): CaseResult {
  return caseResult(name, {
    outcome: 'skipped',
    reason,
    file: `evals/cases/${name}.yaml`,
    at: { line: 1, column: 1 },
    ...more,
  })
}

const missing = (name: string): CaseResult =>
  skipped(
    name,
    `It has no recording, and no scenario at evals/scenarios/${name}.yaml; no credential is set. Run it live: x`,
  )

test('what has nothing to play gets one command for all, and each other reason is said once', () => {
  const results = [
    caseResult('fine'),
    missing('a'),
    skipped('d', 'not-run: The budget of $1 is spent.'),
    missing('b'),
    skipped('e', 'not-run: The budget of $1 is spent.'),
    skipped('f', 'codex cannot do it'),
  ]
  expect(formatSkipped(results, settings).join('\n')).toMatchInlineSnapshot(`
    "    Skipped  2 without a recording or scenario (no credential is set): a, b
                 run and record them live:
                 npx vitest-agent-evals run --record evals/cases/a.yaml:1 evals/cases/b.yaml:1
                 d, e: not-run: The budget of $1 is spent.
                 f: codex cannot do it"
  `)
})

test('lines of golden tests have said theirs, and many reasons are cut', () => {
  expect(formatSkipped([skipped('a', 'test_id: missing', { format: 'golden' })], settings)).toEqual([])
  expect(formatSkipped([caseResult('fine')], settings)).toEqual([])
  const many = Array.from({ length: 7 }, (_, index) => skipped(`c${index}`, `reason ${index}`))
  expect(formatSkipped(many, settings).join('\n')).toMatchInlineSnapshot(`
    "    Skipped  c0: reason 0
                 c1: reason 1
                 c2: reason 2
                 c3: reason 3
                 c4: reason 4
                 and for 2 more reasons, named in the report"
  `)
  const watched = { ...settings, liveBlockedReason: 'runs from an editor only replay' }
  expect(
    formatSkipped(
      Array.from({ length: 9 }, (_, index) => missing(`m${index}`)),
      watched,
    )[0],
  ).toMatchInlineSnapshot(
    `"    Skipped  9 without a recording or scenario (runs from an editor only replay): m0, m1, m2, m3, m4, m5, m6, m7, and 1 more"`,
  )
})
