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

/** Whether a text is a sentence and no name: names have no blanks, and few are in a script without blanks. */
export function isSentence(text: string): boolean {
  return /\S\s+\S|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}\p{scx=Thai}]/u.test(text)
}

/** A text as a test's name: one line, without characters that steer a terminal, and not too long to read. */
export function oneLine(text: string, most: number = 120): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u2069\uFEFF]/g, '')
    .trim()
  if (line.length <= most) return line
  const characters = Array.from(line)
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}

/** The beginning of a text in whole words, as one line; of a script without blanks its first characters. */
export function firstWords(text: string, most: number): string {
  const line = oneLine(text, most)
  if (!line.endsWith('…') || oneLine(text) === line) return line
  const words = line.slice(0, line.lastIndexOf(' '))
  return line.lastIndexOf(' ') < most / 2 ? line : `${words}…`
}
