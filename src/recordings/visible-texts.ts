import { sha256 } from '../lib/sha256.ts'
import type { Conversation, ObservedThread, ObservedTurn } from './conversation.ts'
import type { RecordedText } from './recording.ts'

/** Everything of ours that a run could show its model. */
export interface PackageTexts {
  readonly texts: readonly PackageText[]
  /** The file that describes a tool, relative to the package; `null` when the tool is none of the package's. */
  readonly fileOfTool: (tool: string) => string | null
}

/** What a model sees at one turn: the lines of each text by file and part. */
export type VisibleTexts = ReadonlyMap<string, VisibleText>

/** One text as it is shown. */
interface VisibleText {
  readonly path: string
  readonly part: string
  readonly lines: readonly Line[]
}

/** Looks which of our texts a run showed its model: for each thread, the sights at each of its turns. */
export function findVisibleTexts(
  { threads, prompts = [] }: Conversation,
  ours: PackageTexts,
): ReadonlyMap<ObservedThread, readonly VisibleTexts[]> {
  const candidates = ours.texts.map((text) => ({ ...text, lines: linesOf(text.text) }))
  return new Map(threads.map((thread) => [thread, findInThread(thread, candidates, ours, prompts)]))
}

/** What a turn shows that the one before it did not, or showed differently: what a recording keeps of it. */
export function newVisibleTexts(now: VisibleTexts, before: VisibleTexts | undefined): readonly RecordedText[] {
  return [...now].flatMap(([key, { path, part, lines }]) => {
    const earlier = before?.get(key)
    const hashes = hashesOf(lines)
    return earlier !== undefined && hashesOf(earlier.lines) === hashes ? [] : [{ path, part, lines: hashes }]
  })
}

/** Names a text. */
export function keyOfText({ path, part }: Pick<RecordedText, 'path' | 'part'>): string {
  return `${path}#${part}`
}

/** A tool's description as a text of ours. */
export function partOfTool(tool: string): string {
  return `tool ${tool}`
}

export function hashesOf(lines: readonly Line[]): string {
  return lines.map(({ hash }) => hash).join(' ')
}

type Candidate = PackageText & { readonly lines: readonly Line[] }

function findInThread(
  thread: ObservedThread,
  candidates: readonly Candidate[],
  { fileOfTool }: PackageTexts,
  prompts: readonly number[],
): readonly VisibleTexts[] {
  // A message of the user that reached no request is held against the last one.
  const placeOf = ({ turn = 1 }: Candidate): number => {
    const first = thread.turns.findIndex(({ order }) => order >= (prompts[turn - 1] ?? 0))
    return first < 0 ? thread.turns.length - 1 : first
  }
  const shown = new Set<string>()
  let visible = new Map<string, VisibleText>()
  return thread.turns.map((turn, index) => {
    visible = new Map(visible)
    for (const candidate of candidates) {
      const lines = candidate.always
        ? thread.thread === 'main' && index === placeOf(candidate)
          ? candidate.lines
          : null
        : look(candidate, turn, shown)
      if (lines !== null) visible.set(keyOfText(candidate), { ...candidate, lines })
    }
    for (const { name, description } of turn.offers) {
      const path = fileOfTool(name)
      const part = partOfTool(name)
      if (path !== null) visible.set(keyOfText({ path, part }), { path, part, lines: linesOf(description) })
    }
    return visible
  })
}

// Only a text whose beginning is shown is looked for line by line: most are not shown at all.
function look({ path, lines }: Candidate, { texts }: ObservedTurn, shown: Set<string>): readonly Line[] | null {
  const isShown = (line: Line): boolean => {
    const key = `${path} ${line.text}`
    if (shown.has(key)) return true
    if (!texts.some((text) => text.includes(line.text))) return false
    shown.add(key)
    return true
  }
  return visibleLines(lines, isShown)
}

/** A text of ours that a model may be shown. */
export interface PackageText {
  /** File, relative to the package. */
  readonly path: string
  /** Such as `prompt`, `description` or `body`. */
  readonly part: string
  readonly text: string
  /** Absolute path of the file that it is a part of, where it stands there word for word. */
  readonly file?: string
  /** Whether it is given to the engine whatever can be found of it in a request, as the prompt is. */
  readonly always: boolean
  /** The message of the user that it is, from 1. @default 1 */
  readonly turn?: number
}

/** One line of a text, or a piece of a long one. */
export interface Line {
  readonly text: string
  readonly hash: string
  /** Line in the text, from 1. */
  readonly number: number
}

/** Cuts a text into the lines that are looked for. Engines cut long ones off, so those are looked for in pieces. */
export function linesOf(text: string): readonly Line[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      piecesOf(line.trim()).map((piece) => ({ text: piece, hash: hashOf(piece), number: index + 1 })),
    )
}

/**
 * What a model sees of a text, by which of its lines it was shown: from the first to the last of them. Lines between
 * count as seen too, and those beside that an engine fills in, such as `$ARGUMENTS`: they are there in another form.
 *
 * `null` when the text is not shown from its beginning: a line or two may occur by chance.
 */
function visibleLines(lines: readonly Line[], isShown: (line: Line) => boolean): readonly Line[] | null {
  const plain = lines.filter((line) => !isFilledIn(line))
  const opening = plain.slice(0, OPENING)
  if (opening.length === 0 || !opening.every(isShown)) return null
  const shown = lines.flatMap((line, index) => (isShown(line) ? [index] : []))
  let first = shown[0] ?? 0
  let last = shown.at(-1) ?? 0
  while (first > 0 && isFilledIn(lines[first - 1])) first -= 1
  while (last < lines.length - 1 && isFilledIn(lines[last + 1])) last += 1
  return lines.slice(first, last + 1)
}

/** Lines at the beginning that have to be shown. */
const OPENING = 3
/** Characters of a line that are looked for at once. */
const PIECE = 120
/** Letters that a piece has at least. */
const LETTERS = 3

// What has no letters to speak of, such as `---`, says nothing about whose text it is: nor has the rest of a line.
function piecesOf(line: string): readonly string[] {
  const pieces: string[] = []
  const lastLetters = startOfLastLetters(line)
  for (let start = 0; start <= lastLetters;) {
    const rest = line.slice(start, start + PIECE + 1)
    const blank = rest.lastIndexOf(' ')
    const cut = rest.length <= PIECE || blank <= PIECE / 2 ? PIECE : blank
    pieces.push(rest.slice(0, cut))
    start += cut
    while (/\s/.test(line[start] ?? '')) start += 1
  }
  return pieces
}

/** Where the last {@link LETTERS} letters begin; -1 where there are fewer. */
function startOfLastLetters(line: string): number {
  const last: number[] = []
  for (const { index } of line.matchAll(/[\p{L}\p{N}]/gu)) {
    last.push(index)
    if (last.length > LETTERS) last.shift()
  }
  return last.length < LETTERS ? -1 : (last[0] ?? -1)
}

function isFilledIn(line: Line | undefined): boolean {
  return line !== undefined && /\$[{\w]|!`/.test(line.text)
}

function hashOf(text: string): string {
  return sha256(text, 6)
}
