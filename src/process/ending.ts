import { signalGroup } from './kill-tree.ts'

/** What may end a process before it ends itself. */
export interface EndingOptions {
  readonly signal?: AbortSignal | undefined
  readonly deadlineMs?: number | undefined
  readonly graceMs?: number | undefined
}

/** Watches deadline, abort signal and callbacks of one process; the first of them decides the reason. */
export class Ending {
  reason: 'timed-out' | 'aborted' | 'callback-failed' | null = null
  /** What a callback threw. */
  failure: { readonly error: unknown } | null = null
  readonly #pid: number
  readonly #options: EndingOptions
  readonly #deadline: NodeJS.Timeout | null
  #grace: NodeJS.Timeout | null = null
  #over = false

  constructor(pid: number, options: EndingOptions) {
    this.#pid = pid
    this.#options = options
    const { deadlineMs, signal } = options
    this.#deadline =
      deadlineMs === undefined ? null : setTimeout(() => this.#end('timed-out'), Math.min(deadlineMs, LONGEST_TIMER_MS))
    signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (signal?.aborted === true) this.#onAbort()
  }

  /** Calls what the caller gave us: an error in it must end the process, not the whole worker. */
  guard(callback: () => void): void {
    if (this.failure !== null) return

    try {
      callback()
    } catch (error) {
      this.failure = { error }
      this.#end('callback-failed')
    }
  }

  /** The process has exited: nothing more to watch. */
  clear(): void {
    this.#over = true
    if (this.#deadline !== null) clearTimeout(this.#deadline)
    if (this.#grace !== null) clearTimeout(this.#grace)
    this.#options.signal?.removeEventListener('abort', this.#onAbort)
  }

  readonly #onAbort = (): void => this.#end('aborted')

  #end(reason: 'timed-out' | 'aborted' | 'callback-failed'): void {
    if (this.#over || this.reason !== null) return

    this.reason = reason
    const graceMs = this.#options.graceMs ?? DEFAULT_GRACE_MS
    if (graceMs === 0) {
      signalGroup(this.#pid, 'SIGKILL')
      return
    }

    signalGroup(this.#pid, 'SIGTERM')
    this.#grace = setTimeout(() => signalGroup(this.#pid, 'SIGKILL'), graceMs)
  }
}

const DEFAULT_GRACE_MS = 3000
const LONGEST_TIMER_MS = 2 ** 31 - 1
