import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stripVTControlCharacters } from 'node:util'
import { killTagged } from '../../src/sandbox/process/process-tree.ts'
import { readableOutput } from './readable-output.ts'

export interface ProcessOptions {
  readonly cwd?: string
  /** Added to the variables that the process gets anyway; `undefined` takes one away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Written to stdin, which is closed then; without it, stdin is closed at once. */
  readonly stdin?: string
  /** Runs it on a terminal of its own, whose keyboard is `press`; needs {@link hasTerminal}. */
  readonly terminal?: boolean
  /** Kills the process and its children when aborted. */
  readonly signal?: AbortSignal
  /** Sends stderr into stdout, so that `all` has the true order: two streams arrive in any order. */
  readonly merged?: boolean
  /** Further folders to name in the outputs, by name. */
  readonly folders?: Readonly<Record<string, string>>
}

/** What a process that ended has left. The outputs are made readable: no colours, no durations, `<root>` for the project. */
export interface FinishedProcess {
  /** `null` when a signal ended it. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
  /** Both outputs in the order in which they came; for a snapshot of both, run it `merged`. */
  readonly all: string
  /** Both outputs as they came. */
  readonly raw: string
}

export interface RunningProcess {
  readonly pid: number
  readonly finished: Promise<FinishedProcess>
  /** Both outputs so far, made readable. */
  output(): string
  /** Waits until the output since the last wait shows the text; throws when the process ends without it. */
  waitFor(text: string | RegExp): Promise<void>
  /** Types on its terminal. */
  press(keys: string): void
  /** Sends a signal to the process group, as a terminal does with Ctrl-C. */
  send(signal: NodeJS.Signals): void
  /** Ends the process and all that it has started, also on the terminal and in other groups, and waits until it is gone. */
  kill(): Promise<void>
}

const SCRIPT = '/usr/bin/script'

/** Whether a process can be given a terminal of its own here. */
export const hasTerminal: boolean = process.platform === 'linux' && existsSync(SCRIPT)

function onTerminal(command: readonly string[]): readonly string[] {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return [SCRIPT, '-qefc', quoted, '/dev/null']
}

/** Starts a program in a process group of its own. */
export function startProcess(program: string, args: readonly string[], options: ProcessOptions = {}): RunningProcess {
  const merged =
    options.merged === true ? ['/bin/sh', '-c', 'exec "$0" "$@" 2>&1', program, ...args] : [program, ...args]
  const [file = program, ...rest] = options.terminal === true ? onTerminal(merged) : merged
  const mark = `STARTED_BY_TEST=${randomUUID()}`
  const [name = '', value] = mark.split('=')
  const child = spawn(file, rest, { cwd: options.cwd, env: { ...options.env, [name]: value }, detached: true })
  const chunks: { stream: 'stdout' | 'stderr'; text: string }[] = []
  const listeners = new Set<() => void>()
  let waitedUntil = 0

  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      chunks.push({ stream, text })
      for (const listener of listeners) listener()
    })
  }
  child.stdin.on('error', () => {})
  if (options.terminal !== true) child.stdin.end(options.stdin ?? '')

  const text = (stream?: 'stdout' | 'stderr'): string => {
    const wanted = chunks.filter((chunk) => stream === undefined || chunk.stream === stream)
    return readableOutput(wanted.map((chunk) => chunk.text).join(''), options.folders ?? {})
  }
  const rawText = (): string => stripVTControlCharacters(chunks.map((chunk) => chunk.text).join(''))
  const finished = new Promise<FinishedProcess>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (exitCode, signal) =>
      resolve({
        exitCode,
        signal,
        stdout: text('stdout'),
        stderr: text('stderr'),
        all: text(),
        raw: chunks.map((chunk) => chunk.text).join(''),
      }),
    )
  })
  const send = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined) return
    try {
      process.kill(-child.pid, signal)
    } catch {
      // The whole group has ended already.
    }
  }
  options.signal?.addEventListener('abort', () => send('SIGKILL'), { once: true })
  if (options.signal?.aborted === true) send('SIGKILL')

  return {
    pid: child.pid ?? 0,
    finished,
    output: () => text(),
    press: (keys) => void child.stdin.write(keys),
    send,
    async kill() {
      send('SIGKILL')
      await killTagged(mark)
      await finished.catch(() => {})
    },
    waitFor(expected) {
      const { promise, resolve, reject } = withResolvers()
      const look = (): void => {
        const found = find(rawText().slice(waitedUntil), expected)
        if (found === null) return
        waitedUntil += found
        resolve()
      }
      const missed = (): void => reject(new Error(`The process ended without showing ${String(expected)}:\n${text()}`))
      listeners.add(look)
      look()
      void finished.then(missed, missed)
      return promise.finally(() => listeners.delete(look))
    },
  }
}

/** Where the first occurrence ends; `null` when there is none. */
function find(text: string, expected: string | RegExp): number | null {
  if (typeof expected === 'string') return text.includes(expected) ? text.indexOf(expected) + expected.length : null
  const match = expected.exec(text)
  return match === null ? null : match.index + match[0].length
}

function withResolvers(): { promise: Promise<void>; resolve: () => void; reject: (reason: Error) => void } {
  let resolve = (): void => {}
  let reject = (_reason: Error): void => {}
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
