import { formatProgressBlock, formatProgressLine } from './format-progress.ts'
import { isStdoutTaken } from './machine-output.ts'
import type { Vitest } from 'vitest/node'
import type { Gateway } from '../../gateway/gateway.ts'

/** Shows what runs while it runs. */
export interface Progress {
  start(): void
  stop(): void
}

/**
 * Shows the runs under way: in the block that Vitest's default reporter keeps at the foot of a terminal, and where it
 * keeps none, as a plain line now and then.
 */
export function createProgress(vitest: Vitest, gateway: Pick<Gateway, 'activity'>): Progress {
  let timer: NodeJS.Timeout | undefined
  let hasBlock: boolean | undefined
  const printLine = (): void => {
    const line = formatProgressLine(gateway.activity())
    if (line !== null && isStdoutTaken(vitest)) vitest.logger.error(line)
    else if (line !== null) vitest.logger.log(line)
  }
  return {
    start() {
      // The reporters are made after the plugins.
      hasBlock ??= extendBlock(vitest, () => formatProgressBlock(gateway.activity()))
      if (!hasBlock) timer ??= setInterval(printLine, LINE_EVERY_MS).unref()
    },
    stop() {
      clearInterval(timer)
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

const LINE_EVERY_MS = 30_000
