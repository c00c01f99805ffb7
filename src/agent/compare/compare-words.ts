import type { Conversation } from '../../conversation/conversation.ts'
import type { AnswerBlock } from '../../conversation/model.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'
import { quoteRecord } from './quote-record.ts'
import { withoutSpace } from '../../texts.ts'

/** What an engine's stream shows of the agent's words. */
export interface ShownWords {
  readonly events: readonly UnnumberedEvent[]
  /** All messages of the main thread, as checks and judges read them. */
  readonly output: string
  readonly finalMessage: string
}

/**
 * One sentence on the first message of an engine's stream that is none of the model's, or that is missing from it; `null`
 * when the words agree. The main thread's messages have to be the complete blocks of the model's answers, character for
 * character and in their order, so that no part of an answer, and no earlier one, can be shown as the agent's last words.
 */
export function compareWords({ events, output, finalMessage }: ShownWords, conversation: Conversation): string | null {
  const { threads, fragments = [] } = conversation
  const main = blocksOf(threads.filter(({ thread }) => thread === 'main'))
  const others = blocksOf(threads.filter(({ thread }) => thread !== 'main'))
  const broken = fragments.flatMap((block) => (block.kind === 'text' ? [block.text.trim()] : []))
  const shown: ShownMessage[] = []
  let cursor = 0
  for (const event of events) {
    if (event.kind !== 'message') continue
    const text = event.text.trim()
    if (text === '') continue
    const isMain = event.agent === null
    const found = isMain ? findBlocks(main, text, cursor) : (findBlocks(others, text) ?? findBlocks(main, text))
    if (found === null && !isPartOf(broken, text))
      return describeForged(text, { expected: isMain ? main[cursor] : undefined, all: [...main, ...others] })
    if (!isMain) continue
    shown.push({ text, answer: found === null ? null : (main[found.start]?.answer ?? null) })
    if (found === null) continue
    const hidden = findHidden(main.slice(cursor, found.start))
    if (hidden !== null) return hidden
    cursor = found.end
  }
  return findHidden(main.slice(cursor)) ?? describeOtherOutput({ output, finalMessage }, shown)
}

/** A text of an answer, without the white space around it: engines put blocks together in ways of their own. */
interface Block {
  readonly text: string
  /** Number of its answer among all of the thread. */
  readonly answer: number
  /** Whether the session shows it: the answer is to a request of its own, and no other answer was given to that one. */
  readonly isDue: boolean
}

interface ShownMessage {
  readonly text: string
  /** `null` for what came of an answer that broke off. */
  readonly answer: number | null
}

function blocksOf(threads: Conversation['threads']): readonly Block[] {
  const turns = threads.flatMap((thread) => thread.turns)
  return turns.flatMap(({ answer, isOwn = false, isRepeated = false }, index) =>
    textsIn(answer?.content ?? []).map((text) => ({ text, answer: index, isDue: isOwn && !isRepeated })),
  )
}

function textsIn(content: readonly AnswerBlock[]): readonly string[] {
  return content.flatMap((block) => (block.kind === 'text' && block.text.trim() !== '' ? [block.text.trim()] : []))
}

/** The first blocks of one answer that are, together, this text; `null` when there are none. */
function findBlocks(
  blocks: readonly Block[],
  text: string,
  from = 0,
): { readonly start: number; readonly end: number } | null {
  for (let start = from; start < blocks.length; start += 1) {
    const end = endOfText(blocks, text, start)
    if (end !== null) return { start, end }
  }
  return null
}

function endOfText(blocks: readonly Block[], text: string, start: number): number | null {
  let at = 0
  for (let index = start; blocks[index]?.answer === blocks[start]?.answer; index += 1) {
    const block = blocks[index]
    if (block === undefined || !text.startsWith(block.text, at)) return null
    at += block.text.length
    if (at === text.length) return index + 1
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0
  }
  return null
}

/** Whether a text begins like what came of an answer that broke off. */
function isPartOf(broken: readonly string[], text: string): boolean {
  return broken.some((_, start) => {
    let at = 0
    for (const block of broken.slice(start)) {
      const rest = text.slice(at)
      if (block.startsWith(rest)) return true
      if (!rest.startsWith(block)) return false
      at = text.length - rest.slice(block.length).trimStart().length
    }
    return false
  })
}

function findHidden(skipped: readonly Block[]): string | null {
  const hidden = skipped.find(({ isDue }) => isDue)
  return hidden === undefined
    ? null
    : `${DIFFER} the gateway saw the model say ${quoteRecord(hidden.text)}, and the engine's stream does not show it.`
}

function describeForged(
  text: string,
  { expected, all }: { readonly expected: Block | undefined; readonly all: readonly Block[] },
): string {
  const what = `${DIFFER} the engine's stream has the message ${quoteRecord(text)}, and`
  if (all.some((block) => block.text.includes(text)))
    return `${what} the gateway saw the model say it at another place, or as a part of more.`
  const instead = expected === undefined ? '' : `: there the gateway saw the model say ${quoteRecord(expected.text)}`
  return `${what} no model answer contains it${instead}.`
}

/** An engine's reader puts the messages together by what the stream says of them, such as their ids. */
function describeOtherOutput(
  { output, finalMessage }: Pick<ShownWords, 'finalMessage' | 'output'>,
  shown: readonly ShownMessage[],
): string | null {
  const last = shown.at(-1)
  const ofLastAnswer = shown.filter(({ answer }) => answer !== null && answer === last?.answer)
  const isLast = isEnding(shown, finalMessage) || isEnding(ofLastAnswer, finalMessage)
  if (joined(shown) === withoutSpace(output) && (isLast || last === undefined || last.answer === null)) return null
  return `${DIFFER} the engine's stream ends with the message ${quoteRecord(finalMessage)}, and the gateway saw the model end with ${quoteRecord(last?.text ?? '')}.`
}

/** Whether a text is the last of these messages; several, where an API gives several answers one id. */
function isEnding(messages: readonly ShownMessage[], text: string): boolean {
  const ending = withoutSpace(text)
  let length = 0
  for (const message of messages.toReversed()) {
    if (length >= ending.length) break
    length += withoutSpace(message.text).length
  }
  return length > 0 && length === ending.length && joined(messages).endsWith(ending)
}

function joined(messages: readonly ShownMessage[]): string {
  return messages.map(({ text }) => withoutSpace(text)).join('')
}

const DIFFER = 'The records of the session differ:'
