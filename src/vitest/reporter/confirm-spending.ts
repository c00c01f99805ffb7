import { createInterface } from 'node:readline/promises'
import { AgentEvalsError } from '../../errors.ts'
import { dollars } from '../../gateway/budget/dollars.ts'
import { toPrintableLine } from '../../results/printable.ts'
import { isCi } from '../../sandbox/detect-environment.ts'
import { isStdoutTaken } from './machine-output.ts'
import type { Vitest } from 'vitest/node'

const ASKS = Symbol.for('vitest-agent-evals:ask-before-spending')

/** Makes the runs of this process ask once, where a person can answer, before their first request to a model. */
export function askBeforeSpending(asks: boolean): void {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !isCi(process.env)
  // Symbols of the registry, since another copy of this module may be loaded, as pnpm installs them.
  Reflect.set(globalThis, ASKS, asks && isTerminal)
}

/** Says what is about to be spent, and asks whether it may be, before the first request to a model. */
export interface SpendingGuard {
  /** Begins a pass of Vitest. Anything but yes ends the process with exit code 2 before anything is sent. */
  begin(announced: string | null): Promise<void>
  /**
   * Announces a run that nobody could foresee, such as a test in TypeScript without a recording.
   *
   * @throws {AgentEvalsError} `spending-declined`
   */
  beforeSpending(caseId: string): Promise<void>
}

/** Creates the guard of one Vitest process. */
export function guardSpending(
  vitest: Pick<Vitest, 'config' | 'exit' | 'logger'>,
  { maxCostUsd }: { readonly maxCostUsd: number },
): SpendingGuard {
  // What begins before the first pass is prepared for it, and spends nothing.
  let unforeseen: Promise<void> | null = Promise.resolve()
  const say = (line: string): void => (isStdoutTaken(vitest) ? vitest.logger.error(line) : vitest.logger.log(line))
  const announceLate = async (caseId: string): Promise<void> => {
    const limit = `cost unknown, at most ${dollars(maxCostUsd)} (--max-cost-usd)`
    say(`agent-evals: without a current recording, goes live: ${toPrintableLine(caseId)}; others may follow; ${limit}`)
    if (!mustAsk()) return
    // Vitest redraws its lines meanwhile, so the question is a line as well.
    say(`agent-evals: ${QUESTION}`)
    const terminal = createInterface({ input: process.stdin })
    const answer = await new Promise<string>((resolve) =>
      terminal.once('line', resolve).once('close', () => resolve('')),
    )
    terminal.close()
    if (isYes(answer)) return
    throw new AgentEvalsError('spending-declined', 'The question whether to run live was answered with no.')
  }
  return {
    async begin(announced) {
      unforeseen = announced === null ? null : Promise.resolve()
      if (announced === null) return
      vitest.logger.log(announced)
      if (!mustAsk()) return
      const terminal = createInterface({ input: process.stdin, output: process.stdout })
      const answer = await terminal.question(`agent-evals: ${QUESTION} `).catch(() => '')
      terminal.close()
      if (isYes(answer)) return
      say('agent-evals: nothing was run or spent. --source replay plays only what is recorded.')
      process.exitCode = 2
      await vitest.exit(true)
    },
    beforeSpending: (caseId) => (unforeseen ??= announceLate(caseId)),
  }
}

const QUESTION = 'Run them live? --yes does not ask. [y/N]'

function mustAsk(): boolean {
  const asks = Reflect.get(globalThis, ASKS) === true
  Reflect.set(globalThis, ASKS, false)
  return asks
}

function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim())
}
