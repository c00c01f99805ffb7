import { neutralise } from './fence.ts'

/** Begins every line of evidence that the test system did not write, so that no such line can look like one of its own. */
export const FOREIGN = '| '

/** Writes a text of an agent, a tool or a file as evidence: each of its lines carries the mark. */
export function writeForeign(text: string): string {
  return neutralise(text)
    .replace(/\r?\n$/, '')
    .split(LINE_END)
    .map((line) => `${FOREIGN}${line}`)
    .join('\n')
}

/** Every character that some reader takes for the end of a line. */
export const LINE_END: RegExp = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/

/** A name that an agent or a package chose, as a part of our line: whatever could be mistaken for more is quoted. */
export function writeName(name: string): string {
  const short = name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name
  if (PLAIN_NAME.test(short)) return short
  return JSON.stringify(neutralise(short).replaceAll(/[<>\u0085\u2028\u2029]/g, ' '))
}

const LONGEST_NAME = 300
const PLAIN_NAME = /^[\p{L}\p{N}_./@+:#~=,-]+$/u
