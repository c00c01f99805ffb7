import { stripVTControlCharacters, styleText } from 'node:util'
import { withoutCommands } from '../../lib/text.ts'

/** Styles a text for where it is printed. */
export type Paint = (style: PaintStyle, text: string) => string

/** Styles that are used. */
export type PaintStyle = 'blue' | 'bold' | 'cyan' | 'dim' | 'green' | 'red' | 'yellow'

/** Paints for a stream: nothing where colours are not wanted or not understood. */
export function painter(stream: { readonly isTTY?: boolean | undefined } = process.stdout): Paint {
  const isColored = wantsColor(stream)
  return (style, text) => (isColored ? styleText(style, text, { validateStream: false }) : text)
}

/** Whether a stream is to be painted. */
export function wantsColor(stream: { readonly isTTY?: boolean | undefined } = process.stdout): boolean {
  const { NO_COLOR: refused, FORCE_COLOR: forced, TERM: terminal } = process.env
  if (refused !== undefined && refused !== '') return false
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  return stream.isTTY === true && terminal !== 'dumb'
}

/** Prints lines to stdout. None of them is a command to a CI log, whatever a name in it says. */
export function print(lines: readonly string[] | string): void {
  const text = typeof lines === 'string' ? lines : lines.join('\n')
  process.stdout.write(`${withoutCommands(text)}\n`)
}

/** Prints a value as JSON, for programs. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2))
}

/** Returns what counts up, and says how far it is once a second, on stderr: output is for what was done. */
export function createCounter(total: number, what: string): () => void {
  const isTerminal = process.stderr.isTTY
  let done = 0
  let said = performance.now()
  let isOpen = false
  return () => {
    done += 1
    const now = performance.now()
    const isDue = now - said >= (isTerminal ? 1000 : 5000)
    if (!isDue && !(isOpen && done === total)) return
    said = now
    const line = `${what}: ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`
    isOpen = isTerminal && done < total
    process.stderr.write(isTerminal ? `\r${line}${isOpen ? '' : '\n'}` : `${line}\n`)
  }
}

/** A line as a CI log shows it: one that begins like a command would be taken for it. */
export function withoutCommand(line: string): string {
  return stripVTControlCharacters(line).trimStart().startsWith('::') ? `  | ${line}` : line
}
