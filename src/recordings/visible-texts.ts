import { sha256 } from '../lib/sha256.ts'
import type { Conversation, ObservedThread, ObservedTurn } from './conversation.ts'
import type { RecordedText } from './recording.ts'

/** Everything of ours that a run could show its model. */
export interface PackageTexts {
  readonly texts: readonly PackageText[]
  /** The file that describes a tool, relative to the package; `null` when the tool is none of the package's. */
  readonly fileOfTool: (tool: string) => string | null
}

/** A text of ours that a model may be shown. */
export interface PackageText {
  /** File, relative to the package. */
  readonly path: string
  /** Such as `prompt`, `description` or `body`. */
  readonly part: string
  readonly text: string
  /** Whether it is given to the engine whatever can be found of it in a request, as the prompt is. */
  readonly always: boolean
  /** The message of the user that it is, from 1. @default 1 */
  readonly turn?: number
}

/** Finds which of our texts a run showed its model: for each thread, those that each of its turns showed first. */
export function findVisibleTexts(
  { threads, prompts = [] }: Conversation,
  ours: PackageTexts,
): ReadonlyMap<ObservedThread, readonly (readonly RecordedText[])[]> {
  return new Map(threads.map((thread) => [thread, findInThread(thread, ours, prompts)]))
}

function findInThread(
  thread: ObservedThread,
  { texts, fileOfTool }: PackageTexts,
  prompts: readonly number[],
): readonly (readonly RecordedText[])[] {
  const looks = texts.map((text) => ({ sight: sightOf(text), isShown: createLook(text, thread, prompts) }))
  const seen = new Map<string, string>()
  return thread.turns.map((turn, index) => {
    const sights = [
      ...looks.filter(({ isShown }) => isShown(turn, index)).map(({ sight }) => sight),
      ...toolSights(turn, fileOfTool),
    ]
    return sights.filter((sight) => {
      const key = keyOfText(sight)
      const isNew = seen.get(key) !== sight.hash
      seen.set(key, sight.hash)
      return isNew
    })
  })
}

/** Tells of each turn in order if the text has been shown by then. */
function createLook(
  { text, always, turn: message = 1 }: PackageText,
  { thread, turns }: ObservedThread,
  prompts: readonly number[],
): (turn: ObservedTurn, index: number) => boolean {
  if (always) {
    // A message of the user that reached no request is held against the last one.
    const first = turns.findIndex(({ order }) => order >= (prompts[message - 1] ?? 0))
    const place = first < 0 ? turns.length - 1 : first
    return (_, index) => thread === 'main' && index === place
  }
  let missing = openingOf(text)
  if (missing.length === 0) return () => false
  return ({ texts }) => {
    missing = missing.filter((line) => !texts.some((shown) => shown.includes(line)))
    return missing.length === 0
  }
}

/** The descriptions of our tools that a request offers, as texts of ours. */
export function toolSights(
  { offers }: Pick<ObservedTurn, 'offers'>,
  fileOfTool: PackageTexts['fileOfTool'],
): readonly RecordedText[] {
  return offers.flatMap(({ name, description }) => {
    const path = fileOfTool(name)
    return path === null ? [] : [sightOf({ path, part: `${TOOL}${name}`, text: description })]
  })
}

const TOOL = 'tool '

/** Whether a text is the description of a tool. */
export function isOfTool({ part }: Pick<RecordedText, 'part'>): boolean {
  return part.startsWith(TOOL)
}

/** Names a text. */
export function keyOfText({ path, part }: Pick<RecordedText, 'path' | 'part'>): string {
  return `${path}#${part}`
}

/** What a recording keeps of a text: engines show it with other spaces than its file has. */
export function sightOf({ path, part, text }: Pick<PackageText, 'part' | 'path' | 'text'>): RecordedText {
  return { path, part, hash: sha256(text.trim().replaceAll(/\s+/g, ' '), HASH_DIGITS) }
}

const HASH_DIGITS = 12

/**
 * The first lines of a text, which a request must hold for the model to have seen it: a line or two may occur by chance.
 * Engines cut long lines off and fill in what is written as `$ARGUMENTS`. A line such as `---` says nothing about whose
 * text it is.
 */
export function openingOf(text: string): readonly string[] {
  const opening: string[] = []
  for (const line of text.split('\n')) {
    if (opening.length === OPENING) break
    if (line.replaceAll(/[^\p{L}\p{N}]+/gu, '').length < LETTERS || FILLED_IN.test(line)) continue
    opening.push(line.trim().slice(0, LONGEST))
  }
  return opening
}

const OPENING = 3
const LONGEST = 120
const LETTERS = 3
const FILLED_IN = /\$[{\w]|!`/
