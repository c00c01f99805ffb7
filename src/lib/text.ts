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

/** A text without its white space, for comparing what differs in that alone. Each match takes memory until a piece is done. */
export function withoutSpace(text: string): string {
  let rest = ''
  for (let at = 0; at < text.length; at += PIECE) rest += text.slice(at, at + PIECE).replaceAll(/\s+/g, '')
  return rest
}

const PIECE = 65_536

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

/** Matches the name of a case as `--case` of Claude Code does: `*` is any text, `?` one character, all else is literal. */
export function matchesCaseName(glob: string, name: string): boolean {
  const source = escapePattern(glob)
    .replaceAll(String.raw`\*`, '.*')
    .replaceAll(String.raw`\?`, '.')
  return new RegExp(`^${source}$`, 's').test(name)
}

/** Whether a text is a sentence and no name: names have no blanks, and few are in a script without blanks. */
export function isSentence(text: string): boolean {
  return /\S\s+\S|[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}\p{scx=Thai}]/u.test(text)
}

/** A text as a test's name: one line, without what steers a terminal or a CI log, and not too long to read. */
export function oneLine(text: string, most: number = 120): string {
  const plain = text
    .replaceAll(/\s+/g, ' ')
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001F\u007F-\u009F\u200B\u200E\u200F\u2028-\u202E\u2060\u2066-\u2069\uFEFF]/g, '')
  const line = withoutMarks(plain).trim()
  if (line.length <= most) return line
  const characters = Array.from(line)
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`
}

/** A text of at most so many characters, of which the last is `…` where some are left out. */
export function shorten(text: string, most: number): string {
  // A character of two units stays whole.
  return text.length <= most ? text : `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** A count with its noun: `1 case`, `2 cases`, `1,200 cases`. */
export function plural(count: number, noun: string, nouns = `${noun}s`): string {
  return `${count.toLocaleString('en-US')} ${count === 1 ? noun : nouns}`
}

/** The beginning of a text in whole words, as one line; of a script without blanks its first characters. */
export function firstWords(text: string, most: number): string {
  const line = oneLine(text, most)
  if (!line.endsWith('…') || oneLine(text) === line) return line
  const words = line.slice(0, line.lastIndexOf(' '))
  return line.lastIndexOf(' ') < most / 2 ? line : `${words}…`
}

/** Makes a text from outside safe to print: what a terminal would act on, or an eye would miss, becomes visible. */
export function toPrintable(text: string): string {
  return withoutMarks(text.replaceAll('\r\n', '\n').replaceAll(UNPRINTABLE, escapeCharacter))
}

/** {@link toPrintable}, then {@link withoutCommands}. */
export function toPrintableMessage(text: string): string {
  return withoutCommands(toPrintable(text))
}

/**
 * What ends the red in which Vitest paints a message, in a worker whose run has a terminal; else nothing. Vitest opens its red
 * again behind the end of a colour, so all styles are reset.
 */
export function endOfRed(): string {
  const { FORCE_TTY: terminal, NO_COLOR: refused = '' } = process.env
  return terminal === 'true' && refused === '' ? '\u001B[0m' : ''
}

/** {@link toPrintableMessage}, but for the end of the red. */
export function toPrintableFailure(text: string): string {
  const end = endOfRed()
  return end === '' ? toPrintableMessage(text) : text.split(end).map(toPrintableMessage).join(end)
}

/** A text without commands to a CI log: lines that begin with one, also behind blanks or colours, get the gutter. */
export function withoutCommands(text: string): string {
  return withoutMarks(text).replaceAll(
    /^(?:[^\S\r\n\u2028\u2029]|\u001B\[[\d;]*m)*::/gm,
    (start) => `${GUTTER}${start}`,
  )
}

/** {@link toPrintable}, on one line: for names. */
export function toPrintableLine(text: string): string {
  return toPrintable(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
}

/** {@link toPrintable}, each line after a gutter: none can begin with a command to a CI log. */
export function gutter(text: string): string {
  return toPrintable(text)
    .split('\n')
    .map((line) => `${GUTTER}${line}`.trimEnd())
    .join('\n')
}

function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code <= 0xff) return SHORT[character] ?? `\\x${code.toString(16).padStart(2, '0')}`
  return code <= 0xffff ? `\\u${code.toString(16).padStart(4, '0')}` : `\\u{${code.toString(16)}}`
}

const GUTTER = '  | '
const SHORT: Readonly<Record<string, string>> = { '\r': String.raw`\r`, '\b': String.raw`\b` }
// Controls but tab and line feed, line separators, bidirectional marks, characters without width, tags, lone surrogates.
const UNPRINTABLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u061C\u180E\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u{E0000}-\u{E007F}]|\p{Surrogate}/gu
// Some CI logs take these anywhere in a line: the gutter alone does not stop them.
const withoutMarks = (text: string): string => text.replaceAll(/##(?=\[|vso\[|teamcity\[)/g, String.raw`#\x23`)

/** US dollars for reading; what is less than a cent keeps its first digit. */
export function dollars(amount: number): string {
  return amount > 0 && amount < 0.01 ? `$${amount.toPrecision(1)}` : `$${amount.toFixed(2)}`
}

/** The words and separators of a shell's command, without quotes and with the variables of `env`. Good for a look, not to run. */
export function commandWords(command: string, env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s;&|])+|[;&|\n]+/g) ?? []
  return words.map((word) =>
    word.replaceAll(/['"]/g, '').replaceAll(/\$\{?(\w+)\}?/g, (_, name: string) => env[name] ?? ''),
  )
}
