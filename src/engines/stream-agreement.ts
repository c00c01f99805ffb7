import type { ObservedResult } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

type EventOf<K extends UnnumberedEvent['kind']> = Extract<UnnumberedEvent, { kind: K }>

/** A call as the gateway saw the model make it. */
export type ModelCall = Extract<AnswerBlock, { kind: 'tool-call' }>

/** A call as the stream shows it. */
export type ShownCall = EventOf<'tool-call'>

/** What the gateway saw the model call, in complete answers and in those that broke off. */
export interface ObservedCalls {
  readonly made: readonly ModelCall[]
  readonly broken: readonly ModelCall[]
}

/** How an engine's stream compares with what the gateway saw. What it leaves out is an exception of the engine. */
export interface StreamAgreement {
  /** Whether a call is not compared: one that the engine makes by itself, or that it names in its own way. */
  isOwnCall(call: ShownCall, observed: ObservedCalls): boolean
  /** One name for a tool, from that of the model or of the stream. */
  toolOf(name: string): string
  /** Whether the stream has every call of the main thread. */
  readonly showsCalls: boolean
  /** Whether a result of the stream is the one that the model got; absent where results are not compared. */
  agree?(shown: EventOf<'tool-result'>, given: ObservedResult): boolean
  /** What of it is compared, and what is not, as SECURITY.md has it. */
  readonly exceptions: Readonly<Record<'messages' | 'calls' | 'results', string>>
}

/**
 * Whether two texts are one result: white space, reminders that the engine adds for the model, and a part that was cut
 * out of the middle make no difference, nor do single lines. What is no text, such as an image that was scaled, is not
 * compared. `mask` is what the engine writes in place of a secret.
 */
export function isSameResult(shown: string, given: string, mask: string | null = null): boolean {
  if (NO_TEXT.test(given)) return true
  const [left, right] = [plain(shown), plain(given)]
  if (right.includes(left)) return true
  if (mask !== null && (holdsInOrder(right, left.split(mask)) || holdsInOrder(left, right.split(mask)))) return true
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start += 1
  let end = 0
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end += 1
  return start + end >= shorter * SAME_SHARE || sharedLines(shown, given) >= left.length * SAME_SHARE
}

function plain(text: string): string {
  return text.replaceAll(/<system-reminder>.*?<\/system-reminder>/gs, '').replaceAll(/\s+/g, '')
}

function holdsInOrder(text: string, parts: readonly string[]): boolean {
  let at = 0
  return parts.every((part) => {
    const found = text.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
}

/** How many characters are in lines that both have. */
function sharedLines(shown: string, given: string): number {
  const lines = new Set(given.split('\n').map(plain))
  return shown.split('\n').reduce((sum, line) => sum + (lines.has(plain(line)) ? plain(line).length : 0), 0)
}

/** The mark of a part that is no text, as the gateway writes it. */
const NO_TEXT = /^\{"kind":"other"/m
/** The rest is what an engine writes in place of what it has cut. */
const SAME_SHARE = 0.8
