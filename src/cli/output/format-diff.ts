import stringWidth from 'string-width'
import { percent } from '../../lib/rates.ts'
import { plural, toPrintableLine } from '../../lib/text.ts'
import { describeCost } from '../../gateway/budget/spending.ts'
import { formatSeconds, formatTable, fitColumns } from '../../report/summary/table.ts'
import type { Paint, PaintStyle } from '../../report/summary/terminal.ts'
import { VERDICTS, type Outcome } from '../../report/results/result.ts'
import type { CaseChange, CaseDiff, DiffSide, ReportDiff } from '../../report/diff/diff.ts'
import type { LiftDiff, RunsSide } from '../../report/diff/diff-provenance.ts'

/** How a comparison is shown. */
export interface DiffLayout {
  readonly paint: Paint
  /** Columns of the terminal. */
  readonly width: number
  /** Paths of the two reports, as they were given. */
  readonly paths: readonly [a: string, b: string]
}

/** Two reports side by side: what they were made with, then the cases, what got worse first. */
export function formatDiff(diff: ReportDiff, layout: DiffLayout): readonly string[] {
  const { paint } = layout
  const blocks = [
    formatSides(diff, layout),
    formatProvenance(diff, layout),
    ...SECTIONS.map((section) => formatSection(section, diff.cases, layout)),
    formatRates(diff, paint),
    diff.notices.map((notice) => paint('yellow', toPrintableLine(notice))),
  ]
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : ['', ...block]))
}

function formatSides({ a, b }: ReportDiff, { paint, paths }: DiffLayout): readonly string[] {
  const row = (name: string, side: DiffSide, path: string): readonly string[] => [
    paint('bold', name),
    toPrintableLine(path),
    paint(
      'dim',
      [
        side.timestamp,
        plural(side.total, 'case'),
        side.status === 'complete' ? null : side.status,
        formatCost(side.run_cost),
      ]
        .filter(Boolean)
        .map((part) => toPrintableLine(String(part)))
        .join(', '),
    ),
  ]
  return formatTable([row('A', a, paths[0]), row('B', b, paths[1])])
}

function formatProvenance({ differences, edits }: ReportDiff, { paint, width }: DiffLayout): readonly string[] {
  if (differences.length === 0 && edits.length === 0)
    return [paint('dim', 'Same model, engine, versions and files, as far as the reports show.')]
  const value = (text: string | null): string => (text === null ? paint('dim', 'unknown') : toPrintableLine(text))
  const rows = differences.map(({ what, a, b }) => [
    `  ${toPrintableLine(what)}`,
    value(a),
    paint('dim', '→'),
    value(b),
  ])
  const shown = edits
    .slice(0, MOST_EDITS)
    .map(({ role, path, change }) => [
      `  ${toPrintableLine(role)}`,
      fitColumns(toPrintableLine(path), Math.max(20, width - 30)),
      change,
    ])
  const rest = edits.length - shown.length
  return [
    ...(rows.length === 0 ? [] : [paint('bold', 'Made with'), ...formatTable(rows)]),
    ...(shown.length === 0 ? [] : [paint('bold', 'Files'), ...formatTable(shown)]),
    ...(rest === 0 ? [] : [paint('dim', `  and ${plural(rest, 'file')} more`)]),
  ]
}

interface Section {
  readonly title: string
  readonly style: PaintStyle
  readonly mark: string
  readonly changes: readonly CaseChange[]
  /** Whether it is of the cases that ask something else. */
  readonly asksDifferently?: boolean
}

function formatSection(section: Section, all: readonly CaseDiff[], { paint, width }: DiffLayout): readonly string[] {
  const cases = all.filter(
    ({ change, asks_differently: asks }) =>
      asks.length > 0 === (section.asksDifferently ?? false) && section.changes.includes(change),
  )
  if (cases.length === 0) return []
  // One width for all sections, so that the outcomes stand below each other.
  const nameWidth = Math.min(MOST_NAME, Math.max(...all.map(({ name }) => stringWidth(toPrintableLine(name)))))
  const rows = cases.map((one) => [
    `  ${paint(section.style, section.mark)} ${padded(toPrintableLine(one.name), nameWidth)}`,
    formatOutcome(one.a?.outcome, paint),
    paint('dim', '→'),
    formatOutcome(one.b?.outcome, paint),
    paint('dim', fitColumns(toPrintableLine(noteOf(one)), Math.max(30, width - 60))),
  ])
  return [paint('bold', `${section.title} (${cases.length})`), ...formatTable(rows)]
}

function padded(name: string, width: number): string {
  return `${name}${' '.repeat(Math.max(0, width - stringWidth(name)))}`
}

function noteOf(one: CaseDiff): string {
  const state = one.quarantined === null ? '' : 'in quarantine; '
  return `${state}${whyOf(one)}`
}

function whyOf(one: CaseDiff): string {
  const { asks_differently: asks, a, b, runs_p_value: p } = one
  if (asks.length === 0 && p !== null && a?.runs != null && b?.runs != null)
    return `${a.runs.passed} of ${a.runs.completed} → ${b.runs.passed} of ${b.runs.completed} runs, Fisher's exact p = ${p}`
  if (asks.length > 0) return `other ${asks.join(', ')}`
  if (b !== null && b.outcome !== 'passed') return b.error ?? ''
  return a?.error === null || a?.error === undefined ? '' : `was: ${a.error}`
}

function formatOutcome(outcome: Outcome | undefined, paint: Paint): string {
  if (outcome === undefined) return paint('dim', '-')
  return paint(STYLES[outcome], VERDICTS[outcome])
}

function formatRates({ a, b, compared, lift }: ReportDiff, paint: Paint): readonly string[] {
  if (compared === 0)
    return [
      paint('yellow', 'No case with the same inputs was decided in both reports, so there is nothing to compare.'),
    ]
  const rate = ({ passed }: DiffSide): string => `${percent(passed / compared)} (${passed} of ${compared})`
  const rows = [
    ['pass rate', rate(a), rate(b)],
    ['time', formatSeconds(a.duration_seconds), formatSeconds(b.duration_seconds)],
    ['cost', formatCost(a), formatCost(b)],
    ['tokens', formatTokens(a.tokens), formatTokens(b.tokens)],
    ...formatRuns(a.runs, b.runs),
    ...lift.map(({ target, a: before, b: after }) => [
      `lift ${toPrintableLine(target)}`,
      formatLift(before),
      formatLift(after),
    ]),
  ].filter(([, before, after]) => before !== UNKNOWN || after !== UNKNOWN)
  return [
    paint('bold', `Over the ${plural(compared, 'case')} decided in both, with the same inputs`),
    ...formatTable(rows.map(([what = '', before = '', after = '']) => [`  ${what}`, before, paint('dim', '→'), after])),
  ]
}

function formatCost({ cost_usd: usd, unknown_cost_cases: unknownCases }: DiffSide['run_cost']): string {
  return describeCost({ usd, unknownCases })
}

function formatRuns(a: RunsSide | null, b: RunsSide | null): readonly (readonly string[])[] {
  if (a === null && b === null) return []
  const sides = (words: (side: RunsSide) => string): readonly string[] =>
    [a, b].map((side) => (side === null ? UNKNOWN : words(side)))
  return [
    ['runs passed', ...sides(describeRuns)],
    ['', ...sides(({ k, pass_at_k: share }) => `pass@${k} ${percent(share)}`)],
    ['', ...sides(({ k, pass_all_k: share }) => `pass^${k} ${percent(share)}`)],
  ]
}

function describeRuns({ passed, completed, interval: [low, high] }: RunsSide): string {
  return `${passed} of ${completed} (${percent(low)} to ${percent(high)})`
}

function formatLift(lift: LiftDiff['a']): string {
  if (lift === null || lift.difference === null) return UNKNOWN
  return `${lift.difference > 0 ? '+' : ''}${formatPoints(lift.difference)} over ${plural(lift.cases, 'case')}, sign test p = ${lift.p_value ?? UNKNOWN}`
}

function formatPoints(share: number | null): string {
  return share === null ? UNKNOWN : `${Math.round(share * 100)} points`
}

function formatTokens(tokens: number | null): string {
  return tokens === null ? UNKNOWN : tokens.toLocaleString('en-US')
}

const UNKNOWN = formatSeconds(null)
const MOST_EDITS = 20
const MOST_NAME = 48
const STYLES = { passed: 'green', failed: 'red', errored: 'yellow', skipped: 'dim' } as const
const SECTIONS: readonly Section[] = [
  { title: 'Regressions', style: 'red', mark: '✗', changes: ['regression'] },
  { title: 'Fixes', style: 'green', mark: '✓', changes: ['fix'] },
  { title: 'No longer decided', style: 'yellow', mark: '?', changes: ['lost'] },
  { title: 'Decided again', style: 'blue', mark: '·', changes: ['recovered'] },
  { title: 'Decided in neither', style: 'yellow', mark: '?', changes: ['undecided'] },
  { title: 'Only in B', style: 'blue', mark: '+', changes: ['added'] },
  { title: 'Only in A', style: 'blue', mark: '-', changes: ['removed'] },
  { title: 'The same', style: 'dim', mark: '=', changes: ['same'] },
  {
    title: 'Not compared: other inputs',
    style: 'yellow',
    mark: '≠',
    changes: ['regression', 'fix', 'lost', 'recovered', 'undecided', 'same'],
    asksDifferently: true,
  },
]
