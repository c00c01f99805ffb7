import type { Vitest } from 'vitest/node'
import type { Gateway, GatewayActivity } from '../../gateway/gateway.ts'
import type { RunActivity } from '../../gateway/leases/create-lease.ts'
import { firstOf } from '../../lib/lists.ts'
import { shorten, toPrintableLine } from '../../lib/text.ts'
import { printBy } from '../../report/summary/terminal.ts'

/** Shows what runs while it runs. */
export interface Progress {
  /** Begins to show runs, by the names of the cases. */
  start(names?: CaseNames): void
  stop(): void
}

/**
 * Shows the runs under way: in the block that Vitest's default reporter keeps at the foot of a terminal, and where it
 * keeps none, as a plain line now and then.
 */
export function createProgress(vitest: Vitest, gateway: Pick<Gateway, 'activity'>): Progress {
  let timer: NodeJS.Timeout | undefined
  let hasBlock: boolean | undefined
  let caseNames: CaseNames | undefined
  const printLine = (): void => {
    const line = formatProgressLine(gateway.activity(), caseNames)
    if (line !== null && isStdoutTaken(vitest)) printBy(vitest.logger, 'error', line)
    else if (line !== null) printBy(vitest.logger, 'log', line)
  }
  return {
    start(names) {
      caseNames = names
      // The reporters are made after the plugins.
      hasBlock ??= extendBlock(vitest, () => formatProgressBlock(gateway.activity(), caseNames))
      if (hasBlock) return
      const printAgain = (): void => {
        printLine()
        timer = setTimeout(printAgain, LINE_EVERY_MS).unref()
      }
      timer ??= setTimeout(printAgain, FIRST_LINE_AFTER_MS).unref()
    },
    stop() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** Adds lines to the block of Vitest's reporters; `false` when there is none. */
function extendBlock(vitest: Vitest, lines: () => readonly string[]): boolean {
  const { reporters } = vitest as unknown as { readonly reporters?: readonly ReporterOfVitest[] }
  const blocks = (reporters ?? []).flatMap(({ summary }) => (summary?.createSummary === undefined ? [] : [summary]))
  for (const block of blocks) {
    const create = block.createSummary?.bind(block)
    block.createSummary = () => {
      const theirs = create?.() ?? []
      const ours = lines()
      // Theirs ends with an empty line.
      return ours.length === 0 ? theirs : [...theirs, ...ours, '']
    }
  }
  return blocks.length > 0
}

/** The same in both majors, and not among their types. */
interface ReporterOfVitest {
  readonly summary?: { createSummary?: () => string[] }
}

/** Soon enough that nobody takes a log for one of a run that hangs. */
const FIRST_LINE_AFTER_MS = 10_000
const LINE_EVERY_MS = 30_000

/** The names of cases by their ids. */
type CaseNames = ReadonlyMap<string, string>

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
  const counts = [
    `${running.length} running`,
    ...(waiting === 0 ? [] : [`${waiting} waiting`]),
    ...(costUsd === 0 ? [] : [`${dollars(costUsd)} so far`]),
  ]
  const runs = running.map((run) => [nameOf(run.label, names), ...factsOf(run)].join(' '))
  return `agent-evals: ${counts.join(', ')}: ${firstOf(runs, MOST_LINES).join('; ')}`
}

function factsOf({ elapsedMs, lastTool, costUsd }: RunActivity): readonly string[] {
  const spent = costUsd === null || costUsd === 0 ? [] : [dollars(costUsd)]
  return [
    duration(elapsedMs),
    ...(lastTool === null ? [] : [shorten(toPrintableLine(lastTool), MOST_CHARACTERS)]),
    ...spent,
  ]
}

// An id may be a number or a hash: `evals/cases/a.yaml#1 (run 2)` is the name of the case with the run behind it.
function nameOf(label: string, names: CaseNames): string {
  const [, id = label, which = ''] = /^(.+?)((?: \((?:run \d+|repeated, to continue it)\))*)$/s.exec(label) ?? []
  const name = names.get(id) ?? id.slice(id.indexOf('#') + 1)
  return `${shorten(toPrintableLine(name), MOST_CHARACTERS)}${which}`
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

/** Whether a program reads the standard output of a reporter; ours goes to standard error then. */
export function isStdoutTaken({ config }: Pick<Vitest, 'config'>): boolean {
  const files: unknown = config.outputFile
  const reporters: readonly unknown[] = config.reporters
  return reporters.some((reporter) => {
    const [name, options] = (Array.isArray(reporter) ? reporter : [reporter]) as [unknown, { outputFile?: unknown }?]
    if (typeof name !== 'string' || !MACHINE_READABLE.has(name)) return false
    const isElsewhere = typeof files === 'string' || (typeof files === 'object' && files !== null && name in files)
    return options?.outputFile === undefined && !isElsewhere
  })
}

const MACHINE_READABLE = new Set(['json', 'junit', 'tap', 'tap-flat'])
