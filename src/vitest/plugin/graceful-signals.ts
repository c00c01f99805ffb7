import { constants } from 'node:os'
import type { Vitest } from 'vitest/node'

/** What a signal ends. */
export interface GracefulRun {
  /** Whether cases run: without any there is nothing to end well. */
  readonly isRunning: () => boolean
  /** Kills what is left of every run. */
  readonly kill: () => Promise<void>
  /** Removes what runs leave behind that could not end by themselves. */
  readonly cleanUp: () => Promise<void>
}

/**
 * Makes the first Ctrl-C end a run well: no new case, every agent stopped, the report written. The second one is hard.
 *
 * Vitest's own listeners leave at once, without a word to reporters, and with every agent still running.
 */
export function endGracefully(vitest: Vitest, { isRunning, kill, cleanUp }: GracefulRun): void {
  const theirs = new Map(SIGNALS.map((signal) => [signal, process.rawListeners(signal)]))
  let stoppingSince: number | null = null

  const leave = (signal: Signal): void => {
    const listeners = theirs.get(signal) ?? []
    for (const listener of listeners) listener.call(process, signal, constants.signals[signal])
    if (listeners.length === 0) process.exit(exitCodeOf(signal))
  }
  const stop = (signal: Signal): void => {
    stoppingSince = performance.now()
    // Vitest says 1 to a run that was cancelled.
    process.on('exit', () => {
      process.exitCode = exitCodeOf(signal)
    })
    vitest.logger.log('\nagent-evals: stopping and writing the report. Press Ctrl-C again to exit immediately.')
    setTimeout(() => void kill().catch(ignoreWhatIsLeft), KILL_AFTER_MS).unref()
    // What still hangs then is left behind: the report is written on the way out, and the next start cleans up.
    setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref()
    vitest.onClose(() => kill().then(cleanUp).catch(ignoreWhatIsLeft))
    void vitest.cancelCurrentRun('keyboard-input').catch(ignoreWhatIsLeft)
  }

  for (const signal of SIGNALS) {
    process.removeAllListeners(signal)
    const listener = (): void => {
      if (stoppingSince === null && isRunning()) return stop(signal)
      // npm passes on what the terminal has sent to every process already.
      if (stoppingSince !== null && performance.now() - stoppingSince < SAME_PRESS_MS) return
      leave(signal)
    }
    process.on(signal, listener)
    vitest.onClose(() => {
      // A second Ctrl-C may come until the very end.
      if (stoppingSince === null) process.off(signal, listener)
    })
  }
}

type Signal = (typeof SIGNALS)[number]

function exitCodeOf(signal: Signal): number {
  return 128 + constants.signals[signal]
}

// Whatever resisted dies with this process.
function ignoreWhatIsLeft(): void {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const SAME_PRESS_MS = 250
const KILL_AFTER_MS = 1000
const LEAVE_AFTER_MS = 2500
