import type { AgentRun, AnsweredCall } from '../transcript/transcript.ts'
import { describeUnread } from './file-facts.ts'

/** The part of a run that a check or a judge looks at. */
export type Target =
  /** The last text of the agent; the default of a grader. */
  | { readonly kind: 'last_message' }
  /** Every event of the session, one JSON value a line. */
  | { readonly kind: 'trace' }
  /** Paths of the files that the run created, one a line. */
  | { readonly kind: 'files' }
  /** Calls of mocked tools, one a line. */
  | { readonly kind: 'mock_calls' }
  /** The content of a file of the workspace; a judge gets an image as an image. */
  | { readonly kind: 'file'; readonly path: string }

/** What is there. */
export type TargetContent =
  /**
   * `binary`: why a judge cannot be shown it, as a sentence without its subject. `missing`: why this is not all of it, as
   * a clause; a pattern that is not in it decides nothing then. `unsure`: lines that may belong to it as well.
   */
  | {
      readonly kind: 'text'
      readonly text: string
      readonly binary?: string
      readonly missing?: string
      readonly unsure?: readonly string[]
    }
  | { readonly kind: 'image'; readonly mediaType: ImageType; readonly base64: string }
  /** Why there is nothing to look at, as a sentence without its subject. */
  | { readonly kind: 'none'; readonly problem: string }
  /** What is there cannot be read: why, as a clause. */
  | { readonly kind: 'unknown'; readonly problem: string }

/** Images that a judge can be shown. */
type ImageType = 'image/gif' | 'image/jpeg' | 'image/png' | 'image/webp'

/** Where targets are looked up: a run, and the files of its workspace that targets name, by path as written. */
export interface TargetSource {
  readonly run: Pick<AgentRun, 'files' | 'mockCalls' | 'trace' | 'transcript'>
  readonly files?: ReadonlyMap<string, TargetContent> | undefined
}

/** Finds what a check or a judge looks at. */
export function readTarget(target: Target, { run, files }: TargetSource): TargetContent {
  switch (target.kind) {
    case 'last_message':
      return text(lastMessage(run))
    case 'trace':
      return text(traceLines(run).join('\n'))
    case 'files':
      return listCreated(run)
    case 'mock_calls':
      return run.mockCalls === undefined
        ? { kind: 'none', problem: 'no server was mocked in this run, so there are no calls to look at' }
        : text(run.mockCalls.map(describeCall).join('\n'))
    case 'file':
      return files?.get(target.path) ?? { kind: 'none', problem: `the file ${target.path} does not exist` }
  }
}

/** The last text of the main thread. Unlike the last message it is one block, and not empty. */
function lastMessage({ transcript }: Pick<AgentRun, 'transcript'>): string {
  const last = transcript.findLast(
    (event) => event.kind === 'message' && event.agent === null && event.text.trim() !== '',
  )
  return last?.kind === 'message' ? last.text : ''
}

/** The session, one JSON value a line: the engine's own stream where it has one, else our events. */
export function traceLines({ trace, transcript }: Pick<AgentRun, 'trace' | 'transcript'>): readonly string[] {
  return trace ?? transcript.map((event) => JSON.stringify(event))
}

// Sorted by code unit. What may be a created file is not among them, and is named.
function listCreated({ files }: Pick<AgentRun, 'files'>): TargetContent {
  const paths = files.created.map(({ path }) => path).toSorted()
  const gap = files.unreadable.find(({ kind }) => kind === 'hidden')
  return {
    kind: 'text',
    text: paths.join('\n'),
    unsure: files.unreadable.filter(({ isNew }) => isNew).map(({ path }) => path),
    ...(gap === undefined ? {} : { missing: describeUnread(gap) }),
  }
}

function describeCall({ tool, input, output, verdict }: AnsweredCall): string {
  return JSON.stringify({ tool, input, output, ...(verdict === 'ok' ? {} : { isError: true }), verdict })
}

function text(value: string): TargetContent {
  return { kind: 'text', text: value }
}

/** What was found at a path. */
type ReadFile =
  | { readonly status: 'read'; readonly bytes: Buffer; readonly truncated: boolean }
  | { readonly status: 'missing' }
  | { readonly status: 'unreadable'; readonly reason: string; readonly isFile?: boolean }

/** Tells text from images by the first bytes, whatever the name says. */
export function contentOfFile(path: string, read: ReadFile): TargetContent {
  if (read.status === 'missing') return { kind: 'none', problem: `the file ${path} does not exist` }
  // A folder, or what is outside of the workspace, is no file that a run has left: nothing about it is unknown.
  if (read.status === 'unreadable')
    return { kind: read.isFile === false ? 'none' : 'unknown', problem: `the file ${path} ${read.reason}` }
  const { bytes, truncated } = read
  const mediaType = imageType(bytes)
  if (mediaType !== null)
    return truncated
      ? { kind: 'unknown', problem: `the image ${path} is too large` }
      : { kind: 'image', mediaType, base64: bytes.toString('base64') }
  return {
    kind: 'text',
    text: new TextDecoder('utf-8').decode(bytes),
    ...(truncated ? { missing: `the file ${path} is larger than ${bytes.length} bytes` } : {}),
    // A pattern can still be looked for.
    ...(bytes.includes(0) ? { binary: `the file ${path} is binary, and no image that a judge can be shown` } : {}),
  }
}

function imageType(bytes: Buffer): ImageType | null {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (start.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png'
  if (start.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  return start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP' ? 'image/webp' : null
}
