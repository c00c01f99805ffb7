import { mapLeaves, objectOf, stringOf } from '../lib/json.ts'
import { sha256OfJson } from '../lib/sha256.ts'
import { withoutSpace } from '../lib/text.ts'
import {
  createThreadKeys,
  findId,
  fingerprint,
  type AnswerBlock,
  type EngineTraffic,
  type ModelAnswer,
  type ModelPart,
  type ModelRequest,
  type Thread,
  type ThreadKey,
  type ToolOffer,
} from './messages.ts'

/** What one run asked and was answered, each text once: requests repeat everything that came before. */
export interface Conversation {
  readonly threads: readonly ObservedThread[]
  /** Requests that no answer was found for, in one sentence each. */
  readonly unanswered: readonly string[]
  /** How many requests came before each message of the user, where there were several. */
  readonly prompts?: readonly number[]
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
  /** When it was sent, in milliseconds since 1970; absent where it is not known, as of a recording. */
  readonly askedAt?: number
  /** When its answer was complete. */
  readonly answeredAt?: number
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
interface Listener {
  /** Notes a request; its answer is given to what is returned. */
  readonly ask: (request: ModelRequest) => Asked
  /** Notes that nothing could be answered. */
  readonly unanswered: (what: string) => void
  readonly conversation: () => Conversation
}

export interface Asked {
  readonly key: TurnKey
  readonly answered: (answer: ModelAnswer) => void
  /** Notes what came of an answer that broke off. */
  readonly brokeOff: (content: readonly AnswerBlock[]) => void
}

/** @param now - the time in milliseconds since 1970. */
export function createListener(now: () => number): Listener {
  const keyOf = createTurnKeys()
  const threads = new Map<string, OpenThread>()
  const unanswered = new Set<string>()
  let order = 0

  const threadOf = ({ thread, given, slot }: TurnKey): OpenThread => {
    const id = JSON.stringify([thread, given, slot])
    const open = threads.get(id) ?? { thread, given, turns: [], seenTexts: new Set<string>(), answers: createAnswers() }
    threads.set(id, open)
    return open
  }

  return {
    ask(request) {
      const key = keyOf(request.thread, fingerprint(request))
      const { turns, seenTexts, answers } = threadOf(key)
      if (turns[key.turn] === undefined) {
        const before = answers.latestIn(request)
        const turn = {
          ...observeTurn(request, seenTexts),
          order,
          askedAt: now(),
          after: before?.turn ?? null,
        }
        turns[key.turn] = turn
        if (before !== null) noteTaken(turns, before)
        order += 1
      }
      const summarized =
        key.thread === COMPACTION ? [...threads.values()].flatMap(({ answers: all }) => all.compact(request) ?? []) : []
      const keep = (content: readonly AnswerBlock[], answer: ModelAnswer | null): void => {
        const turn = turns[key.turn]
        if (turn === undefined) return
        answers.add(key.turn, content)
        for (const note of summarized) note(content)
        const other = answer === null ? content : turn.answer?.content
        turns[key.turn] = {
          ...turn,
          // An engine asks again after a whole answer only if that one has not reached it.
          ...(answer === null ? {} : { answer, answeredAt: now() }),
          ...(other === undefined ? {} : { others: [...(turn.others ?? []), other] }),
        }
      }
      return {
        key,
        answered: (answer) => keep(answer.content, answer),
        brokeOff: (content) => keep(content, null),
      }
    },
    unanswered: (what) => void unanswered.add(what),
    conversation: () => ({
      threads: [...threads.values()].map(({ thread, given, turns }) => ({ thread, given, turns })),
      unanswered: [...unanswered],
    }),
  }
}

/** Marks the calls that a session made of another answer than the first whole one, such as one that broke off. */
function noteTaken(turns: ObservedTurn[], { turn: index, content }: HeldAnswer): void {
  const turn = turns[index]
  if (turn?.others?.includes(content) !== true || turn.taken !== undefined) return
  if (content.some(({ kind }) => kind === 'tool-call')) turns[index] = { ...turn, taken: content }
}

interface OpenThread extends Omit<ObservedThread, 'turns'> {
  readonly turns: ObservedTurn[]
  /** What earlier requests of the thread held. */
  readonly seenTexts: Set<string>
  readonly answers: Answers
}

/** The thread of requests for a summary, which stands for what came before it. */
export const COMPACTION = 'side:compact'

function observeTurn(
  { model, system, messages, offers }: ModelRequest,
  seenTexts: Set<string>,
): Omit<ObservedTurn, 'after' | 'order'> {
  const isNew = (text: string): boolean => text !== '' && !seenTexts.has(text) && seenTexts.add(text) !== undefined
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

/** The answers of one thread, by which the requests that go on from them are known. */
interface Answers {
  add(turn: number, content: readonly AnswerBlock[]): void
  /**
   * What a request goes on from: the latest answer that it holds, in words or by its calls, or in a summary; `null` for a
   * request that begins a conversation of its own, as one of a tool does. No tool could have asked before the first answer.
   */
  latestIn(request: Pick<ModelRequest, 'messages'>): HeldAnswer | null
  /** Takes the summary that an engine asks for of what this request holds; `null` where it holds nothing of the thread. */
  compact(request: Pick<ModelRequest, 'messages'>): ((summary: readonly AnswerBlock[]) => void) | null
}

interface HeldAnswer {
  readonly turn: number
  /** Empty for an answer that says nothing. */
  readonly content: readonly AnswerBlock[]
}

function createAnswers(): Answers {
  const answers: (HeldAnswer & { readonly isIn: (request: Held) => boolean })[] = []
  let last: number | null = null
  const latest = (request: Pick<ModelRequest, 'messages'>): HeldAnswer | null => {
    const held = readHeld(request)
    // A summary stands for what came before it; engines may keep the last answers beside it as they are.
    const found = answers.filter(({ isIn }) => isIn(held))
    return found.reduce<HeldAnswer | null>((a, b) => (a === null || b.turn >= a.turn ? b : a), null)
  }
  return {
    add(turn, content) {
      const says = textOf(content).trim() !== ''
      const made = content.filter(({ kind }) => kind === 'tool-call')
      const calls = idsIn(made.length === 0 && !says ? content : made)
      last = Math.max(last ?? 0, turn)
      if (calls.length > 0) answers.push({ turn, content, isIn: (held) => calls.every((id) => held.calls.has(id)) })
      // What is kept is limited: the words are not kept a second time.
      else if (says) answers.push({ turn, content, isIn: (held) => held.words.includes(withoutSpace(textOf(content))) })
    },
    latestIn: (request) => (answers.length > 0 ? latest(request) : last === null ? null : { turn: last, content: [] }),
    compact(request) {
      const compacted = latest(request)
      if (compacted === null) return null
      return (content) => {
        // Engines show their model the summary without the marks around it.
        const text = textOf(content)
        const summary = withoutSpace(/<summary>(.*?)(?:<\/summary>|$)/s.exec(text)?.[1] ?? text)
        if (summary !== '') answers.push({ ...compacted, isIn: (held) => held.userWords.includes(summary) })
      }
    },
  }
}

/** What a request holds. */
interface Held {
  readonly calls: ReadonlySet<string>
  /** The model's. */
  readonly words: string
  readonly userWords: string
}

function readHeld({ messages }: Pick<ModelRequest, 'messages'>): Held {
  const ownParts = messages.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts)
  return {
    calls: new Set(idsIn(ownParts)),
    words: withoutSpace(textOf(ownParts)),
    get userWords() {
      return withoutSpace(textOf(messages.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts)))
    },
  }
}

/** Ids of calls, and of what the API did itself. */
function idsIn(parts: readonly (AnswerBlock | ModelPart)[]): readonly string[] {
  return parts.flatMap((part) => {
    const id = part.kind === 'tool-call' ? part.id : part.kind === 'other' ? stringOf(objectOf(part.value)['id']) : ''
    return id === '' ? [] : [id]
  })
}

function textOf(parts: readonly { readonly kind: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.kind === 'text' ? (part.text ?? '') : '')).join('\n')
}

/** Where an answer is found again: the same in every run, whatever the engine itself writes into its requests. */
export interface TurnKey extends ThreadKey {
  /** Which different request of the thread it is, from 0. */
  readonly turn: number
}

/** Numbers the requests of one run. A request that is sent again, by a retry or without streaming, keeps its number. */
function createTurnKeys(): (thread: Thread, fingerprint: string) => TurnKey {
  const keyOf = createThreadKeys()
  const threads = new Map<ThreadKey, Map<string, number>>()
  return (asking, printed) => {
    const key = keyOf(asking)
    const turns = threads.get(key) ?? new Map<string, number>()
    threads.set(key, turns)
    const turn = turns.get(printed) ?? turns.size
    turns.set(printed, turn)
    return { ...key, turn }
  }
}

/** What a recording writes instead of the id in the result of this call. */
export function idOfCall(callId: string): string {
  return `⟨id@${callId}⟩`
}

/** A conversation in which ids that an engine makes up in each run are named by the call that returned them. */
export function nameVolatileIds(conversation: Conversation, traffic: readonly EngineTraffic[]): Conversation {
  const { threads } = conversation
  const results = threads.flatMap(({ turns }) => turns.flatMap((turn) => turn.results))
  const names = new Map(
    results.flatMap(({ id, text }) => {
      const found = findId(traffic, text)
      return found === null ? [] : [[found, idOfCall(id)] as const]
    }),
  )
  if (names.size === 0) return conversation
  return {
    ...conversation,
    threads: threads.map((thread) => ({
      ...thread,
      turns: thread.turns.map((turn) =>
        turn.answer === null
          ? turn
          : { ...turn, answer: { ...turn.answer, content: turn.answer.content.map((block) => nameIn(block, names)) } },
      ),
    })),
  }
}

// Only whole values: the number of a process may be part of any other.
function nameIn(block: AnswerBlock, names: ReadonlyMap<string, string>): AnswerBlock {
  if (block.kind !== 'tool-call') return block
  const nameOf = (leaf: unknown): unknown =>
    (typeof leaf === 'string' || typeof leaf === 'number' ? names.get(String(leaf)) : undefined) ?? leaf
  return { ...block, input: mapLeaves(block.input, nameOf) }
}

/** How many requests were sent. */
export function countRequests({ threads }: Conversation): number {
  return Math.max(0, ...threads.flatMap(({ turns }) => turns.map(({ order }) => order + 1)))
}

/** Which message of the user a request follows, from 1; 1 where there is only one. */
export function turnAt({ prompts = [] }: Pick<Conversation, 'prompts'>, order: number): number {
  return Math.max(1, prompts.filter((before) => before <= order).length)
}

/** A tool's result without what an engine added to it in reminders. */
export function withoutReminders(text: string): string {
  // Without the last end each of many beginnings would be read to the end of the text.
  const end = text.lastIndexOf(END) + END.length
  if (end < END.length) return text
  return text.slice(0, end).replaceAll(REMINDER, '') + text.slice(end)
}

/** The reminders at the end of a tool's result, where engines add them. One further up is the tool's own. */
export function remindersAfter(text: string): string {
  let from = text.length
  for (;;) {
    const before = text.slice(0, from).trimEnd()
    const start = before.endsWith(END) ? before.lastIndexOf(START) : -1
    if (start < 0) return text.slice(from)
    from = start
  }
}

const START = '<system-reminder>'
const END = '</system-reminder>'
const REMINDER = /(?:(?<!\s)\s+)?<system-reminder>[^]*?<\/system-reminder>/g
