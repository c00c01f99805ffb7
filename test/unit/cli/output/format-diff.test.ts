import { expect, test, vi } from 'vitest'
import { formatDiff } from '../../../../src/cli/output/format-diff.ts'
import { formatVersions } from '../../../../src/report/gate/format-gate.ts'
import { print } from '../../../../src/report/summary/terminal.ts'
import type { CaseDiff, DiffSide, ReportDiff } from '../../../../src/report/diff/diff.ts'

const side = (passed: number): DiffSide => ({
  id: 'x',
  timestamp: '2026-02-22T14:30:00Z',
  status: 'complete',
  total: 4,
  passed,
  pass_rate: passed / 3,
  duration_seconds: 130.4,
  cost_usd: 0.004,
  tokens: 12_345,
  runs: null,
  unknown_cost_cases: 0,
  run_cost: { cost_usd: 0.01, unknown_cost_cases: 0 },
})

function entry(name: string, given: Partial<CaseDiff> = {}): CaseDiff {
  const passed = { outcome: 'passed' as const, error: null, duration_seconds: 1, cost_usd: 0, runs: null }
  return {
    name,
    id: name,
    target: null,
    change: 'same',
    runs_p_value: null,
    asks_differently: [],
    quarantined: null,
    a: passed,
    b: passed,
    ...given,
  }
}

const failed = {
  outcome: 'failed' as const,
  error: 'output does not contain "Page 1"',
  duration_seconds: 1,
  cost_usd: 0,
  runs: null,
}

const diff: ReportDiff = {
  version: 1,
  a: side(2),
  b: side(1),
  differences: [
    { what: 'model', a: 'claude-sonnet-4', b: 'claude-opus-4' },
    { what: 'CLI version', a: null, b: 'claude-code 2.1.330' },
  ],
  edits: [{ role: 'skill', path: 'skills/pdf/SKILL.md', change: 'changed' }],
  compared: 3,
  lift: [],
  regressions: 1,
  fixes: 0,
  cases: [
    entry('hook\u001B[2Jevil', { change: 'regression', b: failed }),
    entry('a-steady-case'),
    entry('gone', { change: 'removed', b: null }),
    entry('asks-more', {
      change: 'regression',
      b: failed,
      asks_differently: ['criteria', 'fixture evals/fixtures/a.pdf'],
    }),
  ],
  notices: ['No case is in both reports.'],
}

test('what got worse comes first, and nothing of a report reaches the terminal as a command', () => {
  const lines = formatDiff(diff, { paint: (_, text) => text, width: 120, paths: ['old.json', 'new.json'] })
  expect(lines.join('\n')).toMatchInlineSnapshot(`
    "A  old.json  2026-02-22T14:30:00Z, 4 cases, $0.01
    B  new.json  2026-02-22T14:30:00Z, 4 cases, $0.01

    Made with
      model        claude-sonnet-4  →  claude-opus-4
      CLI version  unknown          →  claude-code 2.1.330
    Files
      skill  skills/pdf/SKILL.md  changed

    Regressions (1)
      ✗ hook\\x1b[2Jevil  PASS  →  FAIL  output does not contain "Page 1"

    Only in A (1)
      - gone             PASS  →  -

    The same (1)
      = a-steady-case    PASS  →  PASS

    Not compared: other inputs (1)
      ≠ asks-more        PASS  →  FAIL  other criteria, fixture evals/fixtures/a.pdf

    Over the 3 cases decided in both, with the same inputs
      pass rate  67% (2 of 3)  →  33% (1 of 3)
      time       2 min 10 s    →  2 min 10 s
      cost       $0.004        →  $0.004
      tokens     12,345        →  12,345

    No case is in both reports."
  `)
})

test('nothing to compare is said', () => {
  const none = { ...diff, compared: 0, cases: [], differences: [], edits: [], notices: [] }
  expect(formatDiff(none, { paint: (_, text) => text, width: 80, paths: ['a', 'b'] }).slice(2)).toEqual([
    '',
    'Same model, engine, versions and files, as far as the reports show.',
    '',
    'No case with the same inputs was decided in both reports, so there is nothing to compare.',
  ])
})

test('says how runs and lift differ', () => {
  const runs = (passed: number): NonNullable<DiffSide['runs']> => ({
    passed,
    completed: 5,
    interval: [0.1, 0.9],
    k: 5,
    pass_at_k: 1,
    pass_all_k: 0,
  })
  const tally = (passed: number): CaseDiff['a'] => ({
    outcome: 'failed',
    error: 'x',
    duration_seconds: 1,
    cost_usd: 0,
    runs: { passed, completed: 5 },
  })
  const repeated: ReportDiff = {
    ...diff,
    a: { ...side(2), runs: runs(2) },
    b: { ...side(1), runs: runs(4) },
    lift: [{ target: 'skill:pdf', a: { cases: 6, difference: 0.5, p_value: 0.031 }, b: null }],
    cases: [entry('flaky', { a: tally(2), b: tally(4), runs_p_value: 0.524 })],
  }
  const lines = formatDiff(repeated, { paint: (_, text) => text, width: 160, paths: ['a', 'b'] })
  expect(lines.filter((line) => /runs|pass[@^]|lift/.test(line)).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['= flaky', 'FAIL', '→', 'FAIL', "2 of 5 → 4 of 5 runs, Fisher's exact p = 0.524"],
    ['runs passed', '2 of 5 (10% to 90%)', '→', '4 of 5 (10% to 90%)'],
    ['pass@5 100%', '→', 'pass@5 100%'],
    ['pass^5 0%', '→', 'pass^5 0%'],
    ['lift skill:pdf', '+50 points over 6 cases, sign test p = 0.031', '→', 'unknown'],
  ])
})

test.each([
  '::error::pwned',
  '  ::set-output name=x::y',
  '\u001B[31mred',
  '##[command]x',
  'a\n::error::b',
  '\u202Ertl',
])('the role %j of a file is no command to a terminal or to a CI log', (role) => {
  const edits = [{ role, path: role, change: 'changed' as const }]
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  try {
    print(formatDiff({ ...diff, edits }, { paint: (_, text) => text, width: 120, paths: ['::error::a', 'b'] }))
    const printed = String(write.mock.calls[0]?.[0])
    expect(printed).toContain('changed')
    expect(printed).not.toMatch(/^\s*::|##\[|[\u001B\u202E]/m)
  } finally {
    write.mockRestore()
  }
})

test('what reports call their files is plain text', () => {
  const edits = [{ role: '::error::pwned \u001b[31mred\nline', path: 'a\u001b]0;x\u0007', change: 'removed' as const }]
  const shown = [
    ...formatDiff({ ...diff, edits }, { paint: (_, text) => text, width: 100, paths: ['a.json', 'b.json'] }),
    ...formatVersions(
      [{ edits, texts: [] } as unknown as Parameters<typeof formatVersions>[0][number]],
      (_, text) => text,
    ),
  ]
  expect(shown.filter((line) => line.includes('pwned'))).toHaveLength(2)
  expect(shown.join('')).not.toMatch(/[\u0000-\u001f]/)
})

test('a changed text is shown as a difference of its lines, however far below the change is', () => {
  const lines = Array.from({ length: 90 }, (_, index) => `Line ${index + 1}.`)
  const text = (path: string, before: string, after: string): unknown => ({
    part: `body of ${path}`,
    path,
    before,
    after,
    seen: true,
  })
  const texts = [
    text('long.md', lines.join('\n'), [...lines.slice(0, 80), 'Changed.', ...lines.slice(81)].join('\n')),
    text('short.md', 'Old.', 'New.'),
  ]
  const against = { edits: [], texts } as unknown as Parameters<typeof formatVersions>[0][number]
  expect(
    formatVersions([against], (style, line) => (style === 'red' || style === 'green' ? `${style}${line}` : line)),
  ).toEqual([
    'What differs',
    '  body of long.md (long.md; the model saw it)',
    '      Line 78.',
    '      Line 79.',
    '      Line 80.',
    'red    - Line 81.',
    'green    + Changed.',
    '      Line 82.',
    '      Line 83.',
    '      Line 84.',
    '    ...',
    '  body of short.md (short.md; the model saw it)',
    'red    - Old.',
    'green    + New.',
    '',
  ])
})
