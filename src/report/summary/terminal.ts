import { styleText } from 'node:util'
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

/** Prints lines. None of them is a command to a CI log, whatever a name in it says. */
export function print(lines: readonly string[] | string, stream: NodeJS.WritableStream = process.stdout): void {
  const text = typeof lines === 'string' ? lines : lines.join('\n')
  stream.write(`${withoutCommands(text)}\n`)
}

/** As {@link print}, to stderr. */
export function printError(lines: readonly string[] | string): void {
  print(lines, process.stderr)
}

/** As {@link print}, by the logger of Vitest, which knows what else is on the terminal. */
export function printBy(logger: Pick<Console, Level>, level: Level, text: string): void {
  logger[level](withoutCommands(text))
}

type Level = 'error' | 'log' | 'warn'

/** Prints a value as JSON, for programs. Its texts are the same to them, and no command to a CI log. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value, null, 2).replaceAll('##', String.raw`#\u0023`))
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
