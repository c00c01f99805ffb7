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
  const items = sectionsOf(about, evidence).flatMap(({ shown, leftOut }) => [...shown, ...leftOut])
  const holding = (word: string, all: readonly EvidenceItem[]): readonly EvidenceItem[] => {
    const pattern = patternOfWord(word)
    return all.filter(({ head, body }) => pattern.test(`${head ?? ''}\n${body ?? ''}`))
  }
  const words = lookedFor.map((word) => word.trim()).filter((word) => /[\p{L}\p{N}]/u.test(word))
  if (words.some((word) => holding(word, items).some(({ id }) => !quoted.has(id)))) return 'looked-for'
  // Of what was done, what a result or a file only mentions is no deed.
  const telling = about === 'deeds' ? items.filter(isDeed) : items
  const named = termsOf([statement])
    .names.map((name) => holding(name, telling))
    .filter(({ length }) => length > 0)
  return named.some((touching) => !touching.some(({ id }) => quoted.has(id))) ? 'touched' : null
}

function isDeed({ author, isFact }: EvidenceItem): boolean {
  return author === 'call' || author === 'hook' || (isFact && author === 'system')
}

// A word, not a part of one: "rm" is in "format" as well.
function patternOfWord(word: string): RegExp {
  const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`).replaceAll(/\s+/g, String.raw`\s+`)
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
