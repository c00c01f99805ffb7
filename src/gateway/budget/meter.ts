import type { Usage } from '../../transcript/transcript.ts'
import type { StopReason } from '../../recordings/messages.ts'
import { addUsage } from './spending.ts'
import type { MeterReading, Problem, RequestCount, Waiting } from '../leases/lease.ts'

/** Counts what one lease was answered. */
export interface Meter {
  /** A request was taken; `refused` tells what keeps the API from it. */
  asked(thread: string, refused: () => string | null): void
  /** A piece of its answer has come, whatever it is. */
  progressed(thread: string): void
  /** Its answer is over. */
  settled(thread: string): void
  /** The engine hung up before that. */
  left(thread: string): void
  /** A model gave an answer; earlier failures of the same thread are forgiven. */
  answered(thread: string, answer: MeteredAnswer): void
  /** No answer. One that may still be made good by a retry counts only if none follows in its thread. */
  failed(thread: string, problem: Problem, final: boolean): void
  /** Adds what the budget was charged for a request, and the tokens that its answer reported; `null` for what is unknown. */
  spent(costUsd: number | null, usage: Usage | null): void
  /** Something that makes the run worthless, whatever follows. */
  problem(problem: Problem): void
  /** A request that the gateway refused; `what` names it. */
  refused(what: string): void
  /** A request for a count of the tokens that a model would read, which is free. */
  counted(model: string): void
  reading(): MeterReading
}

/** An answer that came to its end. */
export interface MeteredAnswer {
  readonly model: string | null
  /** How it ended, where that is known. A thread that goes on has recovered from the limit of tokens. */
  readonly stopReason?: StopReason | null
}

export function createMeter(now: () => number = () => performance.now()): Meter {
  let requests = 0
  let costUsd: number | null = 0
  let usage: Usage | null = null
  let model: string | null = null
  let stopReason: StopReason | null = null
  const waiting = new Map<string, Request>()
  let noted: readonly { readonly thread: string | null; readonly problem: Problem }[] = []
  const refusals = new Map<string, number>()
  const counts = new Map<string, number>()
  const note = (thread: string | null, problem: Problem): void => {
    if (noted.some((other) => other.thread === thread && other.problem.message === problem.message)) return
    noted = [...noted, { thread, problem }]
  }
  return {
    asked(thread, refused) {
      const before = waiting.get(thread)
      // An engine that asks for something else does not miss the answer it left.
      for (const [other, { leftAt }] of waiting) if (leftAt !== null) waiting.delete(other)
      const since = before?.for === 'start' ? before.since : now()
      waiting.set(thread, { since, for: 'start', leftAt: null, refused })
    },
    progressed(thread) {
      const request = waiting.get(thread)
      if (request !== undefined) waiting.set(thread, { ...request, since: now(), for: 'rest' })
    },
    settled: (thread) => void waiting.delete(thread),
    left(thread) {
      const request = waiting.get(thread)
      if (request !== undefined) waiting.set(thread, { ...request, leftAt: now() })
    },
    answered(thread, answer) {
      requests += 1
      model = answer.model ?? model
      if (thread === 'main') stopReason = answer.stopReason ?? null
      noted = noted.filter((other) => other.thread !== thread)
      // What a CLI asks beside the run, such as whether there is quota left, may have a limit of one token.
      if (answer.stopReason === 'max-tokens' && !thread.startsWith('side:')) note(thread, CUT)
    },
    failed(thread, problem, final) {
      requests += 1
      note(final ? null : thread, problem)
    },
    spent(charged, used) {
      usage = addUsage([usage, used])
      // One request without a price makes the whole unknown: a sum of the rest would look cheaper than it was.
      costUsd = costUsd === null || charged === null ? null : costUsd + charged
    },
    problem: (problem) => note(null, problem),
    refused: (what) => countOne(refusals, what),
    counted: (counted) => countOne(counts, counted),
    reading() {
      const reading: MeterReading = {
        requests,
        usage,
        model,
        costUsd,
        problems: noted.map(({ problem }) => problem),
        ...(stopReason === null ? {} : { stopReason }),
        ...(refusals.size === 0 ? {} : { refused: listCounts(refusals) }),
        ...(counts.size === 0 ? {} : { counted: listCounts(counts) }),
      }
      const [oldest] = [...waiting.values()].toSorted((left, right) => left.since - right.since)
      return oldest === undefined ? reading : { ...reading, waits: describe(oldest, now()) }
    },
  }
}

function countOne(counts: Map<string, number>, what: string): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

function listCounts(counts: ReadonlyMap<string, number>): readonly RequestCount[] {
  return Array.from(counts, ([what, times]) => ({ what, times }))
}

const CUT: Problem = {
  code: 'max-tokens',
  message:
    'The answer of the model was cut off at its limit of tokens (`max_tokens`): the run did not continue after it. Ask for less in one answer.',
}

/** A request whose answer is not over. */
interface Request {
  /** When it was asked, or the last piece of its answer came. */
  readonly since: number
  readonly for: Waiting['for']
  readonly leftAt: number | null
  readonly refused: () => string | null
}

function describe({ since, leftAt, refused, ...request }: Request, now: number): Waiting {
  return { ms: (leftAt ?? now) - since, for: request.for, refused: request.for === 'start' ? refused() : null }
}
