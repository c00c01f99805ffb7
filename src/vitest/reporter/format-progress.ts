import { toPrintableLine } from '../../results/printable.ts'
import type { RunActivity } from '../../gateway/leases/activity.ts'
import type { GatewayActivity } from '../../gateway/gateway.ts'

/** The names of cases by their ids. */
export type CaseNames = ReadonlyMap<string, string>

/** The runs under way for a terminal that is drawn again and again, in the shape of Vitest's own block; empty for none. */
export function formatProgressBlock(
  { running, waiting, costUsd }: GatewayActivity,
  names: CaseNames = NO_NAMES,
): readonly string[] {
  const shown = running.filter(({ elapsedMs }) => elapsedMs >= SHOWN_AFTER_MS).slice(0, MOST_LINES)
  if (shown.length === 0) return []
  const width = Math.max(...shown.map(({ label }) => nameOf(label, names).length))
  const lines = shown.map((run) => [nameOf(run.label, names).padEnd(width), ...factsOf(run)].join('  '))
  const rest = [
    ...(running.length > shown.length ? [`${running.length - shown.length} more running`] : []),
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(costUsd === 0 ? [] : [`${dollars(costUsd)} so far`]),
  ]
  const all = rest.length === 0 ? lines : [...lines, rest.join(', ')]
  return all.map((line, index) => `${(index === 0 ? 'Running' : '').padStart(11)}  ${line}`)
}

/** The same in one line, for a log. `null` when nothing runs. */
export function formatProgressLine(
  { running, waiting, costUsd }: GatewayActivity,
  names: CaseNames = NO_NAMES,
): string | null {
  if (running.length === 0) return null
  const shown = running.slice(0, MOST_LINES)
  const counts = [
    `${running.length} running`,
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(costUsd === 0 ? [] : [`${dollars(costUsd)} so far`]),
  ]
  const runs = shown.map((run) => [nameOf(run.label, names), ...factsOf(run)].join(' '))
  const more = running.length > shown.length ? [`and ${running.length - shown.length} more`] : []
  return `agent-evals: ${counts.join(', ')}: ${[...runs, ...more].join('; ')}`
}

function factsOf({ elapsedMs, lastTool, costUsd }: RunActivity): readonly string[] {
  const spent = costUsd === null || costUsd === 0 ? [] : [dollars(costUsd)]
  return [duration(elapsedMs), ...(lastTool === null ? [] : [cut(toPrintableLine(lastTool))]), ...spent]
}

// An id may be a number or a hash: `evals/cases/a.yaml#1 (run 2)` is the name of the case with the run behind it.
function nameOf(label: string, names: CaseNames): string {
  const [, id = label, which = ''] = /^(.+?)((?: \((?:run \d+|canary|repeated, to continue it)\))*)$/s.exec(label) ?? []
  const name = names.get(id) ?? id.slice(id.indexOf('#') + 1)
  return `${cut(toPrintableLine(name))}${which}`
}

function cut(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS - 1)}…` : text
}

function duration(ms: number): string {
  const seconds = Math.floor(ms / 1000)
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${String(seconds % 60).padStart(2, '0')}s`
}

function dollars(amount: number): string {
  return `$${amount.toFixed(2)}`
}

const NO_NAMES: CaseNames = new Map()
const SHOWN_AFTER_MS = 1000
const MOST_LINES = 8
const MOST_CHARACTERS = 60
