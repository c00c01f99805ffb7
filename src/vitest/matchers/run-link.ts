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
import type { AgentRun, RunWithFiles } from '../../transcript/transcript.ts'
import type { ChosenRun } from '../runtime/agent-options.ts'
import { callSiteOf, positionIn, type CallSite } from '../runtime/call-site.ts'
import type { TestRecord } from '../runtime/test-record.ts'
import { requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** How a matcher finds the test and the settings of a run: `this.task` is another test's in concurrent ones. */
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

/** Adds the workspace to a run, and hides its link in it: the link is in no copy of it and in no JSON. */
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
 */
export function requireLink(run: AgentRun, matcher: string): RunLink {
  const link = findLink(run)
  if (link !== undefined) return link
  throw new AgentEvalsError(
    'invalid-options',
    `${matcher}() needs the run that \`await agent.run(...)\` returned, not a copy.`,
  )
}

/** The link of a run; `undefined` when no fixture has made it. */
export function findLink(run: AgentRun): RunLink | undefined {
  return (run as AgentRun & { readonly [RUN_LINK]?: RunLink })[RUN_LINK]
}

// The same in every copy of this package.
const RUN_LINK: unique symbol = Symbol.for('agent-evals.run')

/**
 * Whether a check passes. It takes the kind itself: every worker loads the matchers, and the table only with a case.
 *
 * @throws {AgentEvalsError} `workspace-failed` where it cannot decide: `.not` would make a pass of that.
 */
export function passes<Fields extends CheckFields>(kind: CheckKind<Fields>, fields: Fields, run: AgentRun): boolean {
  const { outcome, message, seen = '' } = kind.run(fields, { run, hook: null, read: () => 'unknown' })
  if (outcome === 'errored') throw new AgentEvalsError('workspace-failed', message ?? seen)
  return outcome === 'passed'
}

/** Leaves what a matcher found in the report of the test that made the run. A run that no fixture made has none. */
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

/** The same by the link of a run; without one nothing is noted. */
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
