/** A stretch of a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Characters that an ellipsis may replace. */
export const MOST_LEFT_OUT = 200
/** Characters that a quote has at least, unless it is a complete line, cell or value. */
export const SHORTEST = 12

/** Whether a quote is long enough to say something by itself. Writing without an alphabet says twice as much. */
export function isLongEnough(part: string): boolean {
  const short = part.replaceAll(/\s+/g, ' ').trim()
  return short.length + (short.match(DENSE)?.length ?? 0) >= SHORTEST
}

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu

/** Whether it begins and ends with whole words. A part means something else: "successful" in "unsuccessful". */
export function isWords(text: string, { from, to }: Span): boolean {
  const before = text.slice(Math.max(0, from - 2), from)
  const after = text.slice(to, to + 2)
  const first = text[from] ?? ''
  const last = text[to - 1] ?? ''
  if (IN_WORD.test(first) && IN_WORD.test(before.at(-1) ?? ' ')) return false
  if (IN_WORD.test(last) && IN_WORD.test(after[0] ?? ' ')) return false
  return !(/\d/.test(first) && /(?:\d[.,]|(?:^|\s)[-−])$/.test(before)) && !(/\d/.test(last) && /^[.,]\d/.test(after))
}

const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u

/** Whether it is a complete line, cell, list item or value. */
export function isUnit(text: string, { from, to }: Span): boolean {
  const line = lineAround(text, from)
  const before = text.slice(line.from, from)
  const after = text.slice(to, Math.max(to, line.to))
  const isValue = /(?<!\\)"$/.test(before.slice(-2)) && /^"(?!\s*:)/.test(after.slice(0, LONGEST_EDGE))
  if (isValue && to - from >= SHORTEST_VALUE) return true
  if (before.length > LONGEST_EDGE || after.length > LONGEST_EDGE || !/^[\s*_`"'”’)\]},.;:!?|]*$/.test(after))
    return false
  return (
    /^[\s*_`"'“‘([{>#+•|-]*(?:\d{1,3}[.)]\s[\s*_`"'“‘]*)?$/.test(before) ||
    (to - from >= SHORTEST_VALUE &&
      /^[\s"'`{+-]*[\p{L}\p{N}_.@$/][\p{L}\p{N}_.@$/ -]{0,59}["'`]?\s*[:=]\s*["'`]?$/u.test(before))
  )
}

// Marks, a name and a colon.
const LONGEST_EDGE = 200
const SHORTEST_VALUE = 2

/** Whether nothing before it turns its sense: a quote that begins after the "not" says the opposite. */
export function isWholeSense(text: string, { from }: Span): boolean {
  const before = text.slice(lineAround(text, from).from, from)
  const isStruck = before.split('~~').length % 2 === 0
  return !isStruck && !NEGATED.test(`${endOfWrapped(text, from - before.length)}${before}`.slice(-LOOK_BACK))
}

const LOOK_BACK = 60

// A long line that ends in the middle of a sentence was wrapped: its last words belong to the next line.
function endOfWrapped(text: string, start: number): string {
  const line = lineAround(text, start - 1)
  const isWrapped =
    text[start - 1] === '\n' && start - line.from > WIDE && /^\p{Ll}/u.test(text.slice(start, start + 2))
  return isWrapped ? `${text.slice(line.from, start - 1)} ` : ''
}

const WIDE = 50

/**
 * Whether what was left out turns the sense of the sentence before it or after it. In a sentence or a line of its own it
 * turns nothing.
 */
export function isTurned(leftOut: string): boolean {
  const sentences = leftOut.split(/[.!?;]\s|\n/)
  return NEGATION.test(sentences[0] ?? '') || NEGATION.test(sentences.at(-1) ?? '')
}

// In a row of a table each cell is a line of its own.
function lineAround(text: string, at: number): Span {
  const from = text.lastIndexOf('\n', at - 1) + 1
  const next = text.indexOf('\n', at)
  const to = next === -1 ? text.length : next
  if (!/^ ?\|/.test(text.slice(from, from + 2))) return { from, to }
  const cell = text.indexOf('|', at)
  return {
    from: Math.max(from, text.lastIndexOf('|', at - 1) + 1),
    to: cell === -1 ? to : Math.min(to, cell),
  }
}

const WORDS_OF_NEGATION =
  "not|no|never|without|neither|nor|none|cannot|nothing|\\p{L}+n['’]t|nicht|kein\\p{L}*|nie|ohne|ne|pas|sin|nunca"
const NEGATION = new RegExp(`(?<![\\p{L}])(?:${WORDS_OF_NEGATION})(?![\\p{L}])`, 'iu')
const NEGATED = new RegExp(`(?<![\\p{L}])(?:${WORDS_OF_NEGATION})[\\s*_\`]+(?:[^\\s.,;:!?()]+\\s+)?[*_\`"'“‘]*$`, 'iu')
