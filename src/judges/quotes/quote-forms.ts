import { LINE_END } from '../evidence/foreign-text.ts'
import { neutralise } from '../evidence/fence.ts'

/** A text as quotes are compared with it, with the place of each character in the text that it is a form of. */
export interface Form {
  readonly text: string
  /** One more than there are characters: the last is the end. */
  readonly at: readonly number[]
}

/** A text with its lines, and otherwise single blanks: no invisible characters, one form of Unicode. */
export function baseOf(text: string): string {
  return neutralise(text)
    .normalize('NFC')
    .split(LINE_END)
    .join('\n')
    .replaceAll(/[^\S\n]+/g, ' ')
}

/** The text on one line. */
export function plainForm(base: string): Form {
  return reduce(identity(base), /\s+/g, () => ' ')
}

/** Without marks of Markdown and quotes, with one kind of dash, and blanks only between words. */
export function looseForm(base: string): Form {
  return withFewBlanks(reduce(identity(base), MARKS, ([mark]) => standIn(mark)))
}

/** As {@link looseForm}, with rows of a table as their cells alone and links as their text alone. */
export function readForm(base: string): Form {
  const rows = reduce(identity(base), ROWS, ([row]) => (/\p{L}|\p{N}/u.test(row) ? row.replaceAll('|', ' ') : ''))
  const links = reduce(rows, LINKS, ([, words = '']) => words)
  return withFewBlanks(reduce(links, MARKS, ([mark]) => standIn(mark)))
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
const LINKS = /!?\[([^\]\n]{1,300})\]\([^)\n]{0,2000}\)/g
// At the start of a line headings, citations and bullets; anywhere emphasis, code, quotes, dashes and ellipses.
const MARKS =
  /^ ?(?:(?:#{1,6}|[-*+•]|>) )+|(?<! )\*+|\*+(?! |$)|(?<![\p{L}\p{N}])_+|_+(?![\p{L}\p{N}])|[`´"'‘’‚‛“”„‟«»‹›′″]|[‐‑‒–—―−]|--+|…/gmu
const BLANKS_AT_MARKS = / (?![\p{L}\p{N}])|(?<![\p{L}\p{N}]) /gu

function standIn(mark: string): string {
  if (mark === '…') return '...'
  return /^(?:[‐‑‒–—―−]|--+)$/.test(mark) ? '-' : ''
}
