import type { ObservedResult } from '../../conversation/conversation.ts'
import type { AnswerBlock } from '../../conversation/model.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'

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
 * Whether two texts are one result: white space, reminders that the engine adds for the model, an end or a beginning that
 * the stream leaves out, and parts that the engine cut out for the model make no difference. What is no text, such as an
 * image that was scaled, is not compared. `mask` is what the engine writes in place of a secret.
 */
export function isSameResult(shown: string, given: string, mask: string | null = null): boolean {
  if (NO_TEXT.test(given)) return true
  const [left, right] = [plain(shown), plain(given)]
  if (right.startsWith(left) || right.endsWith(left) || isCutOf(right, left)) return true
  return mask !== null && (isMaskOf(left, right, mask) || isMaskOf(right, left, mask))
}

/** Whether a text is another one with a mark in place of a part of it. */
function isCutOf(cut: string, whole: string): boolean {
  const shorter = Math.min(cut.length, whole.length)
  let start = 0
  while (start < shorter && cut[start] === whole[start]) start += 1
  let end = 0
  while (end < shorter - start && cut.at(-1 - end) === whole.at(-1 - end)) end += 1
  const mark = cut.slice(start, cut.length - end)
  return mark.length <= LONGEST_MARK && CUT_MARK.test(mark)
}

function isMaskOf(masked: string, whole: string, mask: string): boolean {
  return masked.includes(mask) && holdsInOrder(whole, masked.split(mask))
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

/** The mark of a part that is no text, as the gateway writes it. */
const NO_TEXT = /^\{"kind":"other"/m
/** What engines write in place of what they have cut. */
const CUT_MARK = /…|\.{3}|\bcut\b|truncated|omitted/i
const LONGEST_MARK = 500
