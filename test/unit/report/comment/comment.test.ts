import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatComment, MARKER } from '../../../../src/report/comment/comment.ts'
import { fitComment, inert, link } from '../../../../src/report/comment/markdown.ts'
import { checkBudgets } from '../../../../src/report/compare/verdicts.ts'
import { compare, withBudgets } from '../../../../src/report/compare/compare.ts'
import { parseReport, type ReadReport } from '../../../../src/report/read-report.ts'
import { toPrintableLine } from '../../../../src/lib/text.ts'
import { HOSTILE } from '../../../support/hostile-texts.ts'

const MARKUP = [
  ...HOSTILE,
  '| a | b |',
  '`code` ``x``',
  '@octocat and octo@example.com',
  '#1 GH-1 owner/repo#2 0123456789abcdef0123456789abcdef01234567',
  '[link](https://example.invalid) ![image](https://example.invalid/x.png) <https://example.invalid>',
  'https://example.invalid www.example.invalid',
  '- item\n\n# heading\n***\n> quote\n```\nfence\n```\n| x |\n|---|',
  '    indented  twice  ',
  ':tada: ~~gone~~ **bold** _it_ $x$ \\* &amp; &#60;',
  'x'.repeat(100_000),
]

/** A report whose cases all have the same text wherever a text can be. */
function reportOf(text: string, cases: readonly object[], rest: object = {}): ReadReport {
  const written = cases.map((one, at) => ({
    id: `evals/cases/${at}.yaml#${at}`,
    name: text,
    verdict: 'PASS',
    source: 'live',
    error: text,
    file: text,
    line: 1,
    agent_output_snippet: text,
    runs: [{ index: 1, skills_used: [] }],
    cost: { known_usd: 1 },
    ...one,
  }))
  return parseReport(
    JSON.stringify({
      version: 1,
      agent_evals_version: '0.2.0',
      timestamp: '2026-11-01T00:00:00Z',
      status: 'complete',
      cases: written,
      summary: { cost_usd: 0.5, unknown_cost_cases: 1 },
      ...rest,
    }),
    'report.json',
  )
}

function comment(before: ReadReport | null, after: ReadReport, more: object = {}): string {
  const comparison = before === null ? null : { ...compare(before, after), ...more }
  return formatComment({ reports: [after], comparison, decides: true, recordings: [], url: null, ...more })
}

const rated = (passed: number, completed: number): object => ({
  verdict: passed === completed ? 'PASS' : 'FAIL',
  repeats: { passed, completed },
})

test('regressions and fixes come with reason, quote and interval, and the cost says what is unknown', () => {
  const quoted = [{ text: 't', result: 'FAIL', evidence: [{ item: 'm1', quote: 'Goodbye' }], reason: 'r' }]
  const before = reportOf('greets', [rated(10, 10), rated(0, 10), rated(5, 10)])
  const after = reportOf('greets', [{ ...rated(0, 10), expectations: quoted }, rated(10, 10), rated(5, 10)])
  const text = comment(before, after, {
    edits: [{ role: 'skill', path: 'skills/a/SKILL.md', change: 'changed' }],
    texts: [{ path: 'a', part: 'description', before: 'old', after: 'new', seen: true }],
    url: 'https://github.com/o/r/actions/runs/1#artifacts',
  })
  expect(text.split('\n')[0]).toBe(MARKER)
  expect(text).toContain('### Agent evals: 1 regression, 1 fix, 1 passed, 2 failed')
  expect(text).toContain('**Gate failed.** The cases are worse by more than noise.')
  expect(text).toMatch(
    /#### Regressions \(1\)\n\n- <code>greets<\/code>: 10 of 10 → 0 of 10, -100 points \(-100 points to -\d+ points\), \*\*beyond noise by itself\*\*\n {2}- <code>greets<\/code>\n {2}- Quote: <code>Goodbye<\/code>/,
  )
  expect(text).toMatch(/#### Fixes \(1\)\n\n- <code>greets<\/code>: 0 of 10 → 10 of 10, \+100 points/)
  expect(text).toMatch(/\| runs passed \| 50% \(15 of 30 runs; 95% interval \d+% to \d+%\) \| 50% /)
  expect(text).toContain('Cost of the whole run: $0.50 + unknown for 1 case.')
  expect(text).toContain('- changed: <code>skill skills&#47;a&#47;SKILL&#46;md</code>')
  expect(text).toContain(
    'description&#44; a</code>; the model saw it\n  - before: <code>old</code>\n  - after: <code>new</code>',
  )
  expect(text).toContain('[Report page and artifacts](https://github.com/o/r/actions/runs/1#artifacts)')
})

test('scripted answers have no interval', () => {
  const scripted = { source: 'scenario' }
  const before = reportOf('a', [{ ...rated(10, 10), ...scripted }])
  const text = comment(before, reportOf('a', [{ ...rated(0, 10), ...scripted }]))
  expect(text).toContain('10 of 10 → 0 of 10, -100 points, **beyond')
  expect(text).toContain('100% (10 of 10 runs)')
  expect(text).not.toContain('interval')
  const alone = comment(null, reportOf('a', [scripted, { ...scripted, verdict: 'FAIL' }]))
  expect(alone).toContain('| pass rate | 50% (1 of 2 cases) |')
  expect(comment(null, reportOf('a', [{}]))).toContain('100% (1 of 1 cases; 95% interval 21% to 100%)')
})

test('a limit, what could not be tested and a case in quarantine are named', () => {
  const before = reportOf('a', [{}, {}, {}])
  const after = reportOf('a', [{ verdict: 'FAIL', quarantined: true }, { verdict: 'ERROR' }])
  const budgets = checkBudgets([after], { passRate: 0.9, costUsd: 1 })
  const text = comment(before, after, { comparison: withBudgets(compare(before, after), budgets, after) })
  expect(text).toContain('**Gate undecided:** 2 cases could not be tested.')
  expect(text).toContain('**Budgets undecided: pass rate, cost.**')
  expect(text).toMatch(/- ❔ cost: \$0\.50; at most \$1\.00; the cost of 1 case is not known/)
  expect(text).toContain('#### Not tested (2)')
  expect(text).toMatch(/#### In quarantine, which gates nothing \(1\)\n\n- <code>a<\/code>: failed/)
})

test.each(MARKUP)('%j is text wherever it stands', (text) => {
  const changes = {
    edits: [{ role: text, path: text, change: 'added' }],
    texts: [{ path: text, part: text, before: text, after: text, seen: null }],
    recordings: [text],
  }
  const written = comment(
    reportOf(text, [{}, { verdict: 'FAIL' }]),
    reportOf(text, [{ verdict: 'FAIL' }, {}, { verdict: 'ERROR' }]),
    changes,
  )
  // All that is left without the code and our own words is the skeleton of the comment.
  const skeleton = written.replaceAll(/<code>[^<>]*<\/code>/g, 'X')
  const plain = comment(
    reportOf('a', [{}, { verdict: 'FAIL' }]),
    reportOf('a', [{ verdict: 'FAIL' }, {}, { verdict: 'ERROR' }]),
    {
      edits: [{ role: 'a', path: 'a', change: 'added' }],
      texts: [{ path: 'a', part: 'a', before: 'a', after: 'a', seen: null }],
      recordings: ['a'],
    },
  ).replaceAll(/<code>[^<>]*<\/code>/g, 'X')
  expect(skeleton).toBe(plain)
  for (const [, inside = ''] of written.matchAll(/<code>([^<>]*)<\/code>/g))
    expect(inside.replaceAll(/&#\d+;/g, 'E')).toMatch(/^(?:[a-zA-Z0-9]|(?!  ) |[^\u0000-\u007F])*$/)
})

test('inert text shows exactly its characters', () => {
  const decode = (html: string): string =>
    html.replaceAll('&#8203;', '').replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), (text) => {
      const line = toPrintableLine(text.trim())
      expect(decode(inert(text, 1000))).toBe(line === '' ? '' : `<code>${line}</code>`)
    }),
  )
})

test('a comment is never longer than its host takes, and says what was cut', () => {
  const worst = '@'.repeat(400)
  const many = Array.from({ length: 300 }, () => ({ verdict: 'FAIL' }))
  const text = comment(
    reportOf(
      worst,
      many.map(() => ({})),
    ),
    reportOf(worst, many),
  )
  expect(text.length).toBeLessThanOrEqual(65_536)
  expect(text.length).toBeGreaterThan(50_000)
  expect(text).toContain('#### Regressions (300)')
  const shown = text.split('\n').filter((line) => line.startsWith('- ')).length
  expect(text).toContain(`_Left out here, and in the report: ${300 - shown} of 300 regressions._`)
  expect(text.endsWith('_\n')).toBe(true)
  const cut = fitComment(['head'], [{ title: 'A', nouns: 'as', items: ['- 1', '- 2'] }], 1030)
  expect(cut).toBe('head\n\n#### A (2)\n\n- 1\n- 2\n')
  expect(fitComment(['head'], [{ title: 'A', nouns: 'as', items: ['- 1', '- 2'] }], 1025)).toContain('1 of 2 as')
})

test.each([
  ['https://github.com/o/r/actions/runs/1#artifacts', true],
  ['https://git.example.com:8443/g/p/-/jobs/1/artifacts/browse', true],
  ['javascript:alert(1)', false],
  ['https://example.com/a)[x](https://evil.example', false],
  ['https://example.com/a\nb', false],
])('the address %j is linked: %o', (url, isLinked) => {
  expect(link('page', url) !== null).toBe(isLinked)
})
