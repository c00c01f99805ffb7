/** Makes a text from outside safe to print: what a terminal would act on, or an eye would miss, becomes visible. */
export function toPrintable(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(UNPRINTABLE, escapeCharacter)
    .replaceAll(LOG_COMMAND, String.raw`#\x23`)
}

/** As {@link toPrintable}, for a text of which only some lines come from outside: those with a command get the gutter. */
export function toPrintableMessage(text: string): string {
  return withoutCommands(toPrintable(text))
}

/** Puts lines that a CI log would take for its command behind the gutter. It takes those too that begin with blanks. */
export function withoutCommands(text: string): string {
  return text.replaceAll(/^[^\S\r\n\u2028\u2029]*::/gm, (start) => `${GUTTER}${start}`)
}

/** As {@link toPrintable}, on one line: for names. */
export function toPrintableLine(text: string): string {
  return toPrintable(text)
    .replaceAll('\n', String.raw`\n`)
    .replaceAll('\t', String.raw`\t`)
}

/** As {@link toPrintable}, each line after a gutter: no line of it can begin with a command to a CI log. */
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
const LOG_COMMAND = /##(?=\[|vso\[|teamcity\[)/g
