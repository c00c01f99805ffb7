import { toPrintableLine, toPrintableMessage } from '../../results/printable.ts'
import { formatDollars, formatSeconds } from './format-amount.ts'
import { graderLines, titleOf } from './format-graders.ts'
import { formatTable } from './table.ts'
import { FACTS } from '../../report/diff/diff-provenance.ts'
import type { ReadCase, ReadReport } from '../../report/read-report.ts'
import type { Paint, PaintStyle } from './terminal.ts'

/** What is shown. */
export interface ShownReport {
  readonly file: string
  readonly report: ReadReport
  /** Names or ids of the cases of which everything is shown; none: all cases, each in a line. */
  readonly names: readonly string[]
  readonly paint: Paint
  /** The tool calls of a run, by its folder, one line each. */
  readonly callsOf: (folder: string) => readonly string[]
}

/** The lines of a report. */
export function formatShown({ file, report, names, paint, callsOf }: ShownReport): readonly string[] {
  const isNamed = ({ id, name }: ReadCase): boolean => names.includes(name) || (id !== null && names.includes(id))
  const cases = names.length === 0 ? report.cases : report.cases.filter(isNamed)
  const rows = formatTable(cases.map((one) => rowOf(one, paint)))
  const head = [report.timestamp, report.status, report.package.name].filter((part) => part !== null)
  return [
    paint('bold', toPrintableLine(file)),
    paint('dim', toPrintableLine([...head, ...madeWith(report)].join(', '))),
    '',
    ...cases.flatMap((one, index) => [
      rows[index] ?? '',
      ...[one.error ?? one.skip_reason].flatMap((reason) => (reason === null ? [] : indent(reason))),
      ...(names.length === 0 ? [] : detailsOf(one, callsOf)),
    ]),
    '',
    countOutcomes(report.cases),
  ]
}

function rowOf(
  { name, engine, agent, outcome, duration_seconds: seconds, cost_usd: usd }: ReadCase,
  paint: Paint,
): string[] {
  const [mark, style] = MARKS[outcome]
  return [
    `${paint(style, mark)} ${toPrintableLine(name)}`,
    paint(style, outcome),
    // What never ran took no time that could be unknown.
    outcome === 'skipped' ? '' : formatSeconds(seconds),
    outcome === 'skipped' ? '' : formatDollars(usd),
    paint('dim', toPrintableLine([engine, agent.model].filter((part) => part !== null).join(' '))),
  ]
}

const MARKS: Readonly<Record<ReadCase['outcome'], readonly [mark: string, style: PaintStyle]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  errored: ['!', 'red'],
  skipped: ['-', 'yellow'],
}

function madeWith(report: ReadReport): readonly string[] {
  return ['agent-evals', 'vitest', 'commit'].flatMap((fact) => {
    const value = FACTS.find(([what]) => what === fact)?.[1](report) ?? null
    return value === null ? [] : [`${fact} ${value}`]
  })
}

function countOutcomes(cases: readonly ReadCase[]): string {
  const counts = (['passed', 'failed', 'errored', 'skipped'] as const).flatMap((outcome) => {
    const count = cases.filter((one) => one.outcome === outcome && one.arm === null).length
    return count === 0 ? [] : [`${count} ${outcome}`]
  })
  return counts.length === 0 ? 'no case' : counts.join(', ')
}

function detailsOf(found: ReadCase, callsOf: ShownReport['callsOf']): readonly string[] {
  return [
    ...(found.graded === null ? verdictsOf(found) : section(titleOf(found.graded), graderLines(found.graded))),
    ...section('notices', found.notices),
    ...section('output', (found.agent_output_snippet ?? '').split('\n')),
    ...found.runs.flatMap(({ folder }) =>
      folder === null
        ? []
        : section(found.runs.length === 1 ? 'tool calls' : `tool calls of ${folder}`, callsOf(folder)),
    ),
    ...section(
      'runs',
      found.runs.flatMap(({ folder }) => folder ?? []),
    ),
  ]
}

function verdictsOf({ checks, expectations }: ReadCase): readonly string[] {
  return [
    ...section(
      'checks',
      checks.map((one) => `${one.result}  ${one.kind}: ${String(one.value)}`),
    ),
    ...section(
      'judge',
      (expectations ?? []).flatMap((one) => [
        `${one.result}  ${one.text}`,
        ...(one.reason === null ? [] : [`  ${one.reason}`]),
        ...one.evidence.map(({ quote }) => `  "${quote}"`),
      ]),
    ),
  ]
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.join('').trim() === '' ? [] : [`    ${title}:`, ...lines.flatMap((line) => indent(line))]
}

function indent(text: string): readonly string[] {
  return toPrintableMessage(text)
    .split('\n')
    .map((line) => `      ${line}`.trimEnd())
}
