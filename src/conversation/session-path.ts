import { withoutSpace } from '../texts.ts'
import type { ObservedThread, ObservedTurn } from './conversation.ts'
import type { AnswerBlock } from './model.ts'

/** What a session went on with of a thread, and what else was asked there. */
export interface SessionPath {
  /** The answers that the session went on with, by their turns. */
  readonly answers: ReadonlyMap<ObservedTurn, readonly AnswerBlock[]>
  /** Turns of the session, also those that it did not go on from, in order. */
  readonly own: readonly ObservedTurn[]
  /** Why the last answer is unknown, as a sentence; `null` when it is known. */
  readonly problem: string | null
}

/**
 * Follows a session from its last answer back to its first request. What it did not go on from, and what a tool asked in
 * a conversation of its own, is no part of it. Where there are several last answers the one counts that the engine shows.
 *
 * @param lastShown - the last words of the engine's stream; `null` where it says nothing of the thread.
 */
export function sessionPath({ turns }: ObservedThread, lastShown: string | null): SessionPath {
  const own = turns.filter((_, index) => isOwn(turns, index))
  const shown = withoutSpace(lastShown ?? '')
  const isShown = (content: readonly AnswerBlock[]): boolean => shown !== '' && wordsOf(content).endsWith(shown)
  // An answer that says nothing, or has not come, ends nothing.
  const telling = own.filter((turn) => contentsOf(turn).some(saysSomething))
  const goneOn = new Set(telling.map(({ after }) => (after === null ? undefined : turns[after])))
  const ends = telling.filter((turn) => !goneOn.has(turn))
  const isEnd = (turn: ObservedTurn): boolean => contentsOf(turn).some(isShown)
  const end = ends.findLast(isEnd) ?? ends.at(-1)

  const answers = new Map<ObservedTurn, readonly AnswerBlock[]>()
  for (let turn = end; turn !== undefined; turn = turn.after === null ? undefined : turns[turn.after]) {
    const content = (turn === end ? contentsOf(turn).find(isShown) : undefined) ?? contentsOf(turn)[0]
    if (content !== undefined) answers.set(turn, content)
  }
  const others = turns.filter((turn) => !own.includes(turn))
  const isUnclear = shown !== '' && end !== undefined && !isEnd(end) && (ends.length > 1 || others.some(isEnd))
  const last = own.at(-1)
  const isCut = last !== undefined && contentsOf(last).length === 0 && last.others !== undefined
  return { answers, own, problem: isCut ? CUT : isUnclear ? UNCLEAR : null }
}

const CUT = 'The last answer of the model broke off, and the engine went on as if it were complete.'
const UNCLEAR =
  'The gateway saw more than one answer that could be the last of the session, and the engine shows none of them as its last words.'

function isOwn(turns: readonly ObservedTurn[], index: number): boolean {
  const after = turns[index]?.after ?? null
  return after === null ? index === 0 : isOwn(turns, after)
}

/** What may be the answer of a turn, the likely one first. What came of one that broke off counts once it was gone on from. */
function contentsOf({ answer, others = [], taken }: ObservedTurn): readonly (readonly AnswerBlock[])[] {
  if (taken !== undefined) return [taken]
  return answer === null ? [] : [answer.content, ...others]
}

function saysSomething(content: readonly AnswerBlock[]): boolean {
  return content.some(({ kind }) => kind !== 'text' && kind !== 'thinking') || wordsOf(content) !== ''
}

function wordsOf(content: readonly AnswerBlock[]): string {
  return withoutSpace(content.map((block) => (block.kind === 'text' ? block.text : '')).join(''))
}
