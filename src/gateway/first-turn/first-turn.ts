import { isJsonObject, type JsonValue } from '../../lib/json.ts'
import { sha256OfJson } from '../../lib/sha256.ts'
import { shorten } from '../../lib/text.ts'

/** What becomes of the first request of a lease. */
export type FirstTurnMode =
  /** It is kept and never answered: its session is only started to see it. */
  | 'hold'
  /** It is sent without a session, which may follow: its answer is handed over then. */
  | 'probe'

/** An answer as it came, byte for byte. */
export interface StoredAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, readonly string[]>>
  /** Base64. */
  readonly body: string
  /** The same answer to a request that is not streamed; `null` for a failure, which only one request gets. */
  readonly message: string | null
  /** Whether it broke off. */
  readonly isCut: boolean
}

/** What a session gets of the probe before it. */
export interface HandOver {
  readonly request: FirstRequest
  /** `null` where nothing came back: the session asks by itself. */
  readonly answer: StoredAnswer | null
}

/** What to do with a request. */
type Meeting =
  | { readonly kind: 'differs' | 'hold' | 'pass' }
  | { readonly kind: 'serve'; readonly answer: StoredAnswer }

/** Follows the first request of one lease. */
export interface FirstTurn {
  readonly mode: FirstTurnMode
  /** Whether requests have to be met: those of a probe itself do not, as long as no session follows it. */
  readonly meets: boolean
  /** Takes a request for an answer; `fingerprint` is the same for one that is sent again. */
  meet(request: FirstRequest, fingerprint: string): Meeting
  /** The first request; resolves when it comes. */
  first(): Promise<FirstRequest>
  handOver(next: HandOver): void
  /** Where the session's own first request differs from the probe's; `null` where it does not. */
  readonly difference: string | null
}

export function createFirstTurn(mode: FirstTurnMode): FirstTurn {
  let handedOver: HandOver | null = null
  let served: string | null = null
  let difference: string | null = null
  let firstRequest: FirstRequest | null = null
  const waiting: ((request: FirstRequest) => void)[] = []

  const serve = (request: FirstRequest, fingerprint: string): Meeting => {
    if (handedOver?.answer == null || request.thread !== 'main') return { kind: 'pass' }
    if (difference !== null) return { kind: 'differs' }
    if (served !== null && handedOver.answer.message === null) return { kind: 'pass' }
    if (served === null) {
      difference = findDifference(handedOver.request, request)
      if (difference !== null) return { kind: 'differs' }
      served = fingerprint
    }
    return fingerprint === served ? { kind: 'serve', answer: handedOver.answer } : { kind: 'pass' }
  }

  return {
    mode,
    get meets() {
      return mode === 'hold' || handedOver !== null
    },
    meet(request, fingerprint) {
      firstRequest ??= request
      for (const tell of waiting.splice(0)) tell(firstRequest)
      return mode === 'hold' ? { kind: 'hold' } : serve(request, fingerprint)
    },
    first: () =>
      firstRequest === null ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(firstRequest),
    handOver: (next) => {
      handedOver = next
    },
    get difference() {
      return difference
    },
  }
}

/** A request of an engine for a first answer, with what of it reaches a model. */
export interface FirstRequest {
  /** With its query. */
  readonly path: string
  /** Those that go on to the API. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly body: string
  /** Thread that sent it, such as `main`. */
  readonly thread: string
}

/** What tells two requests apart although they ask the same. */
interface Exchanged {
  /** Text that the person wrote; only whole values equal to it count. */
  readonly prompt?: string
}

/**
 * Names the first place in which two requests differ, after their ids and prompts are exchanged; `null` when they are equal.
 * Whether an answer is streamed does not change it.
 */
export function findDifference(
  left: FirstRequest,
  right: FirstRequest,
  [ofLeft, ofRight]: readonly [Exchanged, Exchanged] = [{}, {}],
): string | null {
  if (left.path !== right.path) return `the path: ${quote(left.path)} and ${quote(right.path)}`
  return (
    compare(stable(left.headers, ofLeft), stable(right.headers, ofRight), 'headers') ??
    compare(stable(bodyOf(left), ofLeft), stable(bodyOf(right), ofRight), 'body')
  )
}

/** The parsed body of a request, without what only says how its answer is sent. */
export function bodyOf({ body }: Pick<FirstRequest, 'body'>): JsonValue {
  const value = JSON.parse(body) as JsonValue
  if (!isJsonObject(value)) return value
  const { stream: _stream, ...rest } = value
  return rest
}

/** What decides which part of a request a prompt cache holds. */
export type CachedRequest = Pick<FirstRequest, 'body' | 'path'>

/** Hash of what comes before the messages. The listing of skills, which is one of them, is not the same in all suites. */
export function cachedPart(request: CachedRequest): string {
  const body = bodyOf(request)
  const { model, system, tools } = isJsonObject(body) ? body : {}
  return sha256OfJson([request.path, model, system, tools])
}

/** An id that a session makes up: a UUID, or a hash of 64 digits. */
export const SESSION_ID: RegExp = /\b(?:[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|[\da-f]{64})\b/g

function stable(value: JsonValue, exchanged: Exchanged): JsonValue {
  if (typeof value === 'string')
    return value === exchanged.prompt ? PROMPT : value.replace(SESSION_ID, (id) => `<id of ${id.length}>`)
  if (Array.isArray(value)) return value.map((item: JsonValue) => stable(item, exchanged))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, stable(item ?? null, exchanged)]))
}

// No request contains a control character of this kind by itself.
const PROMPT = '\u0000prompt'

function compare(left: JsonValue, right: JsonValue, place: string): string | null {
  if (typeof left === 'string' && typeof right === 'string') return left === right ? null : inText(left, right, place)
  if (Array.isArray(left) && Array.isArray(right)) {
    const [one, other]: readonly (readonly JsonValue[])[] = [left, right]
    if (one?.length !== other?.length) return `${place}: ${one?.length} and ${other?.length} entries`
    return first(one?.map((item, index) => compare(item, other?.[index] ?? null, `${place}.${index}`)) ?? [])
  }
  if (isJsonObject(left) && isJsonObject(right)) {
    const [names, others] = [Object.keys(left), Object.keys(right)]
    if (names.join('\n') !== others.join('\n'))
      return `${place}: the fields ${names.join(', ')} and ${others.join(', ')}`
    return first(names.map((name) => compare(left[name] ?? null, right[name] ?? null, `${place}.${name}`)))
  }
  return JSON.stringify(left) === JSON.stringify(right) ? null : `${place}: ${quote(left)} and ${quote(right)}`
}

function first(differences: readonly (string | null)[]): string | null {
  return differences.find((one) => one !== null) ?? null
}

function inText(left: string, right: string, place: string): string {
  let at = 0
  while (left[at] === right[at]) at += 1
  const near = (text: string): string => quote(text.slice(Math.max(0, at - BEFORE), at + BEHIND))
  return `${place}, character ${at + 1}: ${near(left)} and ${near(right)}`
}

function quote(value: JsonValue): string {
  return shorten(JSON.stringify(value), MOST_SHOWN)
}

const BEFORE = 20
const BEHIND = 40
const MOST_SHOWN = 120
