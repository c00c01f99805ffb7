import { hasForgedFence } from './fence.ts'
import type { ShownEvidence } from './evidence-item.ts'
import type { EvidenceText } from './evidence-text.ts'

/** Finds what in the evidence tries to lead a judge, for the report: one sentence each. */
export function findInjections(texts: readonly EvidenceText[]): readonly string[] {
  const found = texts.flatMap(({ name, text: whole }) => {
    const text = whole.length <= 2 * EDGE ? whole : `${whole.slice(0, EDGE)}\n${whole.slice(-EDGE)}`
    return PATTERNS.flatMap(({ what, finds }) =>
      finds(text) ? [`The ${placeOf(name)} ${what}; the judge was shown it as data.`] : [],
    )
  })
  return [...new Set(found)]
}

/** Everything that the test system did not write, uncut: an order that the judge was not shown still shows the intent. */
export function foreignTexts({ transcript, output, files }: ShownEvidence): readonly EvidenceText[] {
  return [output, transcript, files]
    .flatMap(({ shown, leftOut }) => [...shown, ...leftOut])
    .flatMap(({ place, body }) => (body === null ? [] : [{ name: place, text: body }]))
}

/** Characters of the beginning and of the end of a text that are searched. */
const EDGE = 500_000

function placeOf(name: string): string {
  return name === 'output' || name === 'transcript' ? name : `file ${name}`
}

const PATTERNS: readonly { readonly what: string; readonly finds: (text: string) => boolean }[] = [
  { what: "contains lines that look like the judge's own fence", finds: hasForgedFence },
  {
    what: 'contains something that looks like a verdict of the judge',
    finds: (text) =>
      /"(?:verdict|verdicts|grade|judgement)"\s*:|^[^\S\r\n\u2028\u2029]*(?:GRADE|VERDICT|JUDGE VERDICT)\s*[:=]/im.test(
        text,
      ),
  },
  {
    what: 'contains lines that imitate those of the test system',
    finds: (text) => IMITATION.test(text),
  },
  {
    what: 'gives orders to a judge',
    finds: (text) =>
      /\b(?:ignore|disregard|forget)\b.{0,40}\b(?:criteria|instructions?|rules|rubric|statements?)\b|\b(?:judge|grader|evaluator)s?\b.{0,40}\b(?:must|should|please|answer|give|reply)\b.{0,40}\bpass\b/is.test(
        text,
      ),
  },
]

const IMITATION =
  /^(?:[^\S\r\n\u2028\u2029]|\|)*(?:(?:\d+\.|\[[emcfr]\d+\]) (?:\(sub-agent [^)]*\) )?(?:tool call \S|tool result|skill used: |hook \S+ .{0,100}decided |file (?:created|modified|deleted): )|file (?:created|modified|deleted): |\[event \d+|fixture (?:unchanged|changed|deleted|unknown): |No tool was called\.$|No file was created, modified or deleted\.$|\[(?:cut|left out|not shown): )/m
