import { formatProgressBlock, formatProgressLine, type CaseNames } from './format-progress.ts'
import { isStdoutTaken } from './machine-output.ts'
import type { Vitest } from 'vitest/node'
import type { Gateway } from '../../gateway/gateway.ts'

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
  let known: CaseNames | undefined
  const printLine = (): void => {
    const line = formatProgressLine(gateway.activity(), known)
    if (line !== null && isStdoutTaken(vitest)) vitest.logger.error(line)
    else if (line !== null) vitest.logger.log(line)
  }
  return {
    start(names) {
      known = names
      // The reporters are made after the plugins.
      hasBlock ??= extendBlock(vitest, () => formatProgressBlock(gateway.activity(), known))
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
