import { createInterface } from 'node:readline/promises'
import { isCi } from '../../sandbox/detect-environment.ts'
import type { Vitest } from 'vitest/node'

const ASKS = Symbol.for('vitest-agent-evals:ask-before-spending')

/** Makes the runs of this process ask once, where a person can answer, before their first request to a model. */
export function askBeforeSpending(asks: boolean): void {
  const isTerminal = process.stdin.isTTY && process.stdout.isTTY && !isCi(process.env)
  // Symbols of the registry, since another copy of this module may be loaded, as pnpm installs them.
  Reflect.set(globalThis, ASKS, asks && isTerminal)
}

/**
 * Asks whether to go on, once, if this process was started to ask. Anything but yes ends it with exit code 2 before
 * anything is sent.
 */
export async function confirmSpending(vitest: Pick<Vitest, 'exit' | 'logger'>): Promise<void> {
  if (Reflect.get(globalThis, ASKS) !== true) return
  Reflect.set(globalThis, ASKS, false)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const answer = await terminal.question('agent-evals: Run them live? --yes does not ask. [y/N] ').catch(() => '')
  terminal.close()
  if (/^y(?:es)?$/i.test(answer.trim())) return
  vitest.logger.log('agent-evals: nothing was run or spent. --source replay plays only what is recorded.')
  process.exitCode = 2
  await vitest.exit(true)
}
