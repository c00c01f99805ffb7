import { describeUnread, isCreated } from '../checks/file-facts.ts'
import type { Grader, GraderTarget, ToolMatch } from '../formats/plugin-eval/model.ts'
import { countMatches, findMatch } from '../lib/patterns.ts'
import { toolCalls } from '../transcript/select.ts'
import type { AgentRun, AnsweredCall } from '../transcript/transcript.ts'
import { found, type Finding } from './grader-score.ts'

/** A grader that asks no judge. */
export type FreeGrader = Extract<Grader, { type: 'file_exists' | 'regex' | 'tool_order' | 'tool_used' }>

/** Decides a grader from what a run has left. */
export function gradeFree(grader: FreeGrader, graded: GradedRun): Finding {
  switch (grader.type) {
    case 'regex':
      return gradeRegex(grader, graded)
    case 'tool_used':
      return gradeToolUsed(grader, graded)
    case 'tool_order':
      return gradeToolOrder(grader, graded)
    case 'file_exists':
      return gradeFileExists(grader, graded)
  }
}

function gradeRegex(grader: Extract<Grader, { type: 'regex' }>, graded: GradedRun): Finding {
  const { pattern, flags, match, target } = grader
  const content = readTarget(target, graded)
  const name = nameTarget(target)
  // A file that is missing fails, also where the pattern must not be found.
  if (content.kind === 'none') return found(false, content.problem)
  if (content.kind === 'unknown') return { outcome: 'errored', explanation: content.problem }
  if (content.kind === 'image')
    return found(false, `${name} is an image (${content.mediaType}); grade it with an llm grader`)
  const search = countMatches(pattern, flags, content.text)
  const { unsure = [] } = content
  // What nobody has read may be there as well.
  const most = unsure.length === 0 ? search : countMatches(pattern, flags, [content.text, ...unsure].join('\n'))
  for (const one of [search, most]) if ('problem' in one) return { outcome: 'errored', explanation: one.problem }
  const [count, mostCount] = [search, most].map((one) => ('found' in one ? one.found : 0)) as [number, number]
  const isFoundAnyway = count > 0 && typeof match !== 'object'
  const missing = content.missing ?? (count === mostCount ? undefined : `it may have ${unsure.slice(0, 10).join(', ')}`)
  if (missing !== undefined && !isFoundAnyway)
    return { outcome: 'errored', explanation: `${name} is not known completely: ${missing}` }
  if (typeof match === 'object')
    return found(count === match.count, `found ${count} matches in ${name} (expected ${match.count})`)
  if (match === 'not_contains')
    return found(
      count === 0,
      count === 0 ? `pattern absent from ${name}` : `pattern found in ${name} (expected absent)`,
    )
  return found(count > 0, count > 0 ? `matched ${pattern}` : `pattern not found in ${name}`)
}

function gradeToolUsed(grader: Extract<Grader, { type: 'tool_used' }>, { run }: GradedRun): Finding {
  const calls = findCalls(grader, run)
  if ('problem' in calls) return { outcome: 'errored', explanation: calls.problem }
  const min = grader.min ?? 1
  const max = grader.max ?? Number.POSITIVE_INFINITY
  const count = calls.at.length
  const range = `${min}..${grader.max ?? '∞'}`
  return found(count >= min && count <= max, `${grader.tool} called ${count}x (expected ${range})`)
}

// The first of each: a later call of the one does not come before an earlier call of the other.
function gradeToolOrder({ before, after }: Extract<Grader, { type: 'tool_order' }>, { run }: GradedRun): Finding {
  const [one, other] = [findCalls(before, run), findCalls(after, run)]
  for (const calls of [one, other]) if ('problem' in calls) return { outcome: 'errored', explanation: calls.problem }
  const first = 'at' in one ? one.at[0] : undefined
  const second = 'at' in other ? other.at[0] : undefined
  if (first === undefined) return found(false, `"before" tool ${before.tool} never called`)
  if (second === undefined) return found(false, `"after" tool ${after.tool} never called`)
  const comesFirst = first < second
  const verb = comesFirst ? 'precedes' : 'does not precede'
  return found(comesFirst, `${before.tool} (call ${first + 1}) ${verb} ${after.tool} (call ${second + 1})`)
}

function gradeFileExists({ path, exists }: Extract<Grader, { type: 'file_exists' }>, { run }: GradedRun): Finding {
  const fact = isCreated(path, run.files)
  if (fact.is === 'unknown')
    return { outcome: 'errored', explanation: `whether ${path} was created is unknown: ${fact.because}` }
  const isThere = fact.is === 'yes'
  const state = isThere ? 'was created' : 'was not created'
  return found(
    isThere === exists,
    `${path} ${state}${isThere === exists ? '' : ` (expected ${exists ? 'present' : 'absent'})`}`,
  )
}

type Calls = { readonly at: readonly number[] } | { readonly problem: string }

/** Places of the calls among all calls, those of sub-agents and those that were refused included. */
function findCalls({ tool, inputMatch }: ToolMatch, run: GradedRun['run']): Calls {
  const at: number[] = []
  for (const [index, { call }] of toolCalls(run).entries()) {
    if (call.tool !== tool) continue
    const search = inputMatch === null ? { found: '' } : findMatch(inputMatch, '', JSON.stringify(call.input))
    if ('problem' in search) return search
    if (search.found !== null) at.push(index)
  }
  return { at }
}

/** Finds what a grader looks at. */
export function readTarget(target: GraderTarget, { run, files, mockCalls }: GradedRun): TargetFile {
  switch (target.kind) {
    case 'last_message':
      return text(lastMessage(run))
    case 'trace':
      return text(traceLines(run).join('\n'))
    case 'files':
      return listCreated(run)
    case 'mock_calls':
      return mockCalls === null
        ? { kind: 'none', problem: 'no server was mocked in this run, so there are no calls to look at' }
        : text(mockCalls.map(describeCall).join('\n'))
    case 'file':
      return files.get(target.path) ?? { kind: 'none', problem: `the file ${target.path} does not exist` }
  }
}

/** The name of a target, as explanations have it. */
export function nameTarget(target: GraderTarget): string {
  return target.kind === 'file' ? `file ${target.path}` : target.kind
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
function listCreated({ files }: Pick<AgentRun, 'files'>): TargetFile {
  const paths = files.created.map(({ path }) => path).toSorted()
  const gap = files.unreadable.find(({ kind }) => kind === 'hidden')
  return {
    kind: 'text',
    text: paths.join('\n'),
    unsure: files.unreadable.filter(({ isNew }) => isNew).map(({ path }) => path),
    ...(gap === undefined ? {} : { missing: describeUnread(gap) }),
  }
}

function describeCall({ tool, input, output, verdict }: NamedMockCall): string {
  return JSON.stringify({ tool, input, output, ...(verdict === 'ok' ? {} : { isError: true }), verdict })
}

function text(value: string): TargetFile {
  return { kind: 'text', text: value }
}

/** What was found at a path. */
type ReadFile =
  | { readonly status: 'read'; readonly bytes: Buffer; readonly truncated: boolean }
  | { readonly status: 'missing' }
  | { readonly status: 'unreadable'; readonly reason: string; readonly isNoFile?: boolean }

/** Tells text from images by the first bytes, whatever the name says. */
export function createGraderFile(path: string, read: ReadFile): TargetFile {
  if (read.status === 'missing') return { kind: 'none', problem: `the file ${path} does not exist` }
  // A folder, or what is outside of the workspace, is no file that a run has left: nothing about it is unknown.
  if (read.status === 'unreadable')
    return { kind: read.isNoFile === true ? 'none' : 'unknown', problem: `the file ${path} ${read.reason}` }
  const { bytes, truncated } = read
  const mediaType = imageType(bytes)
  if (mediaType !== null)
    return truncated
      ? { kind: 'unknown', problem: `the image ${path} is too large` }
      : { kind: 'image', mediaType, base64: bytes.toString('base64') }
  const decoded = new TextDecoder('utf-8').decode(bytes)
  const missing = truncated ? { missing: `the file ${path} is larger than ${bytes.length} bytes` } : {}
  if (!bytes.includes(0)) return { kind: 'text', text: decoded, ...missing }
  // A pattern can still be looked for.
  return {
    kind: 'text',
    text: decoded,
    ...missing,
    binary: `the file ${path} is binary, and no image that a judge can be shown`,
  }
}

function imageType(bytes: Buffer): ImageType | null {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (start.startsWith('\u0089PNG\r\n\u001A\n')) return 'image/png'
  if (start.startsWith('\u00FF\u00D8\u00FF')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  return start.startsWith('RIFF') && start.slice(8, 12) === 'WEBP' ? 'image/webp' : null
}

/** What graders look at: a run, and what was kept of its workspace. */
export interface GradedRun {
  readonly run: Pick<AgentRun, 'files' | 'trace' | 'transcript'>
  /** Files of the workspace that graders name, by path as written. */
  readonly files: ReadonlyMap<string, TargetFile>
  /** Calls of mocked tools; `null` where no server of the run was mocked. */
  readonly mockCalls: readonly NamedMockCall[] | null
}

/** A call of a mocked tool; `tool` is the name by which the agent calls it. */
type NamedMockCall = Pick<AnsweredCall, 'input' | 'output' | 'tool' | 'verdict'>

/** A file that a grader names. */
export type TargetFile =
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
