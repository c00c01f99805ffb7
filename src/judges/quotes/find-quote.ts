import { stripVTControlCharacters } from 'node:util'
import { escapePattern, singleSpaced, unquote } from '../../lib/text.ts'
import type { Author, ShownEvidence, ShownItem } from '../evidence/evidence-item.ts'
import { FOREIGN, LINE_END, neutralise } from '../evidence/write-evidence.ts'
import {
  MOST_LEFT_OUT,
  SHORTEST,
  isLongEnough,
  isSaid,
  isStruck,
  isTurned,
  isUnit,
  isWholeSense,
  isWords,
  type Span,
} from './quote-sense.ts'

/** A text as quotes are compared with it, with the place of each character in the text that it is a form of. */
interface Form {
  readonly text: string
  /** One more than there are characters: the last is the end. */
  readonly at: readonly number[]
}

/** A text with its lines, and otherwise single blanks: no invisible characters, one form of Unicode. */
function baseOf(text: string): string {
  return neutralise(text)
    .normalize('NFC')
    .split(LINE_END)
    .join('\n')
    .replaceAll(/[^\S\n]+/g, ' ')
}

/** The text on one line. */
function plainForm(base: string): Form {
  return reduce(identity(base), /\s+/g, () => ' ')
}

/** Without marks of Markdown and quotes, with one kind of dash, and blanks only between words. */
function looseForm(base: string): Form {
  return withFewBlanks(reduce(identity(base), MARKS, ([mark]) => standIn(mark)))
}

/** As {@link looseForm}, with rows of a table as their cells alone and links as their text alone. */
function readForm(base: string, items = identity(base)): Form {
  const rows = reduce(items, ROWS, ([row]) => (/\p{L}|\p{N}/u.test(row) ? row.replaceAll('|', ' ') : ''))
  const links = reduce(rows, LINKS, ([, words, address = '']) => words ?? address)
  return withFewBlanks(reduce(links, MARKS, ([mark]) => standIn(mark)))
}

/** As {@link readForm}, with items of a checklist without their boxes. */
function unboxedForm(base: string): Form {
  return readForm(
    base,
    reduce(identity(base), BOXES, ([, bullet = '']) => bullet),
  )
}

function identity(text: string): Form {
  return { text, at: Array.from({ length: text.length + 1 }, (_, index) => index) }
}

function withFewBlanks(form: Form): Form {
  return reduce(
    reduce(form, /\s+/g, () => ' '),
    BLANKS_AT_MARKS,
    () => '',
  )
}

// What stands in for a match is as near to its own place as can be: characters that both have keep theirs.
function reduce(form: Form, pattern: RegExp, replace: (match: RegExpMatchArray) => string): Form {
  const parts: string[] = []
  const at: number[] = []
  let end = 0
  const keep = (to: number): void => {
    parts.push(form.text.slice(end, to))
    for (let index = end; index < to; index += 1) at.push(form.at[index] ?? 0)
  }
  for (const match of form.text.matchAll(pattern)) {
    keep(match.index)
    end = match.index + match[0].length
    const written = replace(match)
    parts.push(written)
    const offset = Math.max(0, match[0].indexOf(written.trim()))
    const isSameLength = written.length === match[0].length
    for (let index = 0; index < written.length; index += 1)
      at.push(form.at[match.index + Math.min(match[0].length - 1, isSameLength ? index : offset + index)] ?? 0)
  }
  keep(form.text.length)
  at.push(form.at.at(-1) ?? 0)
  return { text: parts.join(''), at }
}

const ROWS = /^ ?\|.*\|? ?$/gm
const LINKS = /!?\[([^\]\n]{1,300})\]\([^)\n]{0,2000}\)|<(https?:[^>\s]{1,2000})>/g
const BOXES = /^( ?(?:[-*+•]|\d{1,3}[.)]) )\[[ x]\] /gim
// Lines around code; at the start of a line headings, citations, bullets, numbers and prompts; anywhere emphasis, struck text, code,
// quotes, dashes, ellipses and wide forms of signs.
const MARKS =
  /^ ?(?:`{3,}|~{3,})[\w-]* ?$|^ ?(?:(?:#{1,6}|[-*+•$]|>) )+|(?<=^ ?\d{1,3})\)(?= )|~~+|(?<! )\*+|\*+(?! |$)|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|[`´"'‘’‚‛“”„‟«»‹›′″「」『』]|[‐‑‒–—―−]+|--+|…|[！-～]/gmu
const BLANKS_AT_MARKS = / (?![\p{L}\p{N}])|(?<![\p{L}\p{N}]) /gu

function standIn(mark: string): string {
  if (mark === '…') return '...'
  if (mark === ')') return '.'
  return /^(?:[‐‑‒–—―−]+|--+)$/.test(mark) ? '-' : /^[！-～]$/.test(mark) ? mark.normalize('NFKC') : ''
}

/** Where a quote was found, and who wrote what it quotes. */
export interface FoundQuote {
  /** Id of the item. */
  readonly item: string
  /** `output`, `transcript` or the path of a file. */
  readonly place: string
  readonly author: Author
  /** The part of the quote that the test system did not write. */
  readonly foreign: string
  /** Whether the agent wrote these words into the call: as a text in quotes, or before the call answered with them. */
  readonly isOwn: boolean
}

/** Finds every place of a quote, or the one in an item; none when it is invented, too short or put together. */
export type QuoteFinder = (quote: string, item?: string | null) => readonly FoundQuote[]

/**
 * Prepares what a judge was shown for looking up quotes. A quote is verbatim, but for space, invisible characters, marks
 * of Markdown, quotes and dashes. It has 12 characters or is a complete line, cell, item or value. Parts may be omitted.
 */
export function createQuoteFinder({ output, transcript, files }: ShownEvidence): QuoteFinder {
  const items = [output, transcript, files].flatMap(({ shown }) => shown).map(prepare)
  return (quote, id = null) => {
    const readings = readingsOf(quote)
    const named = id === null ? items : items.filter((item) => item.id === id)
    const found = named.flatMap((item) => findFirst(readings, (reading) => findIn(item, reading)) ?? [])
    return found.length > 0 || (id !== null && named.length === 0) ? found : findFacts(items, named, readings)
  }
}

/** Brings a text into the form in which words are compared. */
export function normalise(text: string): string {
  return singleSpaced(neutralise(text).normalize('NFC'))
}

interface Prepared {
  readonly id: string
  readonly place: string
  readonly author: Author
  readonly isFact: boolean
  /** What the agent gave to the call, with its lines, in the form in which its words are looked for. */
  readonly argumentTexts: readonly { readonly base: string; readonly form: Form }[]
  /** Our line, without its id; empty where there is none. */
  readonly head: string
  /** What a quote may begin with before the text that our line introduces: the longest first. */
  readonly labels: readonly string[]
  readonly texts: readonly PreparedText[]
}

interface PreparedText {
  readonly base: string
  /** Forms of the text, each with the form in which a quote is looked up in it; made when one is needed. */
  readonly forms: readonly (() => Form)[]
}

function prepare({ id, place, author, isFact, head, pieces, argumentTexts = [] }: ShownItem): Prepared {
  const shown = pieces.filter((piece) => typeof piece === 'string')
  // A judge copies an input as JSON shows it, a result with its colours and numbers of lines, or as they were meant.
  const meant = author === 'call' ? shown.map(unescape) : author === 'tool' ? shown.map(withoutTrimmings) : []
  const line = normalise(head ?? '')
  const tool = author === 'call' ? [line.replace(/^.*tool call /, '').replace(/ \(from the cli alone\)$/, '')] : []
  return {
    id,
    place,
    author,
    isFact,
    argumentTexts: argumentTexts.map(baseOf).map((base) => ({ base, form: looseForm(base) })),
    head: line,
    labels: line === '' ? [`[${id}]`] : [`[${id}] ${line}`, line, `[${id}]`, ...tool],
    texts: [...new Set([...shown, ...meant])].map((text) => {
      const base = baseOf(text)
      return { base, forms: FORMS.map(({ ofText }) => once(() => ofText(base))) }
    }),
  }
}

// Each of the text's forms with the forms of a quote that are looked up in it.
const FORMS: readonly {
  readonly ofText: (base: string) => Form
  readonly ofQuote: readonly ((quote: string) => Form)[]
}[] = [
  { ofText: plainForm, ofQuote: [plainForm] },
  { ofText: looseForm, ofQuote: [looseForm] },
  { ofText: readForm, ofQuote: [looseForm, readRows] },
  { ofText: unboxedForm, ofQuote: [looseForm, readRows] },
]

// The address of a link is not left out of a quote, unless it is its text: an invented one would go unnoticed. The same
// holds for the box of an item.
function readRows(quote: string): Form {
  const words = quote.replaceAll(/\[([^\]\n]{2,300})\](?:\((?:https?:\/\/)?\1\)|(?!\())/g, '$1')
  return looseForm(words.replaceAll(/^ ?\|?[ :|-]+\|? ?$/gm, '').replaceAll('|', ' '))
}

function withoutTrimmings(result: string): string {
  return stripVTControlCharacters(result).replaceAll(/^(?: +\d+\t| *\d+→)/gm, '')
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
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

// As it is written, then without our mark, which judges copy too.
function readingsOf(quote: string): readonly string[] {
  const mark = FOREIGN.trim()
  const written = baseOf(quote).trim()
  const lines = written.split('\n').map((line) => line.trim())
  const hasMarks = lines.some((line) => line.startsWith(mark)) && lines.slice(1).every((line) => line.startsWith(mark))
  const unmarked = lines.map((line) => (line.startsWith(mark) ? line.slice(mark.length).trimStart() : line)).join('\n')
  return [
    ...new Set(
      [written, ...(hasMarks ? [unmarked] : [])].flatMap((text) => [
        text,
        unquote(text),
        unescape(text),
        withoutTrimmings(text),
      ]),
    ),
  ]
}

function findFirst<Item, Found>(items: readonly Item[], find: (item: Item) => Found | null): Found | null {
  for (const item of items) {
    const found = find(item)
    if (found !== null) return found
  }
  return null
}

// Our line counts as a whole and alone where it says what happened; before the text that it introduces, it is left out.
function findIn(item: Prepared, reading: string): FoundQuote | null {
  const { id, place, labels, isFact, author } = item
  if (isFact && isWholeFact(item, reading)) return { item: id, place, author: 'system', foreign: '', isOwn: false }
  if (labels.includes(singleSpaced(reading))) return null
  const rests = [reading, ...labels.flatMap((label) => withoutLabel(reading, label) ?? [])]
  const foreign = rests.find((rest) => item.texts.some((text) => holds(text, rest)))
  if (foreign === undefined) return null
  return { item: id, place, author, foreign: singleSpaced(foreign), isOwn: isOwnWord(item, foreign) }
}

function isOwnWord({ author, argumentTexts }: Prepared, foreign: string): boolean {
  const words = looseForm(trimDots(foreign).trim()).text.replace(/[.,;]$/, '')
  const places = argumentTexts.flatMap(({ base, form }) => {
    const index = words === '' ? -1 : form.text.indexOf(words)
    return index === -1 ? [] : [base.slice(0, form.at[index])]
  })
  if (author === 'tool') return places.length > 0
  return author === 'call' && places.length > 0 && places.every(isSaid)
}

function withoutLabel(reading: string, label: string): string | null {
  if (!singleSpaced(reading).startsWith(label)) return null
  const pattern = label
    .split(' ')
    .map(escapePattern)
    .join(String.raw`\s+`)
  const rest = reading.replace(new RegExp(`^\\s*${pattern}`), '')
  const between = /^\s*[:|(]?\s*/.exec(rest)?.[0] ?? ''
  const isCall = between.includes('(') && rest.endsWith(')')
  return between === '' ? null : rest.slice(between.length, isCall ? -1 : undefined)
}

// The size behind the name of a file says nothing more of what happened.
function isWholeFact({ id, head }: Prepared, reading: string): boolean {
  const loose = looseForm(trimDots(reading).trim().replace(/\)\.$/, ')')).text
  return [head, `[${id}] ${head}`].some((line) =>
    [line, line.replace(SIZE, '')].some((one) => looseForm(one).text === loose),
  )
}

const SIZE = / \(\d+ bytes\)$/

// Several of our own lines, one below the other.
function findFacts(
  items: readonly Prepared[],
  named: readonly Prepared[],
  readings: readonly string[],
): readonly FoundQuote[] {
  const facts = items.filter(({ isFact }) => isFact)
  return readings.flatMap((reading) => {
    const lines = reading.split(LINE_END).filter((line) => line.trim() !== '')
    const found = lines.map((line) => facts.find((fact) => isWholeFact(fact, line)))
    const [first] = found
    return lines.length > 1 && first !== undefined && named.includes(first) && !found.includes(undefined)
      ? [{ item: first.id, place: first.place, author: 'system' as const, foreign: '', isOwn: false }]
      : []
  })
}

// Dots are first read as dots, then as an omission.
function holds(text: PreparedText, quote: string): boolean {
  const whole = [quote, unquote(quote)]
  return [...new Set(whole)].some((one) => spansOf(text, one).length > 0) || holdsParts(text, trimDots(quote))
}

/** Whether the parts of a quote stand in this order, each not far behind the one before. */
function holdsParts(text: PreparedText, quote: string): boolean {
  const parts = [...quote.matchAll(ELLIPSIS)].slice(0, MOST_ELLIPSES)
  const least = isLongEnough(quote, 3 * SHORTEST) ? SHORTEST_PART : SHORTEST
  // Of each omission, where in the text the part before it may end.
  const ends: { readonly next: number; readonly spans: readonly Span[] }[] = []
  for (const { index, 0: dots } of [...parts, { index: quote.length, 0: '' }]) {
    const behind = ends.flatMap(({ next, spans }) =>
      // What follows an omission may well follow a "not", which the omission has then left out.
      spansOf(text, quote.slice(next, index), least, false).filter(({ from }) =>
        spans.some(({ to }) => isNear(text.base, to, from)),
      ),
    )
    const spans = [...spansOf(text, quote.slice(0, index), least), ...behind]
    if (index === quote.length) return spans.length > 0
    if (spans.length > 0) ends.push({ next: index + dots.length, spans })
  }
  return false
}

function isNear(base: string, to: number, from: number): boolean {
  return from >= to && from - to <= MOST_LEFT_OUT && !isTurned(base.slice(Math.max(0, to - 1), from))
}

// Each run of dots is read from its beginning only: a judge may send long ones.
const ELLIPSIS = /\[?(?:…|(?<!\.)\.{3,})\]?/g
const MOST_ELLIPSES = 20
// Characters of a part where all of them together are three times as long as a quote has to be.
const SHORTEST_PART = 8

function trimDots(quote: string): string {
  const start = /^\s*\[?(?:…|\.{3,})\]?/.exec(quote)?.[0].length ?? 0
  const end = /\[?(?:…|(?<!\.)\.{3,})\]?\s*$/.exec(quote)?.index ?? quote.length
  return quote.slice(start, Math.max(start, end))
}

/** Places of a quote, or of a part of one, that has the sense of its text. */
function spansOf({ base, forms }: PreparedText, part: string, least = SHORTEST, isStart = true): readonly Span[] {
  if (!/[\p{L}\p{N}]/u.test(part)) return []
  for (const [index, { ofQuote }] of FORMS.entries()) {
    const form = forms[index]?.()
    const spans = form === undefined ? [] : ofQuote.flatMap((make) => placesOf(form, make(part).text.trim()))
    const good = spans.filter((span) => {
      if (!isWords(base, span) || isStruck(base, span, part)) return false
      if (isStart && !isWholeSense(base, span)) return false
      return isLongEnough(part, least) || isUnit(base, span)
    })
    if (good.length > 0) return good
  }
  return []
}

// A judge ends a quote with a full stop where the sentence goes on.
function placesOf({ text, at }: Form, quote: string): readonly Span[] {
  const spans: Span[] = []
  for (const one of new Set([quote, quote.replace(/[.,;]$/, '')])) {
    for (
      let index = text.indexOf(one);
      index !== -1 && spans.length < MOST_PLACES;
      index = text.indexOf(one, index + 1)
    )
      spans.push({ from: at[index] ?? 0, to: (at[index + one.length - 1] ?? 0) + 1 })
    if (spans.length > 0) break
  }
  return spans
}

const MOST_PLACES = 1000
