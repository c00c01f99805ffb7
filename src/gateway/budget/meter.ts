import type { ErrorCode } from '../../lib/errors.ts'
import type { Usage } from '../../transcript/transcript.ts'
import type { StopReason } from '../../recordings/messages.ts'
import { costOf, type PaidUsage } from './price.ts'
import type { AnswerSource, MeterReading, Waiting, WireName } from '../leases/lease.ts'

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
  /** Tokens that were used without a whole answer; `model` is what the part of it named, `askedModel` the one that was asked. */
  spent(usage: PaidUsage | null, model?: string | null, askedModel?: string): void
  /** Something that makes the run worthless, whatever follows. */
  problem(problem: Problem): void
  /** A request that the gateway refused; `what` names it. */
  refused(what: string): void
  /** A request for a count of the tokens that a model would read, which is free. */
  counted(model: string): void
  /** Parts of a request, such as a field, that the gateway did not forward. */
  removed(parts: readonly string[]): void
  reading(): MeterReading
}

/** An answer that came to its end. */
export interface MeteredAnswer {
  readonly model: string | null
  /** The model that was asked. */
  readonly askedModel?: string
  readonly usage: PaidUsage | null
  /** How it ended, where that is known. A thread that goes on has recovered from the limit of tokens. */
  readonly stopReason?: StopReason | null
}

export interface Problem {
  readonly code: ErrorCode
  readonly message: string
}

export function createMeter(
  source: AnswerSource['kind'],
  wire: WireName,
  now: () => number = () => performance.now(),
): Meter {
  const isLive = source === 'live'
  let requests = 0
  let costUsd: number | null = 0
  let usage: Usage | null = null
  let model: string | null = null
  let stopReason: StopReason | null = null
  const waiting = new Map<string, Request>()
  let noted: readonly { readonly thread: string | null; readonly problem: Problem }[] = []
  let unnamed = 0
  const refusals = createTally()
  const counts = createTally()
  const removals = new Set<string>()
  const note = (thread: string | null, problem: Problem): void => {
    if (noted.some((other) => other.thread === thread && other.problem.message === problem.message)) return
    const alike = noted.filter((other) => (other.thread === null) === (thread === null)).length
    if (alike < (thread === null ? MAX_NAMED : MAX_FAILING)) noted = [...noted, { thread, problem }]
    // No engine has as many threads that fail at once: what is too much cannot be forgiven by naming yet another one.
    else if (thread !== null) note(null, problem)
    else unnamed += 1
  }
  const spend = (more: PaidUsage | null, pricedAs: string | null, askedModel: string | null): void => {
    if (more !== null) usage = sum(usage, more)
    // An answer of no model, such as a count of tokens, is free.
    if (!isLive || (more === null && pricedAs === null)) return
    const price = more === null ? null : costOf(askedModel, pricedAs, more, wire)
    // One answer without a price makes the whole unknown: a sum of the rest would look cheaper than it was.
    costUsd = costUsd === null || price === null ? null : costUsd + price
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
      spend(answer.usage, answer.model, answer.askedModel ?? null)
      noted = noted.filter((other) => other.thread !== thread)
      // What a CLI asks beside the run, such as whether there is quota left, may have a limit of one token.
      if (answer.stopReason === 'max-tokens' && !thread.startsWith('side:')) note(thread, CUT)
    },
    failed(thread, problem, final) {
      requests += 1
      note(final ? null : thread, problem)
    },
    spent: (more, by = null, askedModel) => spend(more, by ?? model, askedModel ?? null),
    problem: (problem) => note(null, problem),
    refused: (what) => refusals.add(what),
    counted: (counted) => counts.add(counted.slice(0, MAX_NAME_LENGTH)),
    removed(parts) {
      for (const part of parts) if (removals.size < MAX_NAMED) removals.add(part)
    },
    reading() {
      const problems = noted.map(({ problem }) => problem)
      if (unnamed > 0) problems.push(moreProblems(unnamed))
      const reading: MeterReading = {
        requests,
        usage,
        model,
        costUsd,
        problems,
        ...(stopReason === null ? {} : { stopReason }),
        ...(refusals.isEmpty() ? {} : { refused: refusals.all() }),
        ...(counts.isEmpty() ? {} : { counted: counts.all() }),
        ...(removals.size === 0 ? {} : { removed: [...removals] }),
      }
      const [oldest] = [...waiting.values()].toSorted((left, right) => left.since - right.since)
      return oldest === undefined ? reading : { ...reading, waits: describe(oldest, now()) }
    },
  }
}

/** Counts requests by what they are about. A session could name without end, so some names share a count. */
interface Tally {
  add(what: string): void
  isEmpty(): boolean
  all(): readonly { readonly what: string; readonly times: number }[]
}

function createTally(): Tally {
  const counts = new Map<string, number>()
  return {
    add(what) {
      const named = counts.has(what) || counts.size < MAX_NAMED ? what : OTHERS
      counts.set(named, (counts.get(named) ?? 0) + 1)
    },
    isEmpty: () => counts.size === 0,
    all: () => Array.from(counts, ([what, times]) => ({ what, times })),
  }
}

const CUT: Problem = {
  code: 'max-tokens',
  message:
    'The answer of the model was cut off at its limit of tokens (`max_tokens`): the run did not continue after it. Ask for less in one answer.',
}

/** A session could name without end; the others are counted. */
const MAX_NAMED = 20
const MAX_FAILING = 200
const MAX_NAME_LENGTH = 100
const OTHERS = 'other requests'

function moreProblems(count: number): Problem {
  return { code: 'unexpected-request', message: `${count} more problems of this session are not listed.` }
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

function sum(left: Usage | null, right: Usage): Usage {
  return {
    inputTokens: (left?.inputTokens ?? 0) + right.inputTokens,
    outputTokens: (left?.outputTokens ?? 0) + right.outputTokens,
    cacheReadTokens: (left?.cacheReadTokens ?? 0) + right.cacheReadTokens,
    cacheWriteTokens: (left?.cacheWriteTokens ?? 0) + right.cacheWriteTokens,
  }
}
