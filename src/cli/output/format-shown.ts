import { join } from 'node:path'
import { foldersUpwards, tryReadText } from '../../lib/files.ts'
import { oneLine, toPrintableLine, toPrintableMessage } from '../../lib/text.ts'
import { FACTS } from '../../report/compare/made-with.ts'
import { parseTranscript, type PageEvent } from '../../report/page/page-data.ts'
import type { ReadCase, ReadGraded, ReadReport } from '../../report/read-report.ts'
import { describeOutcomes } from '../../report/results/result.ts'
import { formatDollars, formatSeconds, formatTable } from '../../report/summary/table.ts'
import type { Paint, PaintStyle } from '../../report/summary/terminal.ts'

/** What is shown. */
interface ShownReport {
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
      ...(one.quarantined === null ? [] : indent('in quarantine')),
      ...[one.error ?? one.skip_reason].flatMap((reason) => (reason === null ? [] : indent(reason))),
      ...(names.length === 0 ? [] : detailsOf(one, callsOf)),
    ]),
    '',
    describeOutcomes(report.cases.filter(({ arm }) => arm === null)) || 'no case',
  ]
}

function rowOf(
  { name, engine, agent, outcome, cached, duration_seconds: seconds, cost_usd: usd }: ReadCase,
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
    paint('dim', cached === true ? 'cached' : ''),
  ]
}

const MARKS: Readonly<Record<ReadCase['outcome'], readonly [mark: string, style: PaintStyle]>> = {
  passed: ['✓', 'green'],
  failed: ['✗', 'red'],
  errored: ['!', 'yellow'],
  skipped: ['-', 'dim'],
}

function madeWith(report: ReadReport): readonly string[] {
  return ['agent-evals', 'vitest', 'commit'].flatMap((fact) => {
    const value = FACTS.find(([what]) => what === fact)?.[1](report) ?? null
    return value === null ? [] : [`${fact} ${value}`]
  })
}

function detailsOf(found: ReadCase, callsOf: ShownReport['callsOf']): readonly string[] {
  return [
    ...section('turns', turnsOf(found)),
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

// Of each run, where there are several.
function turnsOf({ runs }: ReadCase): readonly string[] {
  return runs.flatMap(({ index, turns }) =>
    turns.flatMap(({ turn, outcome, prompt, error }) => [
      `${outcome.padEnd(7)}  ${runs.length === 1 ? '' : `run ${index}, `}turn ${turn}: ${oneLine(prompt ?? '')}`,
      ...(error === null || outcome === 'passed' ? [] : [`  ${error}`]),
    ]),
  )
}

function verdictsOf({ checks, expectations }: ReadCase): readonly string[] {
  return [
    ...section(
      'checks',
      checks.map((one) => `${one.result}  ${ofTurn(one)}${one.kind}: ${String(one.value)}`),
    ),
    ...section(
      'judge',
      (expectations ?? []).flatMap((one) => [
        `${one.result}  ${ofTurn(one)}${one.text}`,
        ...(one.reason === null ? [] : [`  ${one.reason}`]),
        ...one.evidence.map(({ quote }) => `  "${quote}"`),
      ]),
    ),
  ]
}

function ofTurn({ turn }: { readonly turn: number | null }): string {
  return turn === null ? '' : `turn ${turn}: `
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.join('').trim() === '' ? [] : [`    ${title}:`, ...lines.flatMap((line) => indent(line))]
}

function indent(text: string): readonly string[] {
  return toPrintableMessage(text)
    .split('\n')
    .map((line) => `      ${line}`.trimEnd())
}

/** The heading of graders: what the case came to. */
function titleOf({ score, threshold }: ReadGraded): string {
  return `graders, score ${score === null ? 'n/a' : score.toFixed(2)}, threshold ${threshold === null ? 'n/a' : threshold.toFixed(2)}`
}

/** The lines of graders: the result of each, what it found, and what the judge gave as its reason. */
function graderLines({ graders }: ReadGraded): readonly string[] {
  return graders.flatMap(({ name, type, weight, scored, result, explanation, ours }) => [
    `${result}  ${name} (${type}, ${scored ? `weight ${weight}` : 'not scored'}): ${explanation}`,
    ...(ours === null ? [] : [`  ${ours.reason}`]),
    ...(ours?.quote == null ? [] : [`  "${ours.quote}"`]),
  ])
}

/**
 * The tool calls of a stored run, one line each, and a line where each turn of a conversation begins.
 *
 * @param folder - as the report names it, relative to the Vitest root.
 * @param from - absolute path of a folder below that root. What is not found has no calls to list.
 */
export function listToolCalls(folder: string, from: string): readonly string[] {
  // A report from elsewhere must not choose which file is read.
  if (!folder.startsWith('.vitest/agent-evals/') || folder.split('/').includes('..')) return []
  const text = foldersUpwards(from)
    .map((root) => tryReadText(join(root, folder, 'transcript.jsonl')))
    .find((found) => found !== null)
  if (text === undefined) return []
  const { events } = parseTranscript(text)
  const results = new Map(events.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event]] : [])))
  return events.flatMap((event) => {
    if (event.kind === 'prompt') return [`turn ${event.turn}: ${oneLine(event.text)}`]
    return event.kind === 'tool-call' ? [describeCall(event, results.get(event.id))] : []
  })
}

type ToolCall = Extract<PageEvent, { readonly kind: 'tool-call' }>
type ToolResult = Extract<PageEvent, { readonly kind: 'tool-result' }>

function describeCall({ tool, input, agent }: ToolCall, result: ToolResult | undefined): string {
  const json = JSON.stringify(input)
  const shown = json.length > MOST_INPUT ? `${json.slice(0, MOST_INPUT)}...` : json
  const by = agent === null ? '' : ` (sub-agent ${agent})`
  const ending = endingOf(result)
  const why = ending === 'failed' || ending === 'blocked' ? `: ${oneLine(result?.text ?? '')}` : ''
  return `${ending.padEnd(7)}  ${tool} ${shown}${by}${why}`
}

function endingOf(result: ToolResult | undefined): string {
  if (result === undefined) return 'open'
  if (result.blockedBy !== null) return 'blocked'
  return result.isError ? 'failed' : 'done'
}

const MOST_INPUT = 160
