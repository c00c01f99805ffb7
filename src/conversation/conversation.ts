import { createTurnKeys } from './key.ts'
import type { TurnKey } from './key.ts'
import { createAnswers, type Answers, type HeldAnswer } from './own-requests.ts'
import { sha256OfJson } from '../sha256.ts'
import { fingerprint } from './thread.ts'
import type { AnswerBlock, ModelAnswer, ModelPart, ModelRequest, ToolOffer } from './model.ts'

/** What one run asked and was answered, each text once: requests repeat everything that came before. */
export interface Conversation {
  readonly threads: readonly ObservedThread[]
  /** Requests that no answer was found for, in one sentence each. */
  readonly unanswered: readonly string[]
}

export interface ObservedThread extends Pick<TurnKey, 'thread' | 'given'> {
  readonly turns: readonly ObservedTurn[]
}

/** One different request of a thread: what it holds that no earlier one held. */
export interface ObservedTurn {
  /** Model id that was asked for. */
  readonly model: string
  /** Texts that the engine shows the model, tool results among them; the model's own words are left out. */
  readonly texts: readonly string[]
  readonly offers: readonly ToolOffer[]
  readonly results: readonly ObservedResult[]
  readonly answer: ModelAnswer | null
  /** When it was first sent among all of the run, from 0. */
  readonly order: number
  /** The latest turn of its thread whose answer it goes on from; `null` for one that begins a conversation. */
  readonly after: number | null
  /** Further answers to it, whole or broken off, of which the session may have gone on with any. */
  readonly others?: readonly (readonly AnswerBlock[])[]
  /** The one of these that the session went on with. */
  readonly taken?: readonly AnswerBlock[]
  /** Results that an earlier request gave differently. */
  readonly changed?: readonly ObservedResult[]
}

/** What a tool returned. */
export type ObservedResult = Omit<Extract<ModelPart, { kind: 'tool-result' }>, 'kind'>

export const EMPTY_CONVERSATION: Conversation = { threads: [], unanswered: [] }

/** Follows one run. */
export interface Listener {
  /** Notes a request; its answer is given to what is returned. */
  readonly ask: (request: ModelRequest) => Asked
  /** Notes that nothing could be answered. */
  readonly unanswered: (what: string) => void
  readonly conversation: () => Conversation
  /** About how many characters it keeps. */
  readonly size: () => number
}

export interface Asked {
  readonly key: TurnKey
  readonly answered: (answer: ModelAnswer) => void
  /** Notes what came of an answer that broke off. */
  readonly brokeOff: (content: readonly AnswerBlock[]) => void
}

export function createListener(): Listener {
  const keyOf = createTurnKeys()
  const threads = new Map<string, OpenThread>()
  const unanswered = new Set<string>()
  let size = 0
  let order = 0

  const threadOf = ({ thread, given, slot }: TurnKey): OpenThread => {
    const id = JSON.stringify([thread, given, slot])
    const known = threads.get(id) ?? { thread, given, turns: [], known: new Set<string>(), answers: createAnswers() }
    threads.set(id, known)
    return known
  }

  return {
    ask(request) {
      const key = keyOf(request.thread, fingerprint(request))
      const { turns, known, answers } = threadOf(key)
      if (turns[key.turn] === undefined) {
        const before = answers.latestIn(request)
        const turn = { ...observeTurn(request, known), order, after: before?.turn ?? null }
        turns[key.turn] = turn
        if (before !== null) noteTaken(turns, before)
        order += 1
        size += sizeOf(turn)
      }
      if (key.thread === COMPACTION) threads.get(MAIN)?.answers.compacted(request)
      const keep = (content: readonly AnswerBlock[], whole: Pick<ObservedTurn, 'answer'> | null): void => {
        const turn = turns[key.turn]
        if (turn === undefined) return
        size += sizeOf(content)
        answers.add(key.turn, content)
        if (key.thread === COMPACTION) threads.get(MAIN)?.answers.summarized(content)
        turns[key.turn] =
          whole !== null && turn.answer === null
            ? { ...turn, ...whole }
            : { ...turn, others: [...(turn.others ?? []), content] }
      }
      return {
        key,
        answered: (answer) => keep(answer.content, { answer }),
        brokeOff: (content) => keep(content, null),
      }
    },
    unanswered: (what) => void unanswered.add(what),
    conversation: () => ({
      threads: [...threads.values()].map(({ thread, given, turns }) => ({ thread, given, turns })),
      unanswered: [...unanswered],
    }),
    size: () => size,
  }
}

/** Marks the calls that a session made of another answer than the first whole one, such as one that broke off. */
function noteTaken(turns: ObservedTurn[], { turn: index, content }: HeldAnswer): void {
  const turn = turns[index]
  if (turn?.others?.includes(content) !== true || turn.taken !== undefined) return
  if (content.some(({ kind }) => kind === 'tool-call')) turns[index] = { ...turn, taken: content }
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return OBJECT_SIZE
  return Object.values(value).reduce<number>((sum, item) => sum + sizeOf(item), OBJECT_SIZE)
}

/** About what an object takes beside its texts. */
const OBJECT_SIZE = 32

interface OpenThread extends Omit<ObservedThread, 'turns'> {
  readonly turns: ObservedTurn[]
  /** What earlier requests of the thread held. */
  readonly known: Set<string>
  readonly answers: Answers
}

const MAIN = JSON.stringify(['main', null, 0])
const COMPACTION = 'side:compact'

function observeTurn(
  { model, system, messages, offers }: ModelRequest,
  known: Set<string>,
): Omit<ObservedTurn, 'after' | 'order'> {
  const isNew = (text: string): boolean => text !== '' && !known.has(text) && known.add(text) !== undefined
  const parts = messages.filter(({ role }) => role !== 'assistant').flatMap((message) => message.parts)
  const results = parts.flatMap((part) =>
    part.kind === 'tool-result' ? [{ id: part.id, text: part.text, isError: part.isError }] : [],
  )
  const fresh = results.filter(({ id }) => isNew(JSON.stringify(['result', id])))
  const changed = results.filter((one) => isNew(sha256OfJson(one)) && !fresh.includes(one))
  return {
    model,
    texts: [...system, ...parts.flatMap(textsOfPart)].filter(isNew),
    offers: offers.filter(({ name, description }) => isNew(JSON.stringify(['offer', name, description]))),
    results: fresh,
    ...(changed.length === 0 ? {} : { changed }),
    answer: null,
  }
}

function textsOfPart(part: ModelPart): readonly string[] {
  if (part.kind === 'text' || part.kind === 'tool-result') return [part.text]
  return part.kind === 'other' ? [JSON.stringify(part.value)] : []
}
