import type { ObservedThread, ObservedTurn } from '../recordings/conversation.ts'
import type { AnswerBlock } from '../recordings/messages.ts'

/** What a session went on with of a thread, and what else was asked there. */
export interface SessionPath {
  /** The answers that the session went on with, by their turns. */
  readonly answers: ReadonlyMap<ObservedTurn, readonly AnswerBlock[]>
  /** Turns of the session, also those that it did not go on from, in order. */
  readonly ownTurns: readonly ObservedTurn[]
  /** Why the last answer is unknown, as a sentence; `null` when it is known. */
  readonly problem: string | null
}

/**
 * Follows a session from its last answer back to its first request. What it did not go on from, and what a tool asked in
 * a conversation of its own, is no part of it.
 */
export function sessionPath({ turns }: Pick<ObservedThread, 'turns'>): SessionPath {
  const ownTurns = turns.filter((_, index) => isOwn(turns, index))
  const answers = new Map<ObservedTurn, readonly AnswerBlock[]>()
  // An answer that says nothing, or has not come, ends nothing.
  const end = ownTurns.findLast((turn) => saysSomething(contentOf(turn)))
  for (let turn = end; turn !== undefined; turn = turn.after === null ? undefined : turns[turn.after]) {
    const content = contentOf(turn)
    if (content !== null) answers.set(turn, content)
  }
  const last = ownTurns.at(-1)
  const isCut = last !== undefined && contentOf(last) === null && last.others !== undefined
  return { answers, ownTurns, problem: isCut ? CUT : null }
}

const CUT = 'The last answer of the model broke off, and the engine went on as if it were complete.'

function isOwn(turns: readonly ObservedTurn[], index: number): boolean {
  const after = turns[index]?.after ?? null
  return after === null ? index === 0 : isOwn(turns, after)
}

/** The answer of a turn. What came of one that broke off counts once it was gone on from. */
function contentOf({ answer, taken }: ObservedTurn): readonly AnswerBlock[] | null {
  return taken ?? answer?.content ?? null
}

function saysSomething(content: readonly AnswerBlock[] | null): boolean {
  return (
    content?.some((block) => (block.kind === 'text' ? block.text.trim() !== '' : block.kind !== 'thinking')) === true
  )
}
