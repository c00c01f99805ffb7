import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Options, ResultPromise } from 'execa'
import { killTagged, killTreeOnExit, signalGroup } from './process-tree.ts'

/** How a process is started and when it is ended. */
export interface ProcessOptions {
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string
  /** Written and closed, a stream once it ends; without it the process has no standard input. */
  readonly stdin?: Readable | string | undefined
  /** Ends the whole tree. */
  readonly signal?: AbortSignal | undefined
  /** Milliseconds after which the whole tree is ended. */
  readonly deadlineMs?: number | undefined
  /** Milliseconds between SIGTERM and SIGKILL; 0 kills at once. @default 3000 */
  readonly graceMs?: number | undefined
  /** Files whose contents the process reads at descriptors from 3 on. */
  readonly descriptors?: readonly string[] | undefined
  /** Whether the process gets one more descriptor, after {@link descriptors}, whose text is returned as `status`. */
  readonly status?: boolean | undefined
  /** `NAME=value` from `env`: whatever carries it is killed at the end, even when it left the process group. */
  readonly tag?: string | null | undefined
  /** Takes each line of stdout as it comes. If it throws, the tree is ended and the error passed on. */
  readonly onLine?: ((line: string) => void) | undefined
  /** Takes stdout as it comes, as bytes. If it throws, the tree is ended and the error passed on. */
  readonly onChunk?: ((chunk: Buffer) => void) | undefined
  readonly onSpawn?: ((pid: number) => void) | undefined
}

/** How a process ended. A process that failed is a result, not an error. */
export interface ProcessResult {
  /** `null` when it was ended by a signal or never started. */
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly timedOut: boolean
  readonly aborted: boolean
  /** Whole when it is short (1 MiB), else start and end with a mark between them. */
  readonly stdoutTail: string
  /** As {@link stdoutTail}. */
  readonly stderrTail: string
  /** What was written to the status descriptor. */
  readonly status: string
  readonly durationMs: number
  /** Why it did not start. */
  readonly spawnError: NodeJS.ErrnoException | null
}

/** Runs a program without a shell in a process group of its own, and leaves nothing of it behind. */
export async function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  if (options.signal?.aborted === true) return { ...NOT_STARTED, aborted: true }

  // Loaded by the first process that starts, since most starts of Vitest need none.
  const { execa } = await import('execa')
  const startedAt = performance.now()
  let child: ResultPromise
  try {
    child = execa(file, args, settingsOf(options))
  } catch (error) {
    return { ...NOT_STARTED, spawnError: error as Error }
  }
  if (child.pid === undefined) return { ...NOT_STARTED, spawnError: (await child).cause as Error }
  const forget = killTreeOnExit(child.pid, options.tag ?? null)
  try {
    return { ...(await follow(child, child.pid, options)), durationMs: Math.round(performance.now() - startedAt) }
  } finally {
    forget()
  }
}

function settingsOf(options: ProcessOptions): Options {
  const { env, cwd, stdin, signal, graceMs = 3000, deadlineMs = LONGEST_TIMER_MS } = options
  const given = (options.descriptors ?? []).map((path) => readFileSync(path))
  const status = options.status === true ? (['pipe'] as const) : []
  return {
    env,
    extendEnv: false,
    cwd,
    // A group of its own, so that the whole group can be killed.
    detached: true,
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...given, ...status],
    ...(stdin === undefined ? {} : { input: stdin }),
    ...(signal === undefined ? {} : { cancelSignal: signal }),
    timeout: Math.min(Math.max(1, deadlineMs), LONGEST_TIMER_MS),
    killSignal: graceMs === 0 ? 'SIGKILL' : 'SIGTERM',
    forceKillAfterDelay: graceMs,
    buffer: false,
    reject: false,
  }
}

async function follow(child: ResultPromise, pid: number, options: ProcessOptions): Promise<ProcessResult> {
  const failures: unknown[] = []
  // An error in a callback must end the process, not the whole worker.
  const guard = (callback: () => void): void => {
    try {
      if (failures.length === 0) callback()
    } catch (error) {
      failures.push(error)
      child.kill()
    }
  }
  const [stdout, stderr, status] = [new BoundedText(), new BoundedText(), new BoundedText()]
  const lines = new LineSplitter((line) => guard(() => options.onLine?.(line)))
  child.stdout?.on('data', (chunk: Buffer) => {
    stdout.add(chunk)
    guard(() => options.onChunk?.(chunk))
    if (options.onLine !== undefined) lines.add(chunk)
  })
  child.stderr?.on('data', (chunk: Buffer) => stderr.add(chunk))
  if (options.status === true) child.stdio.at(-1)?.on('data', (chunk: Buffer) => status.add(chunk))
  guard(() => options.onSpawn?.(pid))

  await new Promise((resolve) => child.once('exit', resolve))
  signalGroup(pid, 'SIGKILL')
  if (typeof options.tag === 'string') await killTagged(options.tag)
  // A process that still holds a pipe now is out of reach, so the pipe is not waited for.
  const timer = setTimeout(() => child.stdio.forEach((stream) => stream?.destroy()), DRAIN_MS)
  const { exitCode, signal, timedOut, isCanceled } = await child
  clearTimeout(timer)
  lines.end()
  if (failures.length > 0) throw failures[0]

  return {
    ...NOT_STARTED,
    exitCode: exitCode ?? null,
    signal: signal ?? null,
    timedOut,
    aborted: isCanceled,
    stdoutTail: stdout.toString(),
    stderrTail: stderr.toString(),
    status: status.toString(),
  }
}

/** A program that was not started. */
export const NOT_STARTED: ProcessResult = {
  exitCode: null,
  signal: null,
  timedOut: false,
  aborted: false,
  stdoutTail: '',
  stderrTail: '',
  status: '',
  durationMs: 0,
  spawnError: null,
}

const DRAIN_MS = 2000
const LONGEST_TIMER_MS = 2 ** 31 - 1

/** Output of a program that ends at once; `null` when it failed. For the few places that cannot wait in another way. */
export function readOutput(
  program: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): string | null {
  const { status, stdout } = spawnSync(program, words, {
    ...options,
    encoding: 'utf8',
    timeout: 60_000,
    maxBuffer: 67_108_864,
  })
  return status === 0 ? stdout : null
}

/** Keeps the start and the end of a stream that may be far larger than memory. */
export class BoundedText {
  #chunks: Buffer[] = []
  #length = 0
  #missing = 0

  /** Takes the next bytes; holds at most four times {@link KEPT_BYTES} and a chunk. */
  add(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    if (this.#length > 4 * KEPT_BYTES) this.#cut()
  }

  /** Whole when short; else start and end, with a line between them that says how much is missing. */
  toString(): string {
    if (this.#length > 2 * KEPT_BYTES) this.#cut()
    if (this.#missing === 0) return Buffer.concat(this.#chunks).toString()
    return this.#chunks.join(`\n[${this.#missing} bytes left out]\n`)
  }

  #cut(): void {
    const all = Buffer.concat(this.#chunks)
    this.#chunks = [all.subarray(0, KEPT_BYTES), all.subarray(-KEPT_BYTES)]
    this.#missing += this.#length - 2 * KEPT_BYTES
    this.#length = 2 * KEPT_BYTES
  }
}

const KEPT_BYTES = 512 * 1024

/** Cuts a stream of bytes into lines; bytes that are not UTF-8 become replacement characters. */
class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #decoder = new StringDecoder('utf8')
  #line = ''

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(chunk: Buffer): void {
    const [first = '', ...following] = this.#decoder.write(chunk).split('\n')
    this.#extend(first)
    for (const piece of following) {
      this.#emit()
      this.#extend(piece)
    }
  }

  /** Emits a last line that has no newline. */
  end(): void {
    this.#extend(this.#decoder.end())
    if (this.#line !== '') this.#emit()
  }

  #extend(piece: string): void {
    if (this.#line.length <= MAX_LINE_LENGTH) this.#line += piece
  }

  #emit(): void {
    const line = this.#line
    this.#line = ''
    this.#onLine(line.length > MAX_LINE_LENGTH ? line.slice(0, MAX_LINE_LENGTH) + CUT_MARK : line.replace(/\r$/, ''))
  }
}

const MAX_LINE_LENGTH = 16 * 1024 * 1024
const CUT_MARK = ' [line cut at 16 MiB]'
