import { FOREIGN, LINE_END } from '../evidence/foreign-text.ts'
import { neutralise } from '../evidence/fence.ts'
import { readQuote, type QuoteParts } from './quote-parts.ts'
import { singleSpaced, unquote } from '../../texts.ts'
import type { Author, ShownEvidence, ShownItem } from '../evidence/evidence-item.ts'

/** Where a quote was found, and who wrote what it quotes. */
export interface FoundQuote {
  /** `output`, `transcript` or the path of a file. */
  readonly place: string
  readonly author: Author
  /** The part of the quote that the test system did not write. */
  readonly foreign: string
}

/** Finds every place of a quote; none when it is invented, too short or put together. */
export type QuoteFinder = (quote: string) => readonly FoundQuote[]

/**
 * Prepares what a judge was shown for looking up quotes. Space and invisible characters do not count. Otherwise a quote
 * is verbatim, has 12 characters or is a complete line or value, and leaves out something at most once.
 */
export function createQuoteFinder({ output, transcript, files }: ShownEvidence): QuoteFinder {
  const items = [output, transcript, files].flatMap(({ shown }) => shown).map(prepare)
  return (quote) => {
    const written = normaliseQuote(quote)
    return items.flatMap((item) => findIn(item, unquote(written)) ?? [])
  }
}

/** Brings a text into the form in which quotes are compared. */
export function normalise(text: string): string {
  return singleSpaced(neutralise(text).normalize('NFC'))
}

interface Prepared {
  readonly place: string
  readonly author: Author
  readonly isFact: boolean
  /** Our line, without its number; empty where there is none. */
  readonly head: string
  /** The number before our line. */
  readonly number: string
  readonly texts: readonly string[]
  /** Complete lines and values. */
  readonly units: ReadonlySet<string>
}

function prepare({ place, author, isFact, n, head, pieces }: ShownItem): Prepared {
  const shown = pieces.filter((piece) => typeof piece === 'string')
  // A judge copies an input as JSON shows it, or as it was meant.
  const meant = author === 'call' ? shown.map(unescape) : []
  const texts = [...shown, ...meant]
  return {
    place,
    author,
    isFact,
    head: normalise(head ?? ''),
    number: n === null ? '' : `${n}. `,
    texts: texts.map(normalise),
    units: unitsOf([...texts, ...shown.flatMap(valuesIn)]),
  }
}

// Judges leave out the full stop at the end.
function unitsOf(texts: readonly string[]): ReadonlySet<string> {
  const lines = texts.flatMap((text) => text.split(LINE_END)).map(normalise)
  return new Set(lines.flatMap((line) => [line, line.replace(/[.!?]$/, '')]))
}

function unescape(json: string): string {
  return json.replaceAll(/\\(?:n|r|t|"|\\|\/)/g, (escape) => ESCAPES.get(escape) ?? escape)
}

const ESCAPES = new Map([
  ['\\n', '\n'],
  ['\\r', '\r'],
  ['\\t', '\t'],
  ['\\"', '"'],
  ['\\\\', '\\'],
  ['\\/', '/'],
])

function valuesIn(text: string): readonly string[] {
  const values = text.slice(0, LONGEST_JSON).matchAll(/"((?:[^"\\]|\\.){3,2000})"(?!\s*:)/g)
  return [...values].map(([, value]) => unescape(value ?? ''))
}

const LONGEST_JSON = 100_000

// Judges copy the mark before a line, too.
function normaliseQuote(quote: string): string {
  const mark = FOREIGN.trim()
  const lines = quote.split(LINE_END).map((line) => line.trim())
  return normalise(lines.map((line) => (line.startsWith(mark) ? line.slice(mark.length) : line)).join('\n'))
}

// Our line counts as a whole and alone where it says what happened; before the text that it introduces, it is left out.
function findIn(item: Prepared, written: string): FoundQuote | null {
  const { place, head, number, isFact, author } = item
  const start = [`${number}${head}`, head].find((label) => label !== '' && written.startsWith(label)) ?? ''
  const rest = written.slice(start.length)
  if (start !== '' && rest === '') return isFact ? { place, author: 'system', foreign: '' } : null
  const between = start === '' ? '' : (/^\s*[:|]?\s*/.exec(rest)?.[0] ?? '')
  const foreign = rest.slice(between.length)
  const isApart = start === '' || between !== ''
  return isApart && holds(item, foreign) ? { place, author, foreign } : null
}

function holds(item: Prepared, quote: string): boolean {
  const parts = readQuote(quote)
  const other = readQuote(unquote(quote))
  return [parts, other].some((read) => read !== null && item.texts.some((text) => isIn(text, read, item.units)))
}

function isIn(text: string, { first, second }: QuoteParts, units: ReadonlySet<string>): boolean {
  if (!isLongEnough(first, units)) return false
  if (second === null) return positionsOf(text, first).some((at) => isWholeSense(text, at))
  if (!isLongEnough(second, units)) return false
  const starts = positionsOf(text, first).filter((at) => isWholeSense(text, at))
  const ends = positionsOf(text, second)
  return starts.some((at) => {
    const from = at + first.length
    return ends.some((end) => {
      const gap = end - from
      return gap >= 0 && gap <= MOST_LEFT_OUT && !isTurned(text.slice(from - 1, end))
    })
  })
}

/** Characters that an ellipsis may replace. */
const MOST_LEFT_OUT = 200
/** Characters that a quote has at least, unless it is a complete line or value. */
export const SHORTEST = 12

function isLongEnough(part: string, units: ReadonlySet<string>): boolean {
  return /[\p{L}\p{N}]/u.test(part) && (part.length >= SHORTEST || units.has(part))
}

function positionsOf(text: string, part: string): readonly number[] {
  const found: number[] = []
  for (let at = text.indexOf(part); at !== -1 && found.length < MOST_PLACES; at = text.indexOf(part, at + 1))
    if (isWords(text, at, part.length)) found.push(at)
  return found
}

const MOST_PLACES = 1000

// A part of a word or of a number means something else: "successful" in "unsuccessful".
function isWords(text: string, at: number, length: number): boolean {
  const before = text.slice(Math.max(0, at - 2), at)
  const after = text.slice(at + length, at + length + 2)
  const first = text[at] ?? ''
  const last = text[at + length - 1] ?? ''
  if (IN_WORD.test(first) && IN_WORD.test(before.at(-1) ?? ' ')) return false
  if (IN_WORD.test(last) && IN_WORD.test(after[0] ?? ' ')) return false
  return !(/\d/.test(first) && /(?:\d[.,]|(?:^|\s)[-−])$/.test(before)) && !(/\d/.test(last) && /^[.,]\d/.test(after))
}

const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u

// A quote that begins after the "not" says the opposite.
function isWholeSense(text: string, at: number): boolean {
  return !NEGATED.test(text.slice(Math.max(0, at - 60), at))
}

// A "not" that is left out turns the sense of the sentence before it or after it. In a sentence of its own it turns nothing.
function isTurned(leftOut: string): boolean {
  const sentences = leftOut.split(/[.!?;]\s/)
  return NEGATION.test(sentences[0] ?? '') || NEGATION.test(sentences.at(-1) ?? '')
}

const WORDS_OF_NEGATION =
  "not|no|never|without|neither|nor|none|cannot|nothing|\\p{L}+n['’]t|nicht|kein\\p{L}*|nie|ohne|ne|pas|sin|nunca"
const NEGATION = new RegExp(`(?<![\\p{L}])(?:${WORDS_OF_NEGATION})(?![\\p{L}])`, 'iu')
const NEGATED = new RegExp(`(?<![\\p{L}])(?:${WORDS_OF_NEGATION})\\s+(?:[^\\s.,;:!?()]+\\s+)?$`, 'iu')
