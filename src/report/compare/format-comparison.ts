import { comparedVerdict, OPEN, verdictOf } from './verdicts.ts'
import type { ArmOfCase, Comparison, GatedBudget, GatedCase, GateResult } from './comparison-schema.ts'
import {
  describeBudget,
  formatChange,
  formatP,
  formatPooledTest,
  formatRate,
  formatSeen,
  sayBudgets,
  sayVerdict,
  totalRows,
} from './words.ts'
import { plural, toPrintableLine, toPrintableMessage } from '../../lib/text.ts'
import { formatDollars, formatSeconds, formatTable, fitColumns } from '../summary/table.ts'
import { diffTexts } from '../../lib/text-diff.ts'
import type { Paint } from '../summary/terminal.ts'

/** How a comparison is shown. */
export interface ComparisonLayout {
  readonly paint: Paint
  /** What the two sides are called: the paths of the reports, or a ref. */
  readonly paths: readonly [before: string, after: string]
  /** Whether it is a gate: whether something fails by it. */
  readonly decides: boolean
}

/** A comparison for reading: what differs, what could be found, what was found, and what is not known. */
export function formatComparison(comparison: Comparison, layout: ComparisonLayout): readonly string[] {
  const { cases, plan, notices } = comparison
  const { paint, paths } = layout
  const having = (...statuses: readonly GatedCase['status'][]): readonly GatedCase[] =>
    cases.filter(({ status }) => statuses.includes(status))
  const blocks = [
    formatTable([
      formatSide('Before', comparison.before, paths[0], paint),
      formatSide('After', comparison.after, paths[1], paint),
    ]),
    formatDifferences(comparison, paint),
    plan.says.length === 0
      ? []
      : [
          paint(
            'bold',
            `What ${plural(plan.cases, 'case')} with ${plan.runs_before} and ${plan.runs_after} runs can show`,
          ),
          ...plan.says.map((line) => `  ${line}`),
        ],
    formatCases('Tested', having('compared'), paint),
    formatCases('Not tested', having(...OPEN), paint),
    formatCases('In quarantine, which gates nothing', having('quarantined'), paint),
    formatCases('Says nothing of a regression', having('new', 'undecided'), paint),
    formatPooled(comparison, paint),
    formatTotals(comparison, paint),
    formatBudgets(comparison.budgets, paint),
    [...notices.map((notice) => paint('yellow', toPrintableLine(notice))), formatVerdict(comparison, layout)],
  ]
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : ['', ...block]))
}

function formatSide(
  name: string,
  { timestamp, status }: GateResult['after'],
  path: string,
  paint: Paint,
): readonly string[] {
  const facts = [timestamp, status === 'complete' ? null : status].filter((fact) => fact !== null)
  return [paint('bold', name), toPrintableLine(path), paint('dim', toPrintableLine(facts.join(', ')))]
}

// What the two were made with, files, and texts for the model with whether it saw them.
function formatDifferences({ made_with: madeWith, edits, texts }: Comparison, paint: Paint): readonly string[] {
  const value = (text: string | null): string => (text === null ? paint('dim', UNKNOWN) : toPrintableLine(text))
  const facts = madeWith.map(({ what, before, after }) => [
    `  ${toPrintableLine(what)}`,
    value(before),
    paint('dim', '→'),
    value(after),
  ])
  const files = edits
    .slice(0, MOST_EDITS)
    .map(({ role, path, change }) => [`  ${change}`, toPrintableLine(role), toPrintableLine(path)])
  const lines = [
    ...formatTable(facts),
    ...formatTable(files),
    ...(edits.length > files.length ? [paint('dim', `  and ${plural(edits.length - files.length, 'file')} more`)] : []),
    ...texts.flatMap(({ part, path, before, after, seen }) => {
      return [
        `  ${toPrintableLine(part)} ${paint('dim', `(${toPrintableLine(path)}${formatSeen(seen)})`)}`,
        ...formatEdit(before ?? '', after ?? '', paint),
      ]
    }),
  ]
  if (lines.length === 0) return [paint('dim', 'Same model, engine, versions and files, as far as the reports show.')]
  return [paint('bold', 'What differs'), ...lines]
}

const MOST_EDITS = 20
const UNKNOWN = formatSeconds(null)

// Changed lines with three lines around each; what is left out between them is a line of dots.
function formatEdit(before: string, after: string, paint: Paint): readonly string[] {
  const lines = diffTexts(before, after)?.lines ?? []
  const near = lines.map((_, index) =>
    lines.slice(Math.max(0, index - AROUND), index + AROUND + 1).some(({ kind }) => kind !== 'same'),
  )
  const shown = lines.flatMap(({ kind, text }, index) => {
    if (near[index] !== true) return near[index - 1] === true ? [paint('dim', '    ...')] : []
    const line = `    ${SIGNS[kind]} ${fitColumns(toPrintableLine(text), MOST_COLUMNS)}`.trimEnd()
    return [kind === 'same' ? line : paint(kind === 'added' ? 'green' : 'red', line)]
  })
  const rest = shown.length - MOST_LINES
  return rest <= 0 ? shown : [...shown.slice(0, MOST_LINES), paint('dim', `    and ${plural(rest, 'line')} more`)]
}

const AROUND = 3
const SIGNS = { added: '+', removed: '-', same: ' ' } as const
const MOST_COLUMNS = 1000
const MOST_LINES = 60

/** The limits of a run for reading, and whether it keeps to them; empty where there are none. */
export function formatBudgets(budgets: readonly GatedBudget[], paint: Paint): readonly string[] {
  const verdict = verdictOf(budgets)
  if (verdict === null) return []
  const rows = budgets.map((budget) => {
    const [label, text] = describeBudget(budget)
    return [`  ${MARKS[budget.verdict](paint)} ${label}`, text]
  })
  return [paint('bold', 'Budgets'), ...formatTable(rows), paint(STYLES[verdict], sayBudgets(budgets))]
}

const MARKS: Readonly<Record<GatedBudget['verdict'], (paint: Paint) => string>> = {
  failed: (paint) => paint('red', '✗'),
  passed: (paint) => paint('green', '✓'),
  unknown: (paint) => paint('yellow', '?'),
}

// Worse first. Outcomes of cases that are not tested decide nothing, and must not be hidden.
function formatCases(title: string, all: readonly GatedCase[], paint: Paint): readonly string[] {
  if (all.length === 0) return []
  const cases = all.toSorted((one, other) => (one.change ?? 0) - (other.change ?? 0))
  const hasArms = cases.some(({ before, after }) => before !== null || after !== null)
  const hasChange = cases.some(({ change }) => change !== null)
  const notes = cases.map((one) => toPrintableMessage(one.why ?? describeP(one)).split('\n'))
  const rows = cases.map((one, index) => [
    `  ${mark(one, paint)} ${toPrintableLine(one.name)}`,
    ...(one.status === 'compared' || one.status === 'quarantined' ? [] : [one.status]),
    ...(hasArms ? [formatArm(one.before), paint('dim', '→'), formatArm(one.after)] : []),
    ...(hasChange ? [formatChange(one)] : []),
    notes[index]?.[0] ?? '',
  ])
  const lines = formatTable(rows).flatMap((row, index) => [
    row,
    ...(notes[index] ?? []).slice(1).map((line) => `      ${line}`.trimEnd()),
    ...formatReason(cases[index], paint),
  ])
  return [paint('bold', `${title} (${cases.length})`), ...lines]
}

function mark({ status, change, regressed }: GatedCase, paint: Paint): string {
  if (status !== 'compared') return paint('yellow', '?')
  if (regressed) return paint('red', '✗')
  return change === null || change === 0 ? paint('dim', '=') : change < 0 ? paint('yellow', '↓') : paint('green', '↑')
}

function describeP({ change, p_value: p, adjusted_p_value: adjusted }: GatedCase): string {
  return (change ?? 0) < 0 && p !== null ? `p = ${formatP(p)}, ${formatP(adjusted ?? 1)} after Holm` : ''
}

function formatArm(arm: ArmOfCase | null): string {
  if (arm === null) return '-'
  if (arm.completed === 0) return arm.outcome
  const runs = `${arm.passed} of ${arm.completed}`
  return `${arm.outcome}, ${runs}, ${formatDollars(arm.cost_usd)}, ${formatSeconds(arm.duration_seconds)}`
}

// Why it did not pass; of an errored case that is why it is not tested.
function formatReason(one: GatedCase | undefined, paint: Paint): readonly string[] {
  if (one === undefined || one.status === 'errored') return []
  const { before, after } = one
  const reason = after === null || after.outcome === 'passed' ? before?.error : after.error
  if (reason == null || one.why?.includes(reason) === true) return []
  const label = reason === after?.error ? '' : 'before: '
  return [paint('dim', `      ${label}${fitColumns(toPrintableLine(reason), MOST_REASON)}`)]
}

const MOST_REASON = 200

function formatPooled({ pooled }: Comparison, paint: Paint): readonly string[] {
  if (pooled === null) return []
  return [
    paint('bold', 'All tested cases together'),
    ...formatTable([
      ['  before', formatRate(pooled.before, 'runs')],
      ['  after', formatRate(pooled.after, 'runs')],
      ['  pooled test', formatPooledTest(pooled)],
    ]),
  ]
}

function formatTotals(comparison: Comparison, paint: Paint): readonly string[] {
  const rows = totalRows(comparison, toPrintableLine)
  if (rows.length === 0) return []
  return [
    paint('bold', `Over the ${plural(comparison.totals.cases, 'case')} decided in both, with the same inputs`),
    ...formatTable(rows.map(([what, before, after]) => [`  ${what}`, before, paint('dim', '→'), after])),
  ]
}

function formatVerdict(comparison: Comparison, { paint, decides }: ComparisonLayout): string {
  const culprits = comparison.cases.filter(({ regressed }) => regressed).map(({ name }) => toPrintableLine(name))
  const named = culprits.length === 0 ? [] : [`Worse by itself: ${culprits.join(', ')}.`]
  const text = [...sayVerdict(comparison, decides), ...named].filter((part) => part !== '').join(' ')
  return paint(STYLES[comparedVerdict(comparison)], text)
}

const STYLES = { failed: 'red', incomplete: 'yellow', passed: 'green' } as const
