import type { Conversation } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { quoteRecord } from './quote-record.ts'

/**
 * One sentence on the first message of an engine's stream that is none of the model's; `null` when all are. The main
 * thread's have to be complete blocks of its answers in their order, so that no part of an answer, and no earlier answer,
 * can be shown as the agent's last words.
 */
export function compareWords(
  events: readonly UnnumberedEvent[],
  { threads, fragments = [] }: Conversation,
): string | null {
  const answersOf = (isMain: boolean): readonly (readonly string[])[] =>
    threads
      .filter(({ thread }) => (thread === 'main') === isMain)
      .flatMap(({ turns }) => turns.map(({ answer }) => blocksOf(answer?.content ?? [])))
  const main = answersOf(true)
  const others = answersOf(false)
  const broken = blocksOf(fragments).join('')
  let cursor: Place = { answer: 0, block: 0 }
  for (const event of events) {
    if (event.kind !== 'message') continue
    const words = plainWords(event.text)
    if (words === '' || broken.includes(words)) continue
    const isMain = event.agent === null
    const next = isMain ? findWords(main, words, cursor) : findWords([...others, ...main], words)
    if (next === null) return describeForged(event.text, words, [...main, ...others])
    if (isMain) cursor = next
  }
  return null
}

/** A text without its white space: engines put blocks together and cut white space in ways of their own. */
function plainWords(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

function blocksOf(content: readonly AnswerBlock[]): readonly string[] {
  return content.flatMap((block) => (block.kind === 'text' ? [plainWords(block.text)] : []))
}

interface Place {
  readonly answer: number
  readonly block: number
}

/** Where the first blocks of one answer end that are, together, these words; `null` when there are none. */
function findWords(
  answers: readonly (readonly string[])[],
  words: string,
  from: Place = { answer: 0, block: 0 },
): Place | null {
  for (let answer = from.answer; answer < answers.length; answer += 1) {
    const blocks = answers[answer] ?? []
    for (let block = answer === from.answer ? from.block : 0; block < blocks.length; block += 1) {
      let end = block
      let joined = ''
      while (end < blocks.length && joined.length < words.length) joined += blocks[end++]
      if (joined === words) return { answer, block: end }
    }
  }
  return null
}

function describeForged(text: string, words: string, answers: readonly (readonly string[])[]): string {
  const what = `The records of the session differ: the engine's stream has the message ${quoteRecord(text)}, and`
  return answers.some((blocks) => blocks.join('').includes(words))
    ? `${what} the gateway saw the model say it at another place, or as a part of more.`
    : `${what} no model answer contains it.`
}
