import { linesOf, sightOf } from './visible-lines.ts'
import type { Conversation, HeardLane, HeardTurn } from '../conversation/conversation.ts'
import type { Line, OurText } from './visible-lines.ts'
import type { RecordedSight } from './recording.ts'

/** Everything of ours that a run could show its model. */
export interface OurTexts {
  readonly texts: readonly OurText[]
  /** The file that describes a tool, relative to the package; `null` when the tool is none of the package's. */
  readonly fileOfTool: (tool: string) => string | null
}

/** What a model sees at one turn: the lines of each text by file and part. */
export type Sights = ReadonlyMap<string, Sight>

/** One text as it is shown. */
export interface Sight {
  readonly path: string
  readonly part: string
  readonly lines: readonly Line[]
}

/** Looks which of our texts a run showed its model: for each lane, the sights at each of its turns. */
export function lookForTexts({ lanes }: Conversation, ours: OurTexts): ReadonlyMap<HeardLane, readonly Sights[]> {
  const candidates = ours.texts.map((text) => ({ ...text, lines: linesOf(text.text) }))
  return new Map(lanes.map((lane) => [lane, lookInLane(lane, candidates, ours)]))
}

/** What a turn shows that the one before it did not, or showed differently: what a recording keeps of it. */
export function newSights(now: Sights, before: Sights | undefined): readonly RecordedSight[] {
  return [...now].flatMap(([key, { path, part, lines }]) => {
    const earlier = before?.get(key)
    const hashes = hashesOf(lines)
    return earlier !== undefined && hashesOf(earlier.lines) === hashes ? [] : [{ path, part, lines: hashes }]
  })
}

/** Names a text. */
export function keyOfText({ path, part }: Pick<RecordedSight, 'path' | 'part'>): string {
  return `${path}#${part}`
}

/** A tool's description as a text of ours. */
export function partOfTool(tool: string): string {
  return `tool ${tool}`
}

export function hashesOf(lines: readonly Line[]): string {
  return lines.map(({ hash }) => hash).join(' ')
}

type Candidate = OurText & { readonly lines: readonly Line[] }

function lookInLane(lane: HeardLane, candidates: readonly Candidate[], { fileOfTool }: OurTexts): readonly Sights[] {
  const shown = new Set<string>()
  let sights = new Map<string, Sight>()
  return lane.turns.map((turn, index) => {
    sights = new Map(sights)
    for (const candidate of candidates) {
      const lines = candidate.always
        ? lane.lane === 'main' && index === 0
          ? candidate.lines
          : null
        : look(candidate, turn, shown)
      if (lines !== null) sights.set(keyOfText(candidate), { ...candidate, lines })
    }
    for (const { name, description } of turn.offers) {
      const path = fileOfTool(name)
      const part = partOfTool(name)
      if (path !== null) sights.set(keyOfText({ path, part }), { path, part, lines: linesOf(description) })
    }
    return sights
  })
}

// Only a text whose beginning is shown is looked for line by line: most are not shown at all.
function look({ path, lines }: Candidate, { texts }: HeardTurn, shown: Set<string>): readonly Line[] | null {
  const isShown = (line: Line): boolean => {
    const key = `${path} ${line.text}`
    if (shown.has(key)) return true
    if (!texts.some((text) => text.includes(line.text))) return false
    shown.add(key)
    return true
  }
  return sightOf(lines, isShown)
}
