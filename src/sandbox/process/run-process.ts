import { spawnSync, spawn as startProcess } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as sleep } from 'node:timers/promises'
import { inheritedDescriptors, toSpawnError, type SpawnError } from './launch.ts'
import { Ending, killTagged, killTreeOnExit, signalGroup } from './process-tree.ts'

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
  /** Files given to the process as descriptors from 3 on, opened read-only. */
  readonly descriptors?: readonly string[] | undefined
  /**
   * Whether descriptors that we were started with are kept from the process. Each costs time, up to the highest one,
   * and only a process that is confined could gain by them.
   * @default true
   */
  readonly coverInherited?: boolean | undefined
  /** Whether the process gets one more descriptor, after {@link descriptors}, whose text is returned as `status`. */
  readonly status?: boolean | undefined
  /** `NAME=value` from `env`: whatever carries it is killed at the end, even when it left the process group. */
  readonly tag?: string | undefined
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
  readonly spawnError: SpawnError | null
  /** Processes that could not be killed. */
  readonly survivors: readonly number[]
}

/** Runs a program without a shell in a process group of its own, and leaves nothing of it behind. */
export async function runProcess(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
): Promise<ProcessResult> {
  if (options.signal?.aborted === true) return { ...NOT_STARTED, aborted: true }

  const startedAt = performance.now()
  const child = spawn(file, args, options)
  if (child instanceof Promise) return { ...NOT_STARTED, spawnError: await child }

  const forget = killTreeOnExit(child.pid, options.tag ?? null)
  try {
    return await follow(child, options, startedAt)
  } finally {
    forget()
  }
}

interface Child {
  readonly pid: number
  readonly exited: Promise<Pick<ProcessResult, 'exitCode' | 'signal'>>
  readonly stdout: Readable | null
  readonly stderr: Readable | null
  readonly status: Readable | null
}

// The caller's descriptors are open only for as long as the spawn takes. A promise is the reason why there is no child.
function spawn(file: string, args: readonly string[], options: ProcessOptions): Child | Promise<SpawnError> {
  const opened: number[] = []
  try {
    for (const path of options.descriptors ?? []) opened.push(openSync(path, 'r'))
    const extra = extraDescriptors(opened, options.status === true, options.coverInherited ?? true)
    return startChild(file, args, options, extra)
  } catch (error) {
    return Promise.resolve(toSpawnError(error))
  } finally {
    for (const descriptor of opened) closeSync(descriptor)
  }
}

function startChild(
  file: string,
  args: readonly string[],
  options: ProcessOptions,
  extra: readonly ExtraDescriptor[],
): Child | Promise<SpawnError> {
  const child = startProcess(file, args, {
    env: { ...options.env },
    cwd: options.cwd,
    // A group of its own, so that the whole group can be killed.
    detached: true,
    stdio: [options.stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...extra],
  })
  const failed = new Promise<SpawnError>((resolve) => child.on('error', (error) => resolve(toSpawnError(error))))
  if (child.pid === undefined) return failed

  const streams = child.stdio as readonly (Readable | null | undefined)[]
  const exited = new Promise<Pick<ProcessResult, 'exitCode' | 'signal'>>((resolve) => {
    child.once('exit', (exitCode, signal) => resolve({ exitCode, signal }))
  })
  // A program need not read what it is given.
  if (options.stdin !== undefined && child.stdin !== null)
    pipeline(options.stdin instanceof Readable ? options.stdin : [options.stdin], child.stdin).catch(() => undefined)
  return {
    pid: child.pid,
    exited,
    stdout: streams[1] ?? null,
    stderr: streams[2] ?? null,
    status: options.status === true ? (streams[3 + extra.indexOf('pipe')] ?? null) : null,
  }
}

type ExtraDescriptor = number | 'pipe' | 'ignore'

// What the child would inherit besides is covered with an empty file, since it cannot be closed from here.
function extraDescriptors(opened: number[], status: boolean, cover: boolean): readonly ExtraDescriptor[] {
  const extra: ExtraDescriptor[] = [...opened, ...(status ? ['pipe' as const] : [])]
  const uncovered = cover ? inheritedDescriptors().filter((descriptor) => descriptor - 3 >= extra.length) : []
  if (uncovered.length === 0) return extra

  const empty = openSync('/dev/null', 'r')
  opened.push(empty)
  for (const descriptor of uncovered) {
    while (extra.length < descriptor - 3) extra.push('ignore')
    extra[descriptor - 3] = empty
  }

  return extra
}

async function follow(child: Child, options: ProcessOptions, startedAt: number): Promise<ProcessResult> {
  const { pid } = child
  const ending = new Ending(pid, options)
  const texts = { stdout: new BoundedText(), stderr: new BoundedText(), status: new BoundedText() }
  const lines = new LineSplitter((line) => ending.guard(() => options.onLine?.(line)))
  const drained = Promise.all([
    drain(child.stdout, (chunk) => {
      texts.stdout.add(chunk)
      ending.guard(() => options.onChunk?.(chunk))
      if (options.onLine !== undefined) lines.add(chunk)
    }),
    drain(child.stderr, (chunk) => texts.stderr.add(chunk)),
    drain(child.status, (chunk) => texts.status.add(chunk)),
  ])
  ending.guard(() => options.onSpawn?.(pid))

  const { exitCode, signal } = await child.exited
  ending.clear()
  signalGroup(pid, 'SIGKILL')
  const survivors = options.tag === undefined ? [] : await killTagged(options.tag)
  // A process that still holds a pipe now is out of reach, so the pipe is not waited for.
  await Promise.race([drained, sleep(DRAIN_MS, undefined, { ref: false })])
  for (const stream of [child.stdout, child.stderr, child.status]) stream?.destroy()
  lines.end()
  if (ending.failure !== null) throw ending.failure.error

  return {
    exitCode,
    signal,
    timedOut: ending.reason === 'timed-out',
    aborted: ending.reason === 'aborted',
    stdoutTail: texts.stdout.toString(),
    stderrTail: texts.stderr.toString(),
    status: texts.status.toString(),
    durationMs: Math.round(performance.now() - startedAt),
    spawnError: null,
    survivors,
  }
}

async function drain(stream: Readable | null, take: (chunk: Buffer) => void): Promise<void> {
  if (stream === null) return

  stream.on('data', take)
  await new Promise<void>((resolve) => {
    stream.once('close', resolve)
    stream.once('error', () => resolve())
  })
}

/** Of a program that was not started. */
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
  survivors: [],
}

const DRAIN_MS = 2000

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
  readonly #start: Buffer[] = []
  #startLength = 0
  #ring: Buffer | null = null
  #seen = 0

  /** Takes the next bytes; never fails and never grows past twice {@link KEPT_BYTES}. */
  add(chunk: Buffer): void {
    const room = KEPT_BYTES - this.#startLength
    const first = chunk.subarray(0, room)
    if (first.length > 0) {
      this.#start.push(first)
      this.#startLength += first.length
    }

    this.#addToRing(chunk.subarray(first.length))
  }

  /** Whole when short; else start and end, with a line between them that says how much is missing. */
  toString(): string {
    const start = Buffer.concat(this.#start)
    const kept = Math.min(this.#seen, KEPT_BYTES)
    if (this.#ring === null || kept === 0) return start.toString()

    const at = this.#seen % KEPT_BYTES
    const end =
      this.#seen <= KEPT_BYTES
        ? this.#ring.subarray(0, kept)
        : Buffer.concat([this.#ring.subarray(at), this.#ring.subarray(0, at)])
    const missing = this.#seen - kept
    if (missing === 0) return Buffer.concat([start, end]).toString()

    return `${start.toString()}\n[${missing} bytes left out]\n${end.toString()}`
  }

  #addToRing(bytes: Buffer): void {
    if (bytes.length === 0) return

    this.#ring ??= Buffer.alloc(KEPT_BYTES)
    const skipped = Math.max(0, bytes.length - KEPT_BYTES)
    const last = bytes.subarray(skipped)
    const at = (this.#seen + skipped) % KEPT_BYTES
    const copied = last.copy(this.#ring, at)
    last.copy(this.#ring, 0, copied)
    this.#seen += bytes.length
  }
}

const KEPT_BYTES = 512 * 1024

/** Cuts a stream of bytes into lines; bytes that are not UTF-8 become replacement characters. */
class LineSplitter {
  readonly #onLine: (line: string) => void
  readonly #decoder = new StringDecoder('utf8')
  #pieces: string[] = []
  #length = 0
  #cut = false

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine
  }

  add(chunk: Buffer): void {
    const [rest = '', ...following] = this.#decoder.write(chunk).split('\n')
    this.#extend(rest)
    for (const piece of following) {
      this.#emit()
      this.#extend(piece)
    }
  }

  /** Gives out a last line that has no newline. */
  end(): void {
    this.#extend(this.#decoder.end())
    if (this.#length > 0) this.#emit()
  }

  #extend(piece: string): void {
    if (piece === '') return

    const room = MAX_LINE_LENGTH - this.#length
    if (piece.length > room) this.#cut = true
    if (room <= 0) return

    const kept = piece.slice(0, room)
    this.#pieces.push(kept)
    this.#length += kept.length
  }

  #emit(): void {
    const line = this.#pieces.join('')
    const cut = this.#cut
    this.#pieces = []
    this.#length = 0
    this.#cut = false
    this.#onLine(cut ? line + CUT_MARK : line.endsWith('\r') ? line.slice(0, -1) : line)
  }
}

const MAX_LINE_LENGTH = 16 * 1024 * 1024
const CUT_MARK = ' [line cut at 16 MiB]'
