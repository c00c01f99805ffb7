import { expect, test, vi } from 'vitest'
import { formatComparison } from '../../../../src/report/compare/format-comparison.ts'
import { compare } from '../../../../src/report/compare/compare.ts'
import type { Comparison } from '../../../../src/report/compare/comparison-schema.ts'
import { readReport, type ReadReport } from '../../../../src/report/read-report.ts'
import { print } from '../../../../src/report/summary/terminal.ts'
import { withInputTable } from '../../../support/input-table.ts'

const hash = (role: string, value: string) => ({ role, path: `evals/cases/${role}`, hash: value })
const HASHES = ['case', 'prompt', 'checks', 'criteria', 'judge-prompt'].map((role) => hash(role, '1'))

function evalCase(name: string, given: object = {}): object {
  return {
    id: name,
    name,
    verdict: 'PASS',
    source: 'live',
    hashes: HASHES,
    duration_seconds: 43.4,
    cost_usd: 0.004,
    usage: { input_tokens: 4000, output_tokens: 115, cache_read_tokens: 0, cache_write_tokens: 0 },
    ...given,
  }
}

function report(cases: readonly object[], given: object = {}): ReadReport {
  const timestamp = '2026-02-22T14:30:00Z'
  const written = { version: 1, agent_evals_version: '0.2.0', timestamp, status: 'complete', ...withInputTable(cases) }
  return readReport({ ...written, ...given }, 'report.json')
}

const FAILED = { verdict: 'FAIL', error: 'output does not contain "Page 1"' }
const of = (model: string): object => ({ agent: { model } })
const comparison = compare(
  report(
    [
      evalCase('hook\u001B[2Jevil', of('claude-sonnet-4')),
      evalCase('a-steady-case'),
      evalCase('mended', FAILED),
      evalCase('gone'),
      evalCase('asks-more'),
      evalCase('lost'),
    ],
    { summary: { cost_usd: 0.02 } },
  ),
  report(
    [
      evalCase('hook\u001B[2Jevil', { ...of('claude-opus-4'), ...FAILED }),
      evalCase('a-steady-case'),
      evalCase('mended', { hashes: [...HASHES, { role: 'skill', path: 'skills/pdf/SKILL.md', hash: '2' }] }),
      evalCase('asks-more', { ...FAILED, hashes: [...HASHES.slice(0, 4), hash('judge-prompt', '2')] }),
      evalCase('lost', { verdict: 'ERROR', error: 'The API broke.' }),
      evalCase('added'),
    ],
    { summary: { cost_usd: 0.03, unknown_cost_cases: 1 }, status: 'partial' },
  ),
)

function shown(given: Partial<Comparison> = {}): readonly string[] {
  const layout = { paint: (_: unknown, text: string) => text, paths: ['old.json', 'new.json'], decides: false } as const
  return formatComparison({ ...comparison, ...given }, layout)
}

test('what got worse comes first, and nothing of a report reaches the terminal as a command', () => {
  expect(shown().join('\n')).toMatchInlineSnapshot(`
    "Before  old.json  2026-02-22T14:30:00Z
    After   new.json  2026-02-22T14:30:00Z, partial

    What differs
      model  claude-sonnet-4  →  claude-opus-4
      added  skill  skills/pdf/SKILL.md

    What 3 cases with 3 and 3 runs can show
      No single case can fail: p = 1 at best after Holm over 3 cases.
      This gate cannot fail: with so few runs the pooled test never reaches the level 0.05. Run more cases, or each more often (--runs).

    Tested (3)
      ↓ hook\\x1b[2Jevil  passed, 1 of 1, $0.004, 43 s  →  failed, 0 of 1, $0.004, 43 s  -100 points (-100 points to +12 points)  p = 0.5, 1 after Holm
          output does not contain "Page 1"
      = a-steady-case    passed, 1 of 1, $0.004, 43 s  →  passed, 1 of 1, $0.004, 43 s  0 points (-79 points to +79 points)
      ↑ mended           failed, 0 of 1, $0.004, 43 s  →  passed, 1 of 1, $0.004, 43 s  +100 points (-12 points to +100 points)
          before: output does not contain "Page 1"

    Not tested (3)
      ? gone       missing  passed, 1 of 1, $0.004, 43 s  →  -                             it is in the report before, and not in the one after
      ? asks-more  changed  passed, 1 of 1, $0.004, 43 s  →  failed, 0 of 1, $0.004, 43 s  it asks something else: judge's prompt
          output does not contain "Page 1"
      ? lost       errored  passed, 1 of 1, $0.004, 43 s  →  errored                       The API broke.

    Says nothing of a regression (1)
      ? added  new  -  →  passed, 1 of 1, $0.004, 43 s  it is not in the report before

    All tested cases together
      before       67% (2 of 3 runs; 95% interval 21% to 94%)
      after        67% (2 of 3 runs; 95% interval 21% to 94%)
      pooled test  p = 0.75, one-sided, exact, by case

    Over the 3 cases decided in both, with the same inputs
      pass rate        67% (2 of 3)  →  67% (2 of 3)
      time             2 min 10 s    →  2 min 10 s
      cost             $0.01         →  $0.01
      cost of the run  $0.02         →  $0.03 + unknown for 1 case
      tokens           12,345        →  12,345

    Undecided: 3 cases could not be tested."
  `)
})

test('nothing to compare is said', () => {
  expect(
    formatComparison(compare(report([]), report([])), {
      paint: (_, text) => text,
      paths: ['a', 'b'],
      decides: false,
    }).slice(2),
  ).toEqual([
    '',
    'Same model, engine, versions and files, as far as the reports show.',
    '',
    'No case was decided in both reports and can be tested, so nothing is known.',
    'Undecided: no case could be tested.',
  ])
})

test('says how runs and lift differ', () => {
  const flaky = (passed: number): object => evalCase('flaky', { ...FAILED, repeats: { passed, completed: 5 } })
  const rate = { passed: 1, completed: 1, rate: 1, interval: null }
  const lift = [
    { target: 'skill:pdf', cases: 6, with_skill: rate, without_skill: rate, difference: 0.5, p_value: 0.031 },
  ]
  const { totals, lift: compared } = compare(report([flaky(2)], { lift }), report([flaky(4)]))
  const lines = shown({ totals, lift: compared })
  expect(lines.filter((line) => /runs  |lift/.test(line)).map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['several runs', 'pass@5 100%, pass^5 0%', '→', 'pass@5 100%, pass^5 0%'],
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
    print(
      formatComparison(
        { ...comparison, edits },
        { paint: (_, text) => text, paths: ['::error::a', 'b'], decides: true },
      ),
    )
    const printed = String(write.mock.calls[0]?.[0])
    expect(printed).toContain('changed')
    expect(printed).not.toMatch(/^\s*::|##\[|[\u001B\u202E]/m)
  } finally {
    write.mockRestore()
  }
})

test('what reports call their files is plain text', () => {
  const edits = [{ role: '::error::pwned \u001b[31mred\nline', path: 'a\u001b]0;x\u0007', change: 'removed' as const }]
  const lines = shown({ edits })
  expect(lines.filter((line) => line.includes('pwned'))).toHaveLength(1)
  expect(lines.join('')).not.toMatch(/[\u0000-\u001f]/)
})

test('a changed text is shown as a difference of its lines, however far below the change is', () => {
  const lines = Array.from({ length: 90 }, (_, index) => `Line ${index + 1}.`)
  const text = (path: string, before: string, after: string): Comparison['texts'][number] => ({
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
  const printed = formatComparison(
    { ...comparison, made_with: [], edits: [], texts },
    {
      paint: (style, line) => (style === 'red' || style === 'green' ? `${style}${line}` : line),
      paths: ['a', 'b'],
      decides: true,
    },
  )
  expect(printed.slice(printed.indexOf('What differs'), printed.indexOf('', 3))).toEqual([
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
  ])
})
