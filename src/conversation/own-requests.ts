import { withoutSpace } from '../texts.ts'
import type { AnswerBlock, ModelRequest } from './model.ts'

/** The answers of one thread, by which the requests that go on from them are known. */
export interface Answers {
  add(turn: number, content: readonly AnswerBlock[]): void
  /**
   * What a request goes on from: the latest answer that it holds, in words or by its calls, or in a summary; `null` for a
   * request that begins a conversation of its own, as one of a tool does. No tool could have asked before the first answer.
   */
  latestIn(request: Pick<ModelRequest, 'messages'>): HeldAnswer | null
  /** Notes that an engine asks for a summary of what this request holds. */
  compacted(request: Pick<ModelRequest, 'messages'>): void
  /** Notes the summary. */
  summarized(content: readonly AnswerBlock[]): void
}

export interface HeldAnswer {
  readonly turn: number
  /** Empty for an answer that says nothing. */
  readonly content: readonly AnswerBlock[]
}

export function createAnswers(): Answers {
  const answers: (HeldAnswer & { readonly isIn: (request: Held) => boolean })[] = []
  let last: number | null = null
  let compacted: HeldAnswer | null = null
  const latest = (request: Pick<ModelRequest, 'messages'>): HeldAnswer | null => {
    const held = readHeld(request)
    // A summary stands for what came before it; engines may keep the last answers beside it as they are.
    const found = answers.filter(({ isIn }) => isIn(held))
    return found.reduce<HeldAnswer | null>((a, b) => (a === null || b.turn >= a.turn ? b : a), null)
  }
  return {
    add(turn, content) {
      const calls = content.flatMap((block) => (block.kind === 'tool-call' ? [block.id] : []))
      const says = textOf(content).trim() !== ''
      last = Math.max(last ?? 0, turn)
      if (calls.length > 0) answers.push({ turn, content, isIn: (held) => calls.every((id) => held.calls.has(id)) })
      // What is kept is limited: the words are not kept a second time.
      else if (says) answers.push({ turn, content, isIn: (held) => held.words.includes(withoutSpace(textOf(content))) })
    },
    latestIn: (request) => (answers.length > 0 ? latest(request) : last === null ? null : { turn: last, content: [] }),
    compacted(request) {
      compacted = latest(request)
    },
    summarized(content) {
      // Engines show their model the summary without the marks around it.
      const text = textOf(content)
      const summary = withoutSpace(/<summary>(.*?)(?:<\/summary>|$)/s.exec(text)?.[1] ?? text)
      if (compacted !== null && summary !== '')
        answers.push({ ...compacted, isIn: (held) => held.given.includes(summary) })
    },
  }
}

/** What a request holds. */
interface Held {
  readonly calls: ReadonlySet<string>
  /** The model's. */
  readonly words: string
  readonly given: string
}

function readHeld({ messages }: Pick<ModelRequest, 'messages'>): Held {
  const own = messages.filter(({ role }) => role === 'assistant').flatMap(({ parts }) => parts)
  return {
    calls: new Set(own.flatMap((part) => (part.kind === 'tool-call' ? [part.id] : []))),
    words: withoutSpace(textOf(own)),
    get given() {
      return withoutSpace(textOf(messages.filter(({ role }) => role === 'user').flatMap(({ parts }) => parts)))
    },
  }
}

function textOf(parts: readonly { readonly kind: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.kind === 'text' ? (part.text ?? '') : '')).join('\n')
}
