import { constants } from 'node:os'
import type { Vitest } from 'vitest/node'
import type { Gateway } from '../../gateway/gateway.ts'
import { printBy } from '../../report/summary/terminal.ts'
import { startOrphanCleanup, sweepLeftovers } from '../../session/sweep-leftovers.ts'
import { sweepWorkspaces } from '../../session/workspace.ts'

/** Ends the gateway with Vitest. A worker that was killed has left what it had; when this process is, another one looks after it. */
export function endWithoutTrace(vitest: Vitest, gateway: Gateway, cancelledFor: () => CancelReason | null): void {
  const callOff = startOrphanCleanup()
  vitest.onClose(async () => {
    await gateway.close()
    // What cannot be removed now is left to the next start, which says so.
    await sweepLeftovers().catch(() => {})
    // What was cancelled may be left in the middle of its end, above all at a second Ctrl-C.
    if (cancelledFor() === null) callOff()
  })
}

/**
 * Makes Ctrl-C, `--bail` and an editor's stop cancel all runs, and tells the first reason. Vitest 4.1 forgets concurrent
 * tests once one of them has finished, so a test's own signal is not enough.
 */
export function cancelWith(vitest: Vitest, cancelAll: (reason: string) => void): () => CancelReason | null {
  let last: CancelReason | null = null
  const cancel = vitest.cancelCurrentRun.bind(vitest)
  vitest.cancelCurrentRun = async (reason) => {
    // Closing cancels too, and is no reason.
    last ??= reason
    cancelAll(`cancelled: ${reason}`)
    return cancel(reason)
  }
  return () => last
}

/** Keeps a run cancelled: Vitest resets its flag when the first test is due, and would run what was cancelled before. */
export function keepCancelled(vitest: Vitest): void {
  Object.defineProperty(vitest, 'isCancelling', { get: () => true, set: () => {}, configurable: true })
}

export type CancelReason = Parameters<Vitest['cancelCurrentRun']>[0]

/** Removes the workspaces of this process. */
export async function removeOwnWorkspaces(): Promise<void> {
  await sweepWorkspaces({ includesOwn: true })
}

/** Keeps a run alive whose reader has left, as in `vitest | head -1`: what is paid for still ends in a report. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreClosedPipe)) continue
    stream.on('error', ignoreClosedPipe)
  }
}

function ignoreClosedPipe(error: Error): void {
  if ('code' in error && (error.code === 'EPIPE' || error.code === 'EIO')) return
  throw error
}

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
    printBy(
      vitest.logger,
      'log',
      '\nagent-evals: stopping and writing the report. Press Ctrl-C again to exit immediately.',
    )
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
