import { escapePattern } from '../texts.ts'
import { termsOf } from './statements/statement-terms.ts'
import type { EvidenceItem, ShownEvidence, ShownItem, ShownSection } from './evidence/evidence-item.ts'
import type { RefusalCause } from './refusal.ts'
import type { StatementKind } from './statements/kinds.ts'

/** A verdict that something is not there, or was not done. */
export interface AbsenceClaim {
  readonly statement: string
  readonly about: StatementKind['about']
  /** Words that would betray it, by the judge. */
  readonly lookedFor: readonly string[]
  /** Ids of the items that the judge quotes. */
  readonly quoted: ReadonlySet<string>
}

/** What speaks against an absence whatever is quoted; `null` when nothing does. Also what was left out is searched. */
export function findTraces(
  { statement, about, lookedFor, quoted }: AbsenceClaim,
  evidence: ShownEvidence,
): RefusalCause | null {
  const items = searchedFor(about, evidence).flatMap(({ shown, leftOut }) => [...shown, ...leftOut])
  const words = lookedFor.map((word) => word.trim()).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.some((word) => holding(word, items).some(({ id }) => !quoted.has(id)))) return 'looked-for'
  // Of what was done, what a result or a file only mentions is no deed.
  const telling = about === 'deeds' ? items.filter(isDeed) : items
  const paths = evidence.files.shown.map(({ place }) => place.toLowerCase())
  // The file that a statement is about is no trace of what it must not hold.
  const isSubject = (name: string): boolean =>
    about === 'work' && paths.some((path) => path === name || path.endsWith(`/${name}`))
  const names = termsOf([statement]).names.filter((name) => !isSubject(name))
  const named = names.map((name) => holding(name, telling)).filter(({ length }) => length > 0)
  return named.some((touching) => !touching.some(({ id }) => quoted.has(id))) ? 'touched' : null
}

function holding(word: string, items: readonly EvidenceItem[]): readonly EvidenceItem[] {
  const pattern = patternOfWord(word)
  return items.filter(({ head, body }) => pattern.test(`${head ?? ''}\n${body ?? ''}`))
}

function isDeed({ author, isFact }: EvidenceItem): boolean {
  return author === 'call' || author === 'hook' || (isFact && author === 'system')
}

// A word, not a part of one: "rm" is in "format" as well.
function patternOfWord(word: string): RegExp {
  const escaped = escapePattern(word).replaceAll(/\s+/g, String.raw`\s+`)
  return new RegExp(`(?<![\\p{L}\\p{N}])${escaped}(?![\\p{L}\\p{N}])`, 'iu')
}

/** Whether what an absence depends on was shown: every deed, every message, every file. Cut texts are searched by us. */
export function isComplete(about: StatementKind['about'], evidence: ShownEvidence): boolean {
  const { transcript, unread } = evidence
  if (about === 'deeds') return transcript.leftOut.every((item) => !isDeed(item))
  const sections = sectionsOf(about, evidence)
  return sections.every(isWhole) && (about === 'words' || unread.length === 0)
}

/** Whether nothing of a section was left out. */
export function isWhole({ shown, leftOut }: ShownSection): boolean {
  return (
    leftOut.length === 0 && shown.every((item: ShownItem) => item.pieces.every((piece) => typeof piece === 'string'))
  )
}

// What a call took out of a file is no trace of it: where every file is shown, they say what is there.
function searchedFor(about: StatementKind['about'], evidence: ShownEvidence): readonly ShownSection[] {
  const { files, output, unread } = evidence
  const isKnown = about === 'work' && files.shown.length > 0 && isWhole(files) && unread.length === 0
  return isKnown ? [files, output] : sectionsOf(about, evidence)
}

function sectionsOf(
  about: StatementKind['about'],
  { transcript, output, files }: ShownEvidence,
): readonly ShownSection[] {
  if (about === 'words') return [output]
  if (about === 'deeds') return [transcript]
  if (about === 'work') return [files, output, only(transcript, ({ author }) => author === 'call')]
  return [transcript, output, files]
}

function only({ shown, leftOut }: ShownSection, wanted: (item: EvidenceItem) => boolean): ShownSection {
  return { shown: shown.filter(wanted), leftOut: leftOut.filter(wanted) }
}
