import type { AgentRun, RunWithFiles } from '../../transcript/transcript.ts'
import { toPrintableLine } from '../../lib/text.ts'
import { isJsonObject } from '../../lib/json.ts'
import type { TestContext } from 'vitest'
import type { JudgeSupply } from '../../case/judge/judge-case.ts'
import type { ContinuableRun } from '../../case/replay/decide-replay.ts'
import type { CheckFields, CheckKind } from '../../checks/check.ts'
import type { parseRubric } from '../../formats/golden/rubric.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { EvidenceText } from '../../judges/evidence/evidence-item.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { readWorkspaceFile } from '../../lib/workspace-file.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { ChosenRun } from '../runtime/agent-options.ts'
import { callSiteOf, positionIn, type CallSite } from '../runtime/call-site.ts'
import type { TestRecord } from '../runtime/test-record.ts'

/** What a matcher returns to Vitest. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The part of Vitest's matcher state that ours use. */
export interface MatcherState {
  readonly isNot?: boolean
  readonly equals: (a: unknown, b: unknown, testers?: never[], strict?: boolean) => boolean
}

/**
 * Makes sure that a matcher looks at a finished agent run.
 *
 * It throws rather than returning `pass: false`: an error turned round by `.not` would be a pass.
 *
 * @throws {AgentEvalsError} `invalid-options` when `received` is no agent run, its own reason when the run did not complete.
 */
export function requireRun(received: unknown, matcher: string): AgentRun {
  if (!isAgentRun(received)) {
    throw new AgentEvalsError(
      'invalid-options',
      `${matcher}() expected an agent run, the result of \`await agent.run(...)\`, but received ${describe(received)}.`,
    )
  }
  if (received.status !== 'completed') {
    const problem = received.problem === null ? '' : `: ${received.problem}`
    throw new AgentEvalsError(
      received.problemCode ?? 'engine-failed',
      `${matcher}() needs a completed run, but this one is ${received.status}${problem}`,
    )
  }
  return received
}

/** Checks the arguments of a call of a matcher, and the names in them by the run that it received. */
type ReadArguments = (matcher: string, given: readonly unknown[], received: unknown) => void

let readArguments: ReadArguments = (matcher) => {
  throw new AgentEvalsError(
    'invalid-options',
    `${matcher}() without the fixture \`agent\` needs \`import 'vitest-agent-evals/matchers/register'\`.`,
  )
}

/** Sets what checks arguments. Every worker loads the matchers, and only one with a run needs the library of schemas. */
export function readArgumentsBy(read: ReadArguments): void {
  readArguments = read
}

/**
 * Makes sure that a matcher got the arguments that it documents, and names that are known. With any other one, above all
 * under `.not`, it would say nothing.
 *
 * @throws {AgentEvalsError} `invalid-options`, naming the argument; `unknown-name`.
 */
export function requireArguments(matcher: string, [received, ...given]: Iterable<unknown>): void {
  readArguments(matcher, given, received)
}

/**
 * Makes sure that a matcher looks at a finished agent run, and got the arguments that it documents.
 *
 * @throws {AgentEvalsError} as {@link requireArguments} and {@link requireRun}.
 */
export function requireCall(matcher: string, call: Iterable<unknown>): AgentRun {
  requireArguments(matcher, call)
  const [received] = call
  return requireRun(received, matcher)
}

/** Wording of a matcher's failure: `expected the run [not ]to …`. */
export function expectation(state: MatcherState, what: string): string {
  return `expected the run ${state.isNot === true ? 'not ' : ''}to ${what}`
}

/** A list for the end of a message, `(none)` when empty. */
export function listed(title: string, items: readonly string[]): string {
  const lines = items.length === 0 ? ['  (none)'] : items.map((item) => `  ${toPrintableLine(item)}`)
  return `\n\n${title}:\n${lines.join('\n')}`
}

/** Whether a value is an agent run, or a copy of one. */
export function isAgentRun(value: unknown): value is AgentRun {
  return (
    isJsonObject(value) &&
    typeof value['output'] === 'string' &&
    typeof value['status'] === 'string' &&
    Array.isArray(value['transcript']) &&
    isJsonObject(value['files'])
  )
}

function describe(value: unknown): string {
  if (value instanceof Promise) return 'a promise: await the run first'
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}

/**
 * How a matcher finds the test and the settings of a run: `this.task` is another test's in concurrent ones.
 *
 * @internal
 */
export interface RunLink {
  readonly task: TestContext['task']
  /** What the test has done so far. */
  readonly record: Pick<TestRecord, 'checks' | 'judges' | 'triggers'>
  readonly settings: RunSettings
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  /** How it was asked for, and what it takes to go on with it. */
  readonly chosen: ChosenRun
  readonly continuable: ContinuableRun
  /** Shown while waiting and in errors. */
  readonly label: string
  /** Texts that the run created or modified. */
  readonly files: readonly EvidenceText[]
  /** Here, so that a matcher has it at once and no worker loads it before there is a run. */
  readonly parseRubric: typeof parseRubric
  /** Who answers a judge of this run. */
  readonly judge: JudgeSupply
  /** Keeps the questions and answers of a judge, as evidence and for a later replay. */
  readonly keepJudgement: (exchanges: readonly JudgeExchange[], toRecord: RecordedJudge | null) => Promise<void>
  /** How many answers of a scenario its judges have used up. */
  judgeAnswersUsed: number
  /** Aborts when the test is stopped. */
  readonly signal: AbortSignal
}

/**
 * Adds the workspace to a run, and hides its link in it: the link is in no copy of it and in no JSON.
 *
 * @internal
 */
export function linkRun(run: AgentRun, link: RunLink): RunWithFiles {
  const { workspace } = link.continuable
  const read = async (path: string, encoding?: 'utf8'): Promise<Buffer | string> => {
    const bytes = await readFrom(workspace?.workspace ?? null, path)
    return encoding === undefined ? bytes : bytes.toString(encoding)
  }
  const linked = { ...run, workspace: workspace?.workspace ?? null }
  return Object.defineProperties(linked, { [RUN_LINK]: { value: link }, readFile: { value: read } }) as RunWithFiles
}

async function readFrom(root: string | null, path: string): Promise<Buffer> {
  if (root === null) {
    const message = `${path} cannot be read: the run was taken over from an earlier one, whose workspace was removed. Run without --resume.`
    throw new AgentEvalsError('workspace-failed', message)
  }
  const found = await readWorkspaceFile(root, path, MOST_BYTES)
  if (found.status === 'missing') throw new AgentEvalsError('missing-input', `The workspace has no file ${path}.`)
  if (found.status === 'unreadable') throw new AgentEvalsError('workspace-failed', `${path} ${found.reason}.`)
  if (found.truncated) throw new AgentEvalsError('workspace-failed', `${path} has more than 512 MiB.`)
  return found.bytes
}

const MOST_BYTES = 512 * 1024 ** 2

/**
 * Finds the link of a run.
 *
 * @throws {AgentEvalsError} `invalid-options` when no fixture has made the run.
 *
 * @internal
 */
export function requireLink(run: AgentRun, matcher: string): RunLink {
  const link = findLink(run)
  if (link !== undefined) return link
  throw new AgentEvalsError(
    'invalid-options',
    `${matcher}() needs the run that \`await agent.run(...)\` returned, not a copy.`,
  )
}

/**
 * The link of a run; `undefined` when no fixture has made it.
 *
 * @internal
 */
export function findLink(run: AgentRun): RunLink | undefined {
  return (run as AgentRun & { readonly [RUN_LINK]?: RunLink })[RUN_LINK]
}

// The same in every copy of this package.
const RUN_LINK: unique symbol = Symbol.for('agent-evals.run')

/**
 * Whether a check passes. It takes the kind itself: every worker loads the matchers, and the table only with a case.
 *
 * @throws {AgentEvalsError} such as `workspace-failed` where it cannot decide: `.not` would make a pass of that.
 *
 * @internal
 */
export function passes<Fields extends CheckFields>(kind: CheckKind<Fields>, fields: Fields, run: AgentRun): boolean {
  const { outcome, message = '' } = kind.run(fields, { run, hook: null, read: () => 'unknown' })
  if (outcome === 'errored') throw new AgentEvalsError('workspace-failed', message)
  return outcome === 'passed'
}

/**
 * Leaves what a matcher found in the report of the test that made the run. A run that no fixture made has none.
 *
 * @internal
 */
export function noteCheck(
  state: MatcherState,
  received: unknown,
  matcher: string,
  value: string,
  result: MatcherResult,
): MatcherResult {
  const link = findLink(requireRun(received, matcher))
  return noteLinkedCheck(state, link, matcher, value, result, callSiteOf(noteCheck))
}

/**
 * The same by the link of a run; without one nothing is noted.
 *
 * @internal
 */
export function noteLinkedCheck(
  { isNot }: MatcherState,
  link: RunLink | undefined,
  matcher: string,
  value: string,
  result: MatcherResult,
  site: CallSite = callSiteOf(noteLinkedCheck),
): MatcherResult {
  const outcome = result.pass === (isNot === true) ? 'failed' : 'passed'
  const kind = `${isNot === true ? 'not-' : ''}${matcher.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  const message = outcome === 'failed' ? result.message() : ''
  const at = link === undefined ? null : positionIn(site, link.suite.file)
  link?.record.checks.push({ kind, value, at: at ?? link.evalCase.at, outcome, message })
  return result
}
