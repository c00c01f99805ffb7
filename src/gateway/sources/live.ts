import type { MeteredAnswer } from '../budget/meter.ts'
import type { ServerResponse } from 'node:http'
import { finished, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { shorten, singleSpaced } from '../../lib/text.ts'
import type { Lead } from '../first-turn/leaders.ts'
import type { PaidRequest } from '../budget/budget.ts'
import { PATIENCE_MS, retryAfterMs, type RateLimiter } from '../rate-limiter.ts'
import { admit, costOfAnswer, type Account } from './account.ts'
import { limitBody } from '../body.ts'
import { responseHeaders } from '../model-server.ts'
import { AnswerTooLarge, createAnswerLimit, createMask } from '../mask.ts'
import { hideSecret } from '../redact.ts'
import { isEventStream, DECLINED, type AnswerReader, type ObservedAnswer } from '../wires/wire.ts'
import { describeRefusal, type Exchange, type Source } from './source.ts'
import { askUpstream, askWithoutSession, isUnreachable, readStart } from './upstream-request.ts'
import type { UpstreamAnswer, UpstreamTarget } from './upstream-request.ts'

/** The API that requests are passed on to. */
export interface Api extends UpstreamTarget {
  /** Of all who ask this API. */
  readonly pace: RateLimiter
  /** Whom it bills. */
  readonly account: Account
  /** Whether models without a price may be asked. */
  readonly allowUnknownCost: boolean
}

/**
 * Asks the real API with the real credential, passes its answers back byte for byte, and meters them.
 *
 * A refusal for going too fast is not passed back: the request waits for its next turn, so that no engine's own
 * retries run out. Every other error is the engine's to handle.
 */
export function createLiveSource(api: Api): Source {
  const open = new Set<Promise<void>>()
  const over = new AbortController()
  const closed = new AbortController()
  return {
    kind: 'forwards',
    async forward(exchange) {
      const forwarded = forward(exchange, api, { over: over.signal, closed: closed.signal })
      open.add(forwarded)
      await forwarded.finally(() => open.delete(forwarded))
    },
    async settle() {
      over.abort()
      await Promise.allSettled(open)
    },
    close() {
      closed.abort()
      api.connections.close()
    },
  }
}

/** How long the rest of an answer is read when nobody waits for it any more. */
const REST_MS = 2000

/** The ends of a source. */
interface Ends {
  /** Aborts when no answer is waited for any more. */
  readonly over: AbortSignal
  /** Aborts when nothing is read any more. */
  readonly closed: AbortSignal
}

async function forward(exchange: Exchange, api: Api, ends: Ends): Promise<void> {
  const { response, signal, ended, meter, thread } = exchange
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const rest = new AbortController()
  const cut = AbortSignal.any([ended, ends.closed, rest.signal])
  const over = AbortSignal.any([signal, gone.signal, ends.over, cut])
  const leave = (): void => {
    if (exchange.route.operation === 'answer') meter.left(thread)
    setTimeout(() => rest.abort(), REST_MS).unref()
  }
  over.addEventListener('abort', leave, { once: true })
  let lead: Lead | null = null
  const sent: Sent = { paid: null }
  try {
    lead = await exchange.follow(over)
    await api.account.check(exchange.givesUp ? exchange.model : null)
    await ask(exchange, { api, lead, sent, over, cut })
  } catch (error) {
    if (over.aborted) {
      // The API may still work on it. What we broke off before it answered has cost what was sent.
      if (sent.paid !== null && !isUnreachable(error))
        meter.spent(sent.paid.settle(ended.aborted ? sent.paid.inputUsd : null), null)
      return void response.destroy()
    }
    if (error instanceof AgentEvalsError) return refuse(exchange, error)
    unreachable(exchange, api, error)
  } finally {
    // What was not answered by a model costs nothing.
    sent.paid?.settle(0)
    lead?.over()
  }
}

/** The request that an API has and has not answered. */
interface Sent {
  paid: PaidRequest | null
}

interface Asking {
  readonly api: Api
  readonly lead: Lead
  readonly sent: Sent
  /** Aborts when nobody waits for the answer any more. */
  readonly over: AbortSignal
  /** Aborts when the rest of it is not even read for what it cost. */
  readonly cut: AbortSignal
}

async function ask(exchange: Exchange, asking: Asking): Promise<void> {
  const { api, lead, sent, over, cut } = asking
  const startedAt = performance.now()
  const { meter, thread } = exchange
  if (exchange.route.operation === 'answer') meter.asked(thread, () => describeRefusals(api))
  for (;;) {
    const turn = await api.pace.enter(over, meter)
    let waitMs: number | null = null
    let tooFast = false
    let isPassedBack = true
    let refusalText = ''
    try {
      const paid = admit(exchange, api)
      sent.paid = paid
      isPassedBack = false
      const body = exchange.body === null ? null : limitBody(exchange.body, exchange.wire.limits, paid.outputTokens)
      const incoming = await askUpstream({ ...exchange, body }, api, cut)
      if (incoming.status === 200) {
        lead.begun()
      }
      if (incoming.status !== 429) return await passBack(exchange, incoming, incoming.body, { ...asking, paid })

      const start = await readStart(incoming)
      paid.settle(0)
      sent.paid = null
      tooFast = !describeRefusal(429, start.toString('utf8'), '', true).final
      refusalText = hideSecret(failureText(observe(exchange, incoming, start), 429), api.credential.secret)
      waitMs = retryAfterMs(incoming.headers)
      const patience = PATIENCE_MS - (performance.now() - startedAt)
      isPassedBack = (waitMs ?? 0) > patience
      if (!tooFast || isPassedBack)
        return await passBack(exchange, incoming, Readable.from([start]), { ...asking, paid })
    } finally {
      if (isPassedBack) turn.passedBack()
      else if (tooFast) turn.refused(waitMs, refusalText)
      else turn.took()
    }
  }
}

function describeRefusals({ pace: limiter, upstream }: Api): string | null {
  const refusals = limiter.refusals()
  if (refusals === null) return null
  const { times, forMs, message: refusalText } = refusals
  const { problem } = describeRefusal(429, refusalText, `The API at ${upstream.host}`, true)
  const often = times === 1 ? 'once' : `${times} times in a row, over ${Math.round(forMs / 1000)} s`
  return `${problem.message.replace(/\.$/, '')} (${often})`
}

function observe({ wire }: Exchange, incoming: UpstreamAnswer, body: Buffer): ObservedAnswer {
  const reader = wire.readAnswer(incoming.status, incoming.headers['content-type'] ?? '')
  reader.chunk(body)
  return seenBy(reader, incoming)
}

async function passBack(
  exchange: Exchange,
  incoming: UpstreamAnswer,
  answer: Readable,
  { api: { account, connections, credential, upstream }, paid, over, cut }: Asking & { readonly paid: PaidRequest },
): Promise<void> {
  const { response, wire } = exchange
  const { status } = incoming
  const { meter, thread } = exchange
  const waits = exchange.route.operation === 'answer' ? meter : null
  waits?.progressed(thread)
  const contentType = incoming.headers['content-type'] ?? ''
  const reader = wire.readAnswer(status, contentType)
  if (!response.destroyed) {
    response.writeHead(status, responseHeaders(incoming.headers, credential.secret))
    response.flushHeaders()
  }
  const mask = createMask(credential.secret)
  /** What had come when the session hung up. */
  let left: ReturnType<AnswerReader['part']> | null = null
  let start = ''
  mask.on('data', (chunk: Buffer) => {
    if (response.destroyed) left ??= reader.part()
    reader.chunk(chunk)
    if (start.length < LONGEST_START) start += chunk.toString('utf8', 0, LONGEST_START)
  })
  const limit = createAnswerLimit()
  let passed = 0
  limit.on('data', (chunk: Buffer) => {
    passed += chunk.length
    if (!response.destroyed) waits?.progressed(thread)
  })
  // Where the API breaks off, the response closes before the pipeline ends on some versions of Node.
  let isBroken = false
  answer.once('error', () => (isBroken = !over.aborted))
  const isEnded = await pipeline(answer, limit, mask, whileOpen(response)).then(
    () => true,
    () => false,
  )
  // A connection that ends the answer with itself looks the same when we end it.
  const isRead = isEnded && !cut.aborted
  const whole = isRead && response.writableFinished && !exchange.signal.aborted
  const seen = seenBy(reader, incoming)
  if (exchange.route.operation !== 'answer') return
  const readAnswer = whole && status === 200 ? reader.whole() : null
  if (readAnswer !== null) exchange.onAnswer(readAnswer)
  else if (status === 200) exchange.brokeOff(left ?? reader.part())
  const isLeft = !whole && !(limit.errored instanceof AnswerTooLarge) && over.aborted && !isBroken
  const costUsd = costOfAnswer(exchange, { status, seen, brokeOffAfter: isRead ? null : passed })
  meter.spent(paid.settle(costUsd, seen.usage?.outputTokens), seen.usage)
  // An engine that hangs up has not been refused anything.
  if (isLeft) return
  meter.settled(thread)
  if (limit.errored instanceof AnswerTooLarge) {
    const message = `The API at ${upstream.host} returned something that is not a model response: ${limit.errored.message}.`
    return meter.failed(thread, { code: 'upstream-failed', message }, true)
  }
  noteRefusal(exchange, status, seen, { account, credential, upstream, connections })
  const { stopReason = null } = readAnswer ?? {}
  const isByUs = stopReason === 'max-tokens' && paid.isLowered
  if (isByUs) {
    const { code, message } = exchange.spending.cut(paid.outputTokens ?? 0)
    meter.problem({ code, message })
  }
  // What came whole and is no event stream is read as one response.
  const isOther = whole && !isEventStream(contentType) && readAnswer === null && seen.failure === null
  if (status === 200 && isOther && isReadable(incoming)) {
    const message = `The API at ${upstream.host}${upstream.pathname} returned something that is not a model response: ${describeStart(start)}. Check the base URL and the name of the provider.`
    return meter.failed(thread, { code: 'upstream-failed', message }, false)
  }
  measure(exchange, status, { ...seen, stopReason: isByUs ? null : stopReason }, upstream)
}

const LONGEST_START = 1000

function describeStart(start: string): string {
  const line = singleSpaced(start)
  return line === '' ? 'an empty body' : JSON.stringify(shorten(line, 200))
}

/** Passes an answer on for as long as somebody reads it. The rest is still read here, since its end says what it cost. */
function whileOpen(response: ServerResponse): Writable {
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (response.destroyed || response.write(chunk)) return done()
      const goOn = (): void => {
        response.off('drain', goOn).off('close', goOn)
        done()
      }
      response.on('drain', goOn).on('close', goOn)
    },
    final(done) {
      if (!response.destroyed) response.end()
      finished(response, () => done())
    },
    destroy(error, done) {
      if (error !== null) response.destroy()
      done(error)
    },
  })
}

/** Closes an account that an API refuses, so that neither retries nor other sessions ask it in vain, and notes an outage. */
function noteRefusal(
  exchange: Exchange,
  status: number,
  seen: ObservedAnswer,
  { account, ...target }: Pick<Api, 'account'> & UpstreamTarget,
): void {
  if (status === 200 && seen.failure === null) return account.markAccepted(exchange.model)
  const { host } = target.upstream
  const { problem } = describeRefusal(status, failureText(seen, status), `The API at ${host}`, true)
  if (problem.code === 'out-of-credit') account.markEmpty(problem)
  else if (status === 401 || status === 403) account.markRefused(host, () => askWithoutSession(exchange, target))
  else if (status >= 500 && exchange.givesUp) account.markUnanswered(exchange.model, problem)
}

function isReadable({ headers }: UpstreamAnswer): boolean {
  return (headers['content-encoding'] ?? 'identity') === 'identity'
}

/** What cannot be read is unknown, not wrong. */
function seenBy(reader: AnswerReader, incoming: UpstreamAnswer): ObservedAnswer {
  return isReadable(incoming) ? reader.seen() : { model: null, usage: null, failure: null, complete: true }
}

function measure(
  { meter, thread }: Exchange,
  status: number,
  seen: ObservedAnswer & Pick<MeteredAnswer, 'stopReason'>,
  upstream: URL,
): void {
  if (status === 200 && seen.failure === null && seen.complete) return meter.answered(thread, seen)
  if (status === 200 && seen.failure?.type === DECLINED.type) {
    const message = `The model declined to answer: the API at ${upstream.host} ended its answer as a refusal.`
    return meter.failed(thread, { code: 'model-refused', message }, false)
  }
  const { problem, final } = describeRefusal(status, failureText(seen, status), `The API at ${upstream.host}`, true)
  meter.failed(thread, problem, final)
}

function failureText({ failure }: ObservedAnswer, status: number): string {
  const kind = failure === null || failure.type === '' ? '' : `${failure.type}: `
  return `${kind}${failure?.message ?? (status === 200 ? 'the answer broke off' : '')}`
}

function refuse({ wire, response, meter, route }: Exchange, { code, message }: AgentEvalsError): void {
  if (route.operation === 'answer') meter.problem({ code, message })
  const failure = { status: 403, type: null, message: `agent-evals: ${message}`, retryAfter: null, retry: false }
  const answer = wire.writeFailure(failure)
  response.writeHead(answer.status, answer.headers).end(answer.body)
}

function unreachable(
  { wire, response, meter, thread, route, model, givesUp }: Exchange,
  { account, connections, upstream }: Api,
  error: unknown,
): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  // Only the message tells what a proxy answered.
  const reason = code === 'UND_ERR_ABORTED' ? messageOf(error) : code || 'the connection failed'
  const message = `The API at ${upstream.host} cannot be reached${connections.throughProxy} (${reason}). Check the network and ${wire.api.variable ?? 'its address'}.`
  meter.settled(thread)
  if (route.operation === 'answer') meter.failed(thread, { code: 'upstream-failed', message }, false)
  if (givesUp) account.markUnanswered(model, { code: 'upstream-failed', message })
  if (response.headersSent) return void response.destroy()
  // The gateway has tried again by itself.
  const retry = isUnreachable(error) ? false : null
  const answer = wire.writeFailure({ status: 502, type: null, message, retryAfter: null, retry })
  response.writeHead(answer.status, answer.headers).end(answer.body)
}
