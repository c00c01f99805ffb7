import { linesOf, visibleLines } from './visible-lines.ts'
import type { Conversation, ObservedThread, ObservedTurn } from '../conversation/conversation.ts'
import type { Line, PackageText } from './visible-lines.ts'
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
export interface VisibleText {
  readonly path: string
  readonly part: string
  readonly lines: readonly Line[]
}

/** Looks which of our texts a run showed its model: for each thread, the sights at each of its turns. */
export function findVisibleTexts(
  { threads }: Conversation,
  ours: PackageTexts,
): ReadonlyMap<ObservedThread, readonly VisibleTexts[]> {
  const candidates = ours.texts.map((text) => ({ ...text, lines: linesOf(text.text) }))
  return new Map(threads.map((thread) => [thread, findInThread(thread, candidates, ours)]))
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
): readonly VisibleTexts[] {
  const shown = new Set<string>()
  let visible = new Map<string, VisibleText>()
  return thread.turns.map((turn, index) => {
    visible = new Map(visible)
    for (const candidate of candidates) {
      const lines = candidate.always
        ? thread.thread === 'main' && index === 0
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
