import { shorten, toPrintableLine } from '../../lib/text.ts'

// The Markdown of a comment. What comes from cases, agents and reports is text and nothing else, by construction: it is in
// `<code>`, in which hosting services look for no mention, issue or commit, and each of its characters that could mean
// something is a reference to that character.

/** A text from outside on one line, as code that shows exactly its characters. At most so many of them. */
export function inert(text: string, most: number): string {
  const line = shorten(toPrintableLine(text.trim()), most)
  return line === '' ? '' : `<code>${escape(line)}</code>`
}

function escape(text: string): string {
  // A character without width ends what follows an @: it is the name of nobody, and no address.
  return text.replaceAll(
    MEANINGFUL,
    (character) => `&#${character.codePointAt(0)};${character === '@' ? '&#8203;' : ''}`,
  )
}

// All of ASCII but letters, digits and single blanks. Of two blanks one would be dropped.
const MEANINGFUL = /[!-/:-@[-`{-~]| (?= )/g

/** A link to a page of the CI; `null` for what is no plain address. */
export function link(text: string, url: string): string | null {
  return /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w./~%+#?=&-]*)?$/.test(url) ? `[${text}](${url})` : null
}

/** A part of a comment: a heading and what stands below it. */
export interface Section {
  readonly title: string
  /** What its items are called, such as `regressions`. */
  readonly nouns: string
  /** Each a whole item of a list; the most important first. */
  readonly items: readonly string[]
}

/**
 * Puts a comment together that is no longer than its host takes. What does not fit is left out from the end, and counted.
 *
 * @param head - always there.
 */
export function fitComment(
  head: readonly string[],
  sections: readonly Section[],
  most: number = MOST_CHARACTERS,
): string {
  const lines = [...head]
  let length = lengthOf(lines) + CUT_LENGTH
  const left: string[] = []
  for (const { title, nouns, items } of sections) {
    if (items.length === 0) continue
    const opening = ['', `#### ${title} (${items.length})`, '']
    const room = most - length - lengthOf(opening)
    const count = countFitting(items.slice(0, MOST_ITEMS), room)
    if (count < items.length) left.push(`${items.length - count} of ${items.length} ${nouns}`)
    if (count === 0) continue
    lines.push(...opening, ...items.slice(0, count))
    length = lengthOf(lines) + CUT_LENGTH
  }
  const cut = left.length === 0 ? [] : ['', `_Left out here, and in the report: ${left.join(', ')}._`]
  return `${[...lines, ...cut].join('\n')}\n`
}

function countFitting(items: readonly string[], room: number): number {
  let used = 0
  const first = items.findIndex((item) => {
    used += item.length + 1
    return used > room
  })
  return first === -1 ? items.length : first
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

/** What GitHub takes. */
const MOST_CHARACTERS = 65_536
// For the line that says what was cut: a few words for each section.
const CUT_LENGTH = 1000
// More than a person reads.
const MOST_ITEMS = 50
