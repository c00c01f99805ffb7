import type { MeteredAnswer } from '../budget/meter.ts'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { Lead } from '../first-turn/leaders.ts'
import type { Reservation } from '../budget/budget.ts'
import { PATIENCE_MS, retryAfterMs, type RateLimiter } from '../pace.ts'
import { costOfPart, costOfWhole, endBySpentBudget, isLowered, reserveFor, type Account } from './account.ts'
import { limitBody } from '../read-asked.ts'
import { responseHeaders } from '../model-server.ts'
import { AnswerTooLarge, createAnswerLimit, createMask } from '../mask.ts'
import { hideSecret } from '../redact.ts'
import { isEventStream, DECLINED, type AnswerObserver, type ObservedAnswer } from '../wires/wire.ts'
import { describeRefusal, type Exchange, type Source } from './source.ts'
import { askUpstream, askWithoutSession, isUnreachable, readStart } from './upstream-request.ts'
import type { UpstreamTarget } from './upstream-request.ts'

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
  return {
    kind: 'forwards',
    forward: (exchange) => forward(exchange, api),
    close() {
      api.agents.http.destroy()
      api.agents.https.destroy()
    },
  }
}

async function forward(exchange: Exchange, api: Api): Promise<void> {
  const { response, signal } = exchange
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const over = AbortSignal.any([signal, gone.signal, exchange.ended])
  let reservation: Reservation | null = null
  let lead: Lead | null = null
  const sent: Sent = { isOnItsWay: false }
  try {
    // What waits for another one reserves nothing yet, or the two would wait for each other.
    lead = await exchange.follow(over)
    await api.account.check()
    reservation = await reserveFor(exchange, api, over)
    // What it had to wait for may have been the answer that closed the account.
    await api.account.check()
    await ask(exchange, { api, reservation, lead, sent }, over)
  } catch (error) {
    if (over.aborted) {
      // The API may still work on it. What we broke off before it answered has cost what was sent.
      if (sent.isOnItsWay) reservation?.settle(exchange.ended.aborted ? reservation.inputUsd : null)
      if (exchange.route.operation === 'answer') exchange.meter.left(exchange.thread)
      return void response.destroy()
    }
    if (error instanceof AgentEvalsError) return refuse(exchange, error)
    unreachable(exchange, api.upstream, error)
  } finally {
    // What was not answered by a model costs nothing.
    reservation?.settle(0)
    lead?.over()
  }
}

/** Whether an API has a request that it has not answered. */
interface Sent {
  isOnItsWay: boolean
}

interface Asking {
  readonly api: Api
  readonly reservation: Reservation
  readonly lead: Lead
  readonly sent: Sent
}

async function ask(exchange: Exchange, { api, reservation, lead, sent }: Asking, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const { meter, thread } = exchange
  if (exchange.route.operation === 'answer') meter.asked(thread, () => describeRefusals(api))
  for (;;) {
    const turn = await api.pace.enter(signal)
    let waitMs: number | null = null
    let tooFast = false
    let isPassedBack = false
    let refusalText = ''
    try {
      const body = exchange.body === null ? null : limitBody(exchange.body, reservation.outputTokens)
      sent.isOnItsWay = true
      const incoming = await askUpstream({ ...exchange, body }, api, signal)
      if (incoming.statusCode === 200) {
        turn.begun()
        lead.begun()
      }
      if (incoming.statusCode !== 429) return await passBack(exchange, incoming, incoming, api, reservation, signal)

      const start = await readStart(incoming)
      sent.isOnItsWay = false
      tooFast = !describeRefusal(429, start.toString('utf8'), '', true).final
      refusalText = hideSecret(failureText(observe(exchange, incoming, start), 429), api.credential.secret)
      waitMs = retryAfterMs(incoming.headers)
      const patience = PATIENCE_MS - (performance.now() - startedAt)
      isPassedBack = (waitMs ?? 0) > patience
      if (!tooFast || isPassedBack)
        return await passBack(exchange, incoming, Readable.from([start]), api, reservation, signal)
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

function observe({ wire }: Exchange, incoming: IncomingMessage, body: Buffer): ObservedAnswer {
  const observer = wire.observe(incoming.statusCode ?? 502, incoming.headers['content-type'] ?? '')
  observer.chunk(body)
  return finish(observer, incoming)
}

async function passBack(
  exchange: Exchange,
  incoming: IncomingMessage,
  answer: Readable,
  { account, agents, credential, upstream }: Api,
  reservation: Reservation,
  signal: AbortSignal,
): Promise<void> {
  const { response, wire } = exchange
  const status = incoming.statusCode ?? 502
  const { meter, thread } = exchange
  const waits = exchange.route.operation === 'answer' ? meter : null
  waits?.progressed(thread)
  const contentType = incoming.headers['content-type'] ?? ''
  const observer = wire.observe(status, contentType)
  response.writeHead(status, responseHeaders(incoming.headersDistinct, credential.secret))
  response.flushHeaders()
  const mask = createMask(credential.secret, contentType)
  const reader = waits === null ? null : wire.readAnswer(contentType)
  mask.on('data', (chunk: Buffer) => {
    observer.chunk(chunk)
    reader?.chunk(chunk)
  })
  const limit = createAnswerLimit(isEventStream(contentType), exchange.grow)
  let passed = 0
  limit.on('data', (chunk: Buffer) => {
    passed += chunk.length
    waits?.progressed(thread)
  })
  // Where the API breaks off, the response closes before the pipeline ends on some versions of Node.
  let isBroken = false
  answer.once('error', () => (isBroken = !signal.aborted))
  const passedOn = await pipeline(answer, limit, mask, response).then(
    () => true,
    () => false,
  )
  // A connection that ends the answer with itself looks the same when we end it.
  const whole = passedOn && !exchange.signal.aborted && !exchange.ended.aborted
  const seen = finish(observer, incoming)
  if (exchange.route.operation !== 'answer') return
  const readAnswer = whole && status === 200 ? (reader?.end() ?? null) : null
  if (readAnswer !== null) exchange.onAnswer(readAnswer)
  else if (status === 200) exchange.brokeOff(reader?.part() ?? [])
  const isLeft = !whole && !(limit.errored instanceof AnswerTooLarge) && signal.aborted && !isBroken
  reservation.settle(
    whole ? costOfWhole(exchange, status, seen) : costOfPart(exchange, seen, passed),
    seen.usage?.outputTokens,
  )
  // An engine that hangs up has not been refused anything.
  if (isLeft) {
    meter.left(thread)
    return meter.spent(seen.usage, seen.model, exchange.model)
  }
  meter.settled(thread)
  if (limit.errored instanceof AnswerTooLarge) {
    meter.spent(seen.usage, seen.model, exchange.model)
    const message = `The API at ${upstream.host} gave an answer that is not a model answer: ${limit.errored.message}.`
    if (limit.errored.isAlone) exchange.tooLarge()
    return meter.failed(thread, { code: 'upstream-failed', message }, limit.errored.isAlone)
  }
  noteRefusal(exchange, status, seen, { account, credential, upstream, agents })
  const { stopReason = null } = readAnswer ?? {}
  const isByUs = stopReason === 'max-tokens' && isLowered(exchange, reservation)
  if (isByUs) endBySpentBudget(exchange, reservation)
  measure(exchange, status, { ...seen, stopReason: isByUs ? null : stopReason }, upstream)
}

/** Closes an account that an API refuses, so that neither retries nor other sessions ask it in vain. */
function noteRefusal(
  exchange: Exchange,
  status: number,
  seen: ObservedAnswer,
  { account, ...target }: Pick<Api, 'account'> & UpstreamTarget,
): void {
  if (status === 200) return account.accepted()
  const { host } = target.upstream
  const { problem } = describeRefusal(status, failureText(seen, status), `The API at ${host}`, true)
  if (problem.code === 'out-of-credit') account.isEmpty(problem)
  else if (status === 401 || status === 403) account.isRefused(host, () => askWithoutSession(exchange, target))
}

/** What cannot be read is unknown, not wrong. */
function finish(observer: AnswerObserver, incoming: IncomingMessage): ObservedAnswer {
  const coding = incoming.headers['content-encoding'] ?? 'identity'
  return coding === 'identity' ? observer.end() : { model: null, usage: null, failure: null, complete: true }
}

function measure(
  { meter, thread, model: askedModel }: Exchange,
  status: number,
  seen: ObservedAnswer & Pick<MeteredAnswer, 'stopReason'>,
  upstream: URL,
): void {
  if (status === 200 && seen.failure === null && seen.complete) return meter.answered(thread, { ...seen, askedModel })
  if (status === 200 && seen.failure?.type === DECLINED.type) {
    meter.spent(seen.usage, seen.model, askedModel)
    const message = `The model declined to answer: the API at ${upstream.host} ended its answer as a refusal.`
    return meter.failed(thread, { code: 'model-refused', message }, false)
  }
  // What is refused at once costs nothing; what breaks off has an unknown cost.
  if (status === 200 || seen.usage !== null) meter.spent(seen.usage, seen.model, askedModel)
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

function unreachable({ wire, response, meter, thread, route }: Exchange, upstream: URL, error: unknown): void {
  const reason = error instanceof Error && 'code' in error ? String(error.code) : 'the connection failed'
  const message = `The API at ${upstream.host} cannot be reached (${reason}). Check the network and ${wire.api.variable ?? 'its address'}.`
  meter.settled(thread)
  if (route.operation === 'answer') meter.failed(thread, { code: 'upstream-failed', message }, false)
  if (response.headersSent) return void response.destroy()
  // The gateway has tried again by itself.
  const retry = isUnreachable(error) ? false : null
  const answer = wire.writeFailure({ status: 502, type: null, message, retryAfter: null, retry })
  response.writeHead(answer.status, answer.headers).end(answer.body)
}
