/** Sorts texts by code unit, so that an order is the same in every language. */
export function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The place of a case as a filter reads it: with its column where other cases start at its line. */
export function formatPlace({
  file,
  line,
  column,
}: {
  readonly file: string
  readonly line: number
  readonly column?: number | null | undefined
}): string {
  return column == null ? `${file}:${line}` : `${file}:${line}:${column}`
}

/** A text with single spaces in place of all white space, and none around it. */
export function singleSpaced(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** A text without its white space, for comparing what differs in that alone. */
export function withoutSpace(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** A text without the quotes around it. Models like to put a quote in quotes. */
export function unquote(text: string): string {
  const inner = /^(?:"(.*)"|'(.*)'|`(.*)`|“(.*)”|‘(.*)’|«(.*)»)$/.exec(text)
  return inner?.slice(1).find((part) => part !== undefined) ?? text
}

/** Matches each of these texts as a whole, and nothing else. */
export function patternOf(texts: readonly string[]): RegExp {
  return new RegExp(`^(?:${texts.map(escapePattern).join('|')})$`)
}

/** A text as a part of a regular expression that matches this text alone. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
