import { AsyncLocalStorage } from 'node:async_hooks'
import type { Reporter, TestSpecification, Vitest } from 'vitest/node'
import { printBy } from '../../report/summary/terminal.ts'

/** A pass of a watching Vitest, from the moment at which a reporter could be told of it. */
interface Pass {
  /** Opens when the reporter was told of its start. */
  readonly started: Gate
  /** Whether Vitest has given it up while it waited for its turn. */
  isLeft: boolean
  /** Opens when the next pass may begin. */
  readonly ended: Gate
}

/** A promise that is resolved from outside. */
interface Gate {
  readonly opened: Promise<void>
  readonly open: () => void
}

function createGate(): Gate {
  let open: (() => void) | undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open: () => open?.() }
}

/**
 * Tells a reporter of one pass after the other. Where files change quickly, a watching Vitest tells of the next pass
 * while one still runs, and begins all that wait for it at once. A pass of which Vitest tells no end, since another
 * reporter threw, is one that was interrupted.
 */
export function onePassAtATime<R extends Reporter>(reporter: R, vitest: Pick<Vitest, 'config' | 'logger'>): R {
  let last: Promise<void> = Promise.resolve()
  let running: Pass | undefined
  const passes = new Map<object, Pass>()
  const calls = followPasses(vitest, async (call) => {
    const pass = passes.get(call)
    passes.delete(call)
    if (pass === undefined) return
    pass.isLeft = true
    await pass.started.opened
    if (running === pass) await told.onTestRunEnd?.([], [], 'interrupted')
  })
  const told: R = {
    ...reporter,
    async onTestRunStart(specifications) {
      const before = last
      const pass: Pass = { started: createGate(), isLeft: false, ended: createGate() }
      last = pass.ended.opened
      passes.set(calls.getStore() ?? pass, pass)
      await before
      try {
        if (pass.isLeft) return pass.ended.open()
        running = pass
        await reporter.onTestRunStart?.(specifications)
      } catch (error) {
        // Vitest tells of no end of such a pass.
        running = undefined
        pass.ended.open()
        throw error
      } finally {
        pass.started.open()
      }
    },
    async onTestRunEnd(modules, errors, reason) {
      const pass = running
      running = undefined
      try {
        await reporter.onTestRunEnd?.(modules, errors, reason)
      } finally {
        pass?.ended.open()
      }
    },
  }
  return told
}

/** Tells the end of each pass, however it comes. What is called in a pass finds it in the store. */
function followPasses(
  vitest: Pick<Vitest, 'config' | 'logger'>,
  noteEnd: (call: object) => Promise<void>,
): AsyncLocalStorage<object> {
  const calls = new AsyncLocalStorage<object>()
  // Each pass of both majors goes through this method, which is no part of their public interface.
  const own = vitest as typeof vitest & { runFiles?: (...args: readonly unknown[]) => Promise<unknown> }
  const runFiles = own.runFiles?.bind(vitest)
  // Where there is no next pass, the end of the process is that of the run.
  if (runFiles === undefined || !vitest.config.watch) return calls
  own.runFiles = async (...args) => {
    const call = {}
    try {
      return await calls.run(call, () => runFiles(...args))
    } finally {
      noteEnd(call).catch((error: unknown) => printBy(vitest.logger, 'error', `agent-evals: ${String(error)}`))
    }
  }
  return calls
}

/**
 * Tells a reporter of the start of each pass before all others, which begin to draw then: Vitest draws over a question.
 * Returns what of it is left to be told with them.
 */
export function tellFirst<R extends Reporter>(reporter: R, vitest: Vitest): R {
  // Every reporter of both majors is told through this method, which is no part of their public interface.
  const own = vitest as unknown as { report(name: string, ...args: readonly unknown[]): Promise<void> }
  const report = own.report.bind(vitest)
  own.report = async (name, ...args) => {
    if (name === 'onTestRunStart') await reporter.onTestRunStart?.(args[0] as readonly TestSpecification[])
    return report(name, ...args)
  }
  const { onTestRunStart: _, ...rest } = reporter
  return rest as R
}
