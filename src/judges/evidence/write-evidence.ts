import { cutMark } from './cut.ts'
import { fence } from './fence.ts'
import { writeForeign, writeName } from './foreign-text.ts'
import { sumOf } from '../../lists.ts'
import type { EvidenceItem, ShownEvidence, ShownItem, ShownSection } from './evidence-item.ts'

/** Writes evidence as the parts of a request, each in a fence. */
export function writeEvidence(evidence: ShownEvidence, nonce: string): readonly string[] {
  return [writeTranscript(evidence, nonce), ...writeFiles(evidence, nonce), writeOutput(evidence, nonce)]
}

/** What the agent did, and which contents are not shown. */
export function writeTranscript({ transcript, files, unread }: ShownEvidence, nonce: string): string {
  const hidden = [
    ...files.leftOut.map(({ place }) => `[left out: the contents of ${writeName(place)}]`),
    ...unread.map((path) => `[not shown: the contents of ${writeName(path)}, which are ${kindOf(path)}]`),
  ]
  const lines = [...writeSection(transcript), ...hidden.slice(0, MOST_NAMES)]
  return fence('transcript: what the agent did', lines.join('\n'), nonce)
}

/** The files that the agent changed. */
export function writeFiles({ files }: ShownEvidence, nonce: string): readonly string[] {
  return files.shown.map((item) =>
    fence(`[${item.id}] file ${JSON.stringify(titleOf(item))}`, writePieces(item).join('\n'), nonce),
  )
}

/** What the agent said. */
export function writeOutput({ output }: ShownEvidence, nonce: string): string {
  return fence('output: what the agent said', writeSection(output).join('\n'), nonce)
}

/** Says what a judge was not shown, one sentence; nothing when it was shown everything. */
export function describeLeftOut({ transcript, output, files, unread }: ShownEvidence): readonly string[] {
  const parts = [
    ...missingText(transcript, 'the transcript'),
    ...(transcript.leftOut.length === 0
      ? []
      : [`${transcript.leftOut.length} lines of the transcript (${eventsOf(transcript.leftOut)})`]),
    ...missingText(output, 'the output'),
    ...(output.leftOut.length === 0 ? [] : [`${output.leftOut.length} messages of the output`]),
    ...files.shown.flatMap((item) => missingText({ shown: [item], leftOut: [] }, writeName(item.place))),
    ...listNames('the contents of', [...files.leftOut.map(({ place }) => place), ...unread]),
  ]
  return parts.length === 0 ? [] : [`Omitted from the evidence of the judge: ${parts.join('; ')}.`]
}

const MOST_NAMES = 200

// Their sizes are in the list of changed files.
function kindOf(path: string): string {
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path)?.[1]
  return extension === undefined ? 'no text or too large' : `no text or too large (${extension.toLowerCase()})`
}

function titleOf({ place }: EvidenceItem): string {
  return place.replaceAll(/[<>\u0085\u2028\u2029]/g, '')
}

function writeSection({ shown, leftOut }: ShownSection): readonly string[] {
  const lines = shown.map(writeItem)
  return leftOut.length === 0 ? lines : [...lines, `[left out: ${leftOut.length} entries, ${eventsOf(leftOut)}]`]
}

function writeItem(item: ShownItem): string {
  return [`[${item.id}] ${item.head ?? ''}`.trim(), ...writePieces(item)].join('\n')
}

function writePieces({ body, pieces }: ShownItem): readonly string[] {
  const total = body?.length ?? 0
  return pieces.map((piece) => (typeof piece === 'string' ? writeForeign(piece) : cutMark(piece, total)))
}

function missingText({ shown }: ShownSection, name: string): readonly string[] {
  const total = sumOf(shown, ({ body }) => body?.length ?? 0)
  const missing = shown
    .flatMap(({ pieces }) => pieces)
    .reduce<number>((sum, piece) => sum + (typeof piece === 'number' ? piece : 0), 0)
  return missing === 0 ? [] : [`${missing} of ${total} characters of ${name}`]
}

function eventsOf(items: readonly EvidenceItem[]): string {
  const numbers = items.flatMap(({ id }) => (/^[em]\d+$/.test(id) ? [Number(id.slice(1))] : []))
  const [first] = numbers
  const last = numbers.at(-1)
  if (first === undefined || last === undefined) return 'without numbers'
  return first === last ? `event ${first}` : `between event ${first} and event ${last}`
}

function listNames(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return []
  const more = names.length > 5 ? ` and ${names.length - 5} more files` : ''
  return [`${what} ${names.slice(0, 5).map(writeName).join(', ')}${more}`]
}
