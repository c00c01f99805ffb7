/** A stretch of a text. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Characters that an ellipsis may replace. */
export const MOST_LEFT_OUT = 200
/** Characters that a quote has at least, unless it is a complete line, cell, list item or value. */
export const SHORTEST = 12

/** Whether a quote is long enough to say something by itself. Writing without an alphabet says twice as much. */
export function isLongEnough(part: string, least = SHORTEST): boolean {
  const short = part.replaceAll(/\s+/g, ' ').trim()
  return short.length + (short.match(DENSE)?.length ?? 0) >= least
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

/** A character that words of other scripts do not border on without a blank. */
export const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u

/** Whether it is a complete line, cell, list item, value or sentence. */
export function isUnit(text: string, { from, to }: Span): boolean {
  const line = lineAround(text, from)
  // The full stop of a quote is not a part of its value.
  const end = /[.,;!?。，；！？]/.test(text[to - 1] ?? '') ? to - 1 : to
  const after = text.slice(end, Math.min(Math.max(to, line.to), end + LONGEST_EDGE))
  if (/(?<!\\)"$/.test(text.slice(Math.max(0, from - 2), from)) && /^"(?!\s*:)/.test(after))
    return to - from >= SHORTEST_VALUE
  const start = Math.max(line.from, from - LONGEST_EDGE)
  const before = `${start > line.from ? 'x' : ''}${text.slice(start, from)}`.replaceAll(STRUCK, '')
  if (LINE_ENDS.test(after) && LINE_STARTS.test(before)) return true
  const isList = /[[{(][^\]})]*$/.test(before)
  const isAt = ([always, inList]: readonly [RegExp, RegExp], side: string): boolean =>
    always.test(side) || (isList && inList.test(side))
  const least = /[:=]\s*["'`]?$/.test(before) ? SHORTEST_VALUE : SHORTEST_ITEM
  return to - from >= least && isAt(ENDS, after) && (LINE_STARTS.test(before) || isAt(STARTS, before))
}

const LONGEST_EDGE = 200
const SHORTEST_VALUE = 2
const SHORTEST_ITEM = 4
const STRUCK = /~~([^~\n]+)~~/g
const LINE_STARTS = /^[\s>#+•*|([{_`"'“‘„«「~-]*(?:\d{1,3}[.)]\s[\s*_`"'“‘„«「~]*)?(?:\[[ x]\]\s[\s*_`"'“‘„«「~]*)?$/iu
const LINE_ENDS = /^[\s*_`"'”’“»」~\p{Extended_Pictographic}\uFE0F)\]},.;:!?。！？|]*$/u
// A delimiter of items, cells, values and sentences, and a comma: of a list in brackets, else one without a blank.
const STARTS = [
  /(?:[|;·([{>:。！？：；、]|(?<![!<>=])=|(?:[–—]|\s-)\s|[.!?]\s|,(?!\s))[\s*_`"'“‘„«「~]*$/iu,
  /,[\s*_`"'“‘„«「~]*$/u,
] as const
const ENDS = [
  /^[\s*_`"'”’“»」~\p{Extended_Pictographic}\uFE0F]*(?:[)\]},.;:!?|]*$|[|;·)\]}<。！？；、]|[.!?]\s|,(?=\S)|[–—]|-\s)|^\s+(?:#|\/\/)/u,
  /^[\s*_`"'”’“»」~]*,/u,
] as const

/** Whether nothing before it turns its sense: a quote that begins after the "not" says the opposite. */
export function isWholeSense(text: string, { from }: Span): boolean {
  const before = text.slice(lineAround(text, from).from, from)
  return !NEGATED.test(`${endOfWrapped(text, from - before.length)}${before}`.slice(-LOOK_BACK))
}

/**
 * Whether a part of a quote says as its own what was struck out: it ends in there, is nothing else, or has its "not" from
 * there. With its marks it may.
 */
export function isStruck(text: string, { from, to }: Span, part: string): boolean {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const end = text.indexOf('\n', to)
  const quoted = text.slice(from, to)
  let rest = quoted
  for (const { index, 0: struck, 1: words = '' } of text.slice(start, end === -1 ? undefined : end).matchAll(STRUCK)) {
    const opened = start + index + 2
    if (part.includes(struck) || to <= opened || from >= opened + words.length) continue
    if (from > opened || to <= opened + words.length || NEGATION.test(words)) return true
    rest = rest.replace(words, '')
  }
  return rest !== quoted && !/[\p{L}\p{N}]/u.test(rest)
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

/**
 * Whether words of a call only say something: the text of an `echo`, a here document, a comment, the message of a commit.
 * Code that an interpreter is given, in quotes or as a here document, is what was done; a text within it is not.
 *
 * @param before - what stands before the words, with its lines.
 */
export function isSaid(before: string): boolean {
  const script = before.replaceAll(CLOSED_DOCUMENT, '$3')
  const open = OPEN_DOCUMENT.exec(script)
  if (open === null) return isText(script, false)
  const command = script.slice(0, open.index)
  return !INTERPRETER.test(command) || SAYS.test(command) || isText(script.slice(open.index + open[0].length), true)
}

function isText(script: string, isCode: boolean): boolean {
  // The marks around code that commands are given; what is in other quotes within it is text.
  const codes = isCode ? ['document'] : []
  let start = 0
  let open = ''
  for (const { index, 0: mark } of script.matchAll(QUOTES)) {
    const command = script.slice(start, index)
    const isClosed = mark === codes.at(-1)
    if (open !== '') open = mark === open ? '' : open
    else if (isClosed || (TAKES_CODE.test(command) && !SAYS.test(command))) {
      if (isClosed) codes.pop()
      else codes.push(mark)
      start = index + mark.length
    } else if (codes.length > 0 || !/^[\\`]/.test(mark)) open = mark
  }
  return open !== '' || SAYS.test(script.slice(start))
}

// No apostrophe within a word; an escaped quote is another one within code.
const QUOTES = /(?<!\\)\\*(?:["`]|(?<!\p{L})'|'(?!\p{L})|(?<=(?<!\p{L})[rbfu]{1,2})')/giu
const OPEN_DOCUMENT = /<<-?\s*(["']?)\w+\1[^\n]*\n/
const CLOSED_DOCUMENT = /<<-?\s*(["']?)(\w+)\1([^\n]*\n)[^]*?\n\s*\2(?=\s|$)/g
const NAME = String.raw`(?:^|[\s/;&|(])(?:(?:python|pypy|node|deno|bun|tsx|ruby|perl|php|lua|rscript|osascript|bash|zsh|dash|ksh|fish|sh|pwsh|powershell|psql|mysql|mariadb|sqlite3|duckdb|ssh|su)[\d.]*)`
const INTERPRETER = new RegExp(String.raw`${NAME}(?=\s)[^\n;&|]*$`, 'i')
const TAKES_CODE = new RegExp(
  String.raw`${NAME}\s(?:[^\n;&|"']*\s)?-[\w-]*[cepr](?:val|ommand|rint)?[=\s]\s*$|(?:^|[\s/;&|(])(?:eval\s+|(?:ssh|sqlite3|duckdb)\s(?:[^\s;&|"']+\s+)*[^\s;&|"'-][^\s;&|"']*\s+)$`,
  'i',
)
// What an echo is given, but for what it runs or writes to; a comment.
const SAYS =
  /(?:^|[;&|(\n]|\b(?:then|do)\s)[^\S\n]*(?:echo|printf)\s(?:(?!\$\()[^;&|\n>])*$|(?:^|\s)(?:#|\/\/)[^\n]*$|(?:^|[;\n])[^\S\n]*--\s[^\n]*$/
