import { createTurnKeys } from './key.ts'
import type { TurnKey } from './key.ts'
import { goesOn } from './own-requests.ts'
import { fingerprint } from './thread.ts'
import type { AnswerBlock, ModelAnswer, ModelPart, ModelRequest, ToolOffer } from './model.ts'

/** What one run asked and was answered, each text once: requests repeat everything that came before. */
export interface Conversation {
  readonly threads: readonly ObservedThread[]
  /** Requests that no answer was found for, in one sentence each. */
  readonly unanswered: readonly string[]
  /** What came of answers that broke off, which an engine may have shown; absent when none did. */
  readonly fragments?: readonly AnswerBlock[]
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
  /** Whether the session itself asked, and not one of its tools: the request goes on from an answer of the main thread. */
  readonly isOwn?: boolean
  /** Whether other answers were given to the same request, of which the session may have gone on with any. */
  readonly isRepeated?: boolean
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
  const fragments: AnswerBlock[] = []
  const ownAnswers: (readonly AnswerBlock[])[] = []
  let size = 0

  const threadOf = ({ thread, given, slot }: TurnKey): OpenThread => {
    const id = JSON.stringify([thread, given, slot])
    const known = threads.get(id) ?? { thread, given, turns: [], known: new Set<string>() }
    threads.set(id, known)
    return known
  }

  return {
    ask(request) {
      const key = keyOf(request.thread, fingerprint(request))
      const thread = threadOf(key)
      if (thread.turns[key.turn] === undefined) {
        const isOwn = key.thread === 'main' && goesOn(request, ownAnswers)
        const turn = { ...observeTurn(request, thread.known), isOwn }
        thread.turns[key.turn] = turn
        size += sizeOf(turn)
      }
      const repeated = (content: readonly AnswerBlock[]): void => {
        size += sizeOf(content)
        fragments.push(...content)
        const turn = thread.turns[key.turn]
        if (turn !== undefined) thread.turns[key.turn] = { ...turn, isRepeated: true }
      }
      return {
        key,
        // A retry is answered too; the first whole answer is the one the session went on with.
        answered(answer) {
          const turn = thread.turns[key.turn]
          if (turn?.answer === null) {
            size += sizeOf(answer.content)
            thread.turns[key.turn] = { ...turn, answer }
            if (turn.isOwn === true) ownAnswers.push(answer.content)
          }
          // Another answer to the same request was not kept, and may be the one that the engine shows.
          else repeated(answer.content)
        },
        brokeOff: repeated,
      }
    },
    unanswered: (what) => void unanswered.add(what),
    conversation: () => ({
      threads: [...threads.values()].map(({ thread, given, turns }) => ({ thread, given, turns })),
      unanswered: [...unanswered],
      ...(fragments.length === 0 ? {} : { fragments }),
    }),
    size: () => size,
  }
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
}

function observeTurn({ model, system, messages, offers }: ModelRequest, known: Set<string>): ObservedTurn {
  const isNew = (text: string): boolean => text !== '' && !known.has(text) && known.add(text) !== undefined
  const parts = messages.filter(({ role }) => role !== 'assistant').flatMap((message) => message.parts)
  return {
    model,
    texts: [...system, ...parts.flatMap(textsOfPart)].filter(isNew),
    offers: offers.filter(({ name, description }) => isNew(JSON.stringify(['offer', name, description]))),
    results: parts.flatMap((part) =>
      part.kind === 'tool-result' && isNew(JSON.stringify(['result', part.id]))
        ? [{ id: part.id, text: part.text, isError: part.isError }]
        : [],
    ),
    answer: null,
  }
}

function textsOfPart(part: ModelPart): readonly string[] {
  if (part.kind === 'text' || part.kind === 'tool-result') return [part.text]
  return part.kind === 'other' ? [JSON.stringify(part.value)] : []
}
