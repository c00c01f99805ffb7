import { unquote } from '../texts.ts'
import type { Range } from './visible-text.ts'

/**
 * Finds the parts of a judge's quote in a text; `null` when it is not there. Space and invisible characters do not
 * count, and an ellipsis replaces what was left out: whether the quote proves anything was decided when it was judged.
 */
export function findQuoteIn(text: string, quote: string): readonly Range[] | null {
  const parts = partsOf(quote)
  if (parts.length === 0) return null
  const { folded, offsets } = fold(text)
  const found: Range[] = []
  let from = 0
  for (const part of parts) {
    const at = folded.indexOf(part, from)
    if (at === -1) return null
    from = at + part.length
    found.push({ start: offsets[at] ?? 0, end: (offsets[from - 1] ?? 0) + 1 })
  }
  return found
}

function partsOf(quote: string): readonly string[] {
  const parts = unquote(fold(quote).folded)
    .split(/\[?(?:…|\.{3,})\]?/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.some((part) => /[\p{L}\p{N}]/u.test(part)) ? parts : []
}

interface Folded {
  readonly folded: string
  /** Where each character comes from. */
  readonly offsets: readonly number[]
}

// One blank for all space, no invisible characters, accents composed: as quotes are compared when they are judged.
function fold(text: string): Folded {
  const folded: string[] = []
  const offsets: number[] = []
  let space = -1
  for (const { 0: found, index } of text.matchAll(CHARACTER)) {
    const shown = found.replaceAll(INVISIBLE, '').normalize('NFC').replaceAll('‹', '<')
    if (shown === '') continue
    if (/^\s+$/.test(shown)) {
      if (space === -1) space = index
      continue
    }
    if (space !== -1 && offsets.length > 0) {
      folded.push(' ')
      offsets.push(space)
    }
    space = -1
    folded.push(shown)
    for (let at = 0; at < shown.length; at++) offsets.push(index + Math.min(at, found.length - 1))
  }
  return { folded: folded.join(''), offsets }
}

// With the marks that follow it, with which it may become one character.
const CHARACTER = /\P{M}\p{M}*|\p{M}+/gsu
const INVISIBLE = /(?!\s)[\p{Cc}\p{Cf}]/gu
