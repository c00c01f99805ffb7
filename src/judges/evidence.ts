import { neutralise } from './fence.ts'

/** A text in which quotes are looked up. */
export interface EvidenceText {
  /** `output`, `transcript` or the path of a file. */
  readonly name: string
  readonly text: string
}

/** Finds where a quote stands. */
export type QuoteFinder = (quote: string) => string | null

/**
 * Prepares texts for looking up quotes: the answer is the name of the first text that holds the quote, `null` when none does.
 *
 * Space and invisible characters do not count, and an ellipsis stands for anything left out; otherwise the quote is
 * verbatim or it is invented.
 */
export function createQuoteFinder(texts: readonly EvidenceText[]): QuoteFinder {
  const prepared = texts.map(({ name, text }) => ({ name, text: normalise(text) }))
  return (quote) => {
    const parts = partsOf(quote)
    if (parts.length === 0) return null
    return prepared.find(({ text }) => holds(text, parts))?.name ?? null
  }
}

function partsOf(quote: string): readonly string[] {
  const parts = unwrap(normalise(quote))
    .split(ELLIPSIS)
    .map((part) => part.trim())
  const telling = parts.filter((part) => part !== '')
  // A full stop is in every text and proves nothing.
  return telling.every((part) => /[\p{L}\p{N}]/u.test(part)) ? telling : []
}

const ELLIPSIS = /\[?(?:…|\.{3,})\]?/

function holds(text: string, parts: readonly string[]): boolean {
  let from = 0
  for (const part of parts) {
    const at = part.length < SHORT ? findWord(text, part, from) : text.indexOf(part, from)
    if (at === -1) return false
    from = at + part.length
  }
  return true
}

// Any text holds the letter of a short quote somewhere; it has to stand there as a word.
function findWord(text: string, word: string, from: number): number {
  for (let at = text.indexOf(word, from); at !== -1; at = text.indexOf(word, at + 1)) {
    const before = text[at - 1] ?? ' '
    const after = text[at + word.length] ?? ' '
    if (!IN_WORD.test(before) && !IN_WORD.test(after)) return at
  }
  return -1
}

const SHORT = 5
const IN_WORD = /[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}\p{N}]/u

function normalise(text: string): string {
  return neutralise(text).normalize('NFC').replaceAll(/\s+/g, ' ').trim()
}

// Models like to put a quote in quotes.
function unwrap(quote: string): string {
  const inner = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”|‘(.*)’|«(.*)»)$/.exec(quote)
  return inner?.slice(1).find((text) => text !== undefined) ?? quote
}
