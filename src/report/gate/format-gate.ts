import { describeBudget } from './compare-arms.ts'
import { compared, formatP, OPEN, verdictOf } from './gate.ts'
import type { ArmOfCase, GatedBudget, GatedCase, GateResult, ReportAgainst } from './gate-schema.ts'
import { boundsText, percent } from '../../lib/rates.ts'
import { plural, toPrintableLine, toPrintableMessage } from '../../lib/text.ts'
import { formatDollars, formatSeconds, formatTable, fitColumns } from '../summary/table.ts'
import { diffTexts } from '../../lib/text-diff.ts'
import type { Paint } from '../summary/terminal.ts'

/** How the result of a gate is shown. */
export interface GateLayout {
  readonly paint: Paint
  /** What the two sides are called: the paths of the reports, or a ref. */
  readonly paths: readonly [before: string, after: string]
  /** Whether the run fails by it. @default true */
  readonly decides?: boolean
}

/** The result of a gate for reading: what could be found, what was found, and what is not known. */
export function formatGate(gate: GateResult, { paint, paths, decides = true }: GateLayout): readonly string[] {
  const { cases, plan, notices } = gate
  const open = cases.filter(({ status }) => OPEN.has(status))
  const apart = cases.filter(({ status }) => status === 'quarantined')
  const rest = cases.filter(({ status }) => status === 'new' || status === 'undecided')
  const blocks = [
    formatTable([
      [paint('bold', 'Before'), toPrintableLine(paths[0]), paint('dim', toPrintableLine(gate.before.timestamp ?? ''))],
      [paint('bold', 'After'), toPrintableLine(paths[1]), paint('dim', toPrintableLine(gate.after.timestamp ?? ''))],
    ]),
    plan.says.length === 0
      ? []
      : [
          paint(
            'bold',
            `What ${plural(plan.cases, 'case')} with ${plan.runs_before} and ${plan.runs_after} runs can show`,
          ),
          ...plan.says.map((line) => `  ${line}`),
        ],
    formatCases(cases, paint),
    formatList('Not tested', open, paint),
    formatList('In quarantine, which gates nothing', apart, paint),
    formatList('Says nothing of a regression', rest, paint),
    formatPooled(gate, paint),
    formatBudgets(gate.budgets, paint),
    [
      ...notices.map((notice) => paint('yellow', toPrintableLine(notice))),
      formatVerdict(gate, open.length, { paint, decides }),
    ],
  ]
  return blocks.filter((block) => block.length > 0).flatMap((block, index) => (index === 0 ? block : ['', ...block]))
}

/** What differs between the versions: files, and texts for the model with whether it saw them. */
export function formatVersions(versions: readonly ReportAgainst[], paint: Paint): readonly string[] {
  const edits = versions.flatMap((one) => one.edits)
  const texts = versions.flatMap((one) => one.texts)
  const lines = [
    ...formatTable(
      edits.map(({ role, path, change }) => [`  ${change}`, toPrintableLine(role), toPrintableLine(path)]),
    ),
    ...texts.flatMap(({ part, path, before, after, seen: is }) => [
      `  ${toPrintableLine(part)} ${paint('dim', `(${toPrintableLine(path)}${is === null ? '' : is ? '; the model saw it' : '; the model did not see it'})`)}`,
      ...formatChange(before ?? '', after ?? '', paint),
    ]),
  ]
  return lines.length === 0 ? [] : [paint('bold', 'What differs'), ...lines, '']
}

// Changed lines with three lines around each; what is left out between them is a line of dots.
function formatChange(before: string, after: string, paint: Paint): readonly string[] {
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
  const labels = (state: GatedBudget['verdict']): string =>
    budgets.flatMap((one) => (one.verdict === state ? [describeBudget(one)[0]] : [])).join(', ')
  const says = {
    failed: paint('red', `Budgets missed: ${labels('failed')}.`),
    incomplete: paint('yellow', `Budgets undecided: ${labels('unknown')}.`),
    passed: paint('green', 'All budgets are kept.'),
  }
  return [paint('bold', 'Budgets'), ...formatTable(rows), says[verdict]]
}

const MARKS: Readonly<Record<GatedBudget['verdict'], (paint: Paint) => string>> = {
  failed: (paint) => paint('red', '✗'),
  passed: (paint) => paint('green', '✓'),
  unknown: (paint) => paint('yellow', '?'),
}

function formatCases(all: readonly GatedCase[], paint: Paint): readonly string[] {
  const tested = all
    .filter(({ status }) => status === 'compared')
    .toSorted((one, other) => (one.change ?? 0) - (other.change ?? 0))
  if (tested.length === 0) return []
  const rows = tested.map(({ name, before, after, change, interval, p_value: p, adjusted_p_value: by, regressed }) => [
    `  ${regressed ? paint('red', '✗') : mark(change ?? 0, paint)} ${toPrintableLine(name)}`,
    formatArm(before),
    paint('dim', '→'),
    formatArm(after),
    `${formatPoints(change ?? 0)}${interval === null ? '' : ` (${formatPoints(interval[0])} to ${formatPoints(interval[1])})`}`,
    paint('dim', (change ?? 0) < 0 && p !== null ? `p = ${formatP(p)}, ${formatP(by ?? 1)} after Holm` : ''),
  ])
  return [paint('bold', `Tested (${tested.length})`), ...formatTable(rows)]
}

function mark(change: number, paint: Paint): string {
  return change < 0 ? paint('yellow', '↓') : change > 0 ? paint('green', '↑') : paint('dim', '=')
}

function formatArm(arm: ArmOfCase | null): string {
  if (arm === null) return '-'
  return `${arm.passed} of ${arm.completed}, ${formatDollars(arm.cost_usd)}, ${formatSeconds(arm.duration_seconds)}`
}

function formatSide(arm: ArmOfCase | null): string {
  return arm === null || arm.completed === 0 ? (arm?.outcome ?? '-') : `${arm.outcome}, ${formatArm(arm)}`
}

function formatList(title: string, cases: readonly GatedCase[], paint: Paint): readonly string[] {
  if (cases.length === 0) return []
  const hasArms = cases.some(({ before, after }) => before !== null || after !== null)
  const hasChange = cases.some(({ change }) => change !== null)
  const reasons = cases.map(({ why }) => toPrintableMessage(why ?? '').split('\n'))
  const rows = cases.map(({ name, status, before, after, change }, index) => [
    `  ${paint('yellow', '?')} ${toPrintableLine(name)}`,
    ...(status === 'quarantined' ? [] : [status]),
    // Their outcomes decide nothing, and must not be hidden.
    ...(hasArms ? [formatSide(before), paint('dim', '→'), formatSide(after)] : []),
    ...(hasChange ? [change === null ? '' : formatPoints(change)] : []),
    reasons[index]?.[0] ?? '',
  ])
  const lines = formatTable(rows).flatMap((row, index) => [
    row,
    ...(reasons[index] ?? []).slice(1).map((line) => `      ${line}`.trimEnd()),
  ])
  return [paint('bold', `${title} (${cases.length})`), ...lines]
}

function formatPooled({ pooled }: GateResult, paint: Paint): readonly string[] {
  if (pooled === null) return []
  const rate = ({ passed, completed, interval }: typeof pooled.before): string =>
    `${percent(passed / completed)} (${passed} of ${completed} runs${boundsText('; ', interval)})`
  return [
    paint('bold', 'All tested cases together'),
    ...formatTable([
      ['  before', rate(pooled.before)],
      ['  after', rate(pooled.after)],
      ['  pooled test', `p = ${formatP(pooled.p_value)}, one-sided, exact, by case`],
    ]),
  ]
}

function formatVerdict(
  { pooled, cases }: GateResult,
  open: number,
  { paint, decides }: Required<Pick<GateLayout, 'decides' | 'paint'>>,
): string {
  const says = (gate: string): string => (decides ? `${gate} ` : '')
  const culprits = cases.filter(({ regressed }) => regressed).map(({ name }) => toPrintableLine(name))
  const verdict = compared({ pooled, cases })
  const regressed = pooled?.regressed === true || culprits.length > 0
  const named = culprits.length === 0 ? '' : ` Worse by itself: ${culprits.join(', ')}.`
  const worse = `The cases are worse by more than noise.${named}`
  if (verdict === 'failed') return paint('red', `${says('Gate failed.')}${worse}`)
  if (verdict === 'incomplete')
    return paint(
      'yellow',
      `${decides ? 'Gate undecided' : 'Undecided'}: ${plural(open, 'case')} could not be tested.${regressed ? ` ${worse}` : ''}`,
    )
  return paint('green', `${says('Gate passed.')}No regression beyond noise was found.`)
}

/** A difference of rates for reading. */
export function formatPoints(share: number): string {
  const points = Math.round(share * 100)
  return `${points > 0 ? '+' : ''}${points} points`
}
