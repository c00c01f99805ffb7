import { lstatSync } from 'node:fs'
import type { RunnerTask, RunnerTestCase, TestContext, TestError } from 'vitest'
import { awaitMainExit } from '../../case/context.ts'
import type { AskedJudge } from '../../case/judge/merge-judgements.ts'
import { describeTestFile, planTest } from '../../case/plan/plan-case.ts'
import { steadyNow } from '../../case/result/build-result.ts'
import {
  buildTestResult,
  type AskedTrigger,
  type TestEnding,
  type TestRun,
} from '../../case/result/build-test-result.ts'
import type { CheckResult } from '../../checks/check.ts'
import { withoutAamConfig, type AamConfig } from '../../formats/aam/aam-defaults.ts'
import type { Suite } from '../../formats/suite.ts'
import { AgentEvalsError, type ErrorCode } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { CaseResult, PlannedCase } from '../../report/results/result.ts'
import type { Workspace } from '../../session/workspace.ts'
import { describeFailure, isShared, metaOf, skipFailed, whyApart } from './describe-failure.ts'
import { workerJournal } from './worker-journal.ts'
import { isRetryable } from './worker-process.ts'

/** What a test in TypeScript has done so far: what its result is made of. */
export interface TestRecord {
  readonly planned: PlannedCase
  readonly suite: Omit<Suite, 'cases'>
  /** How often it has asked for runs. */
  calls: number
  /** How many runs it has asked for. */
  askedRuns: number
  readonly runs: TestRun[]
  readonly checks: CheckResult[]
  readonly judges: AskedJudge[]
  readonly triggers: AskedTrigger[]
  /** How many of them have not ended. */
  open: number
  isOver: boolean
  /** Whether the run of Vitest was stopped before one of its runs had ended. */
  isStopped: boolean
  /** Of its runs; removed when it is over. */
  readonly workspaces: Set<Workspace>
}

/** What a record needs of a test's context. */
export type RecordedContext = Pick<TestContext, 'onTestFinished' | 'signal' | 'task'>

/**
 * The record of a test, begun anew with each retry and once for all repeats. Its result is in the journal before the
 * test ends.
 *
 * @throws {AgentEvalsError} `invalid-suite` when another test of the file has its name.
 */
export async function recordTest(context: RecordedContext, settings: RunSettings): Promise<TestRecord> {
  const { task } = context
  const attempt = `${task.result?.retryCount ?? 0} ${task.result?.repeatCount ?? 0}`
  const earlier = begun.get(task)
  if (earlier?.attempt === attempt) return earlier.record
  const errorsBefore = task.result?.errors?.length ?? 0
  const { record, ...start } = earlier ?? { record: begin(task, settings), startedAt: steadyNow(), errorsBefore }
  begun.set(task, { ...start, record, attempt })
  // Begun before the test's own, it ends after all of them.
  context.onTestFinished(async () => {
    const neglected = await endRuns(await record, context)
    // All repeats are one test: what it leaves is written when the last one is over.
    if ((task.result?.repeatCount ?? 0) < (task.repeats ?? 0)) return
    begun.delete(task)
    try {
      await finish(await record, context, settings, { ...start, neglected })
    } finally {
      forget(await record)
    }
    if (neglected !== null) throw neglected
  })
  if (countTests(task.file.tasks, task.fullTestName) === 1) return record
  throw new AgentEvalsError(
    'invalid-suite',
    `There are several tests ${JSON.stringify(task.fullTestName)} in this file. Rename one: results and recordings use the name.`,
  )
}

interface BegunTest {
  readonly record: Promise<TestRecord>
  readonly attempt: string
  readonly startedAt: Date
  /** Of the attempts before it. */
  readonly errorsBefore: number
}

const begun = new WeakMap<RunnerTestCase, BegunTest>()

async function begin(task: RunnerTestCase, settings: RunSettings): Promise<TestRecord> {
  const name = task.fullTestName
  const suite = await describeTestFile(task.file.filepath, settings.root, {
    configOf: (file) => configOf(file, settings),
  })
  const at = { line: task.location?.line ?? 1, column: task.location?.column ?? 1 }
  return {
    planned: planTest(suite, { name, at }, settings),
    suite,
    calls: 0,
    askedRuns: 0,
    open: 0,
    isOver: false,
    isStopped: false,
    runs: [],
    checks: [],
    judges: [],
    triggers: [],
    workspaces: new Set(),
  }
}

// Most have none, and reading one takes all that reads packages.
async function configOf(file: string, settings: RunSettings): Promise<AamConfig> {
  if (isAbsent(file)) return withoutAamConfig(file)
  const { workerState } = await import('./worker-state.ts')
  return workerState(settings).packages.configOf(file)
}

// What cannot be looked at is for the reader to tell.
function isAbsent(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

// Vitest keeps the fixtures of a test until its file is over, and with them its record: each transcript may be megabytes.
function forget({ runs, checks, judges, triggers }: TestRecord): void {
  for (const list of [runs, checks, judges, triggers]) list.length = 0
}

// A run that outlives its test has no reader.
async function endRuns(record: TestRecord, { signal, task }: RecordedContext): Promise<AgentEvalsError | null> {
  record.isOver = true
  const isNeglected = record.open > 0 && !signal.aborted && task.result?.state === 'pass'
  await removeWorkspaces(record)
  if (!isNeglected) return null
  return new AgentEvalsError('invalid-options', 'A run was not awaited: write `await agent.run(...)`.')
}

/** Removes what the runs of a test have left. */
export async function removeWorkspaces({ workspaces }: TestRecord): Promise<void> {
  const all = [...workspaces]
  workspaces.clear()
  await Promise.all(all.map((workspace) => workspace[Symbol.asyncDispose]()))
}

// What a case of a file shows: any expectation may have failed, and Vitest knows of no run.
function showFailure(
  { result: ended }: Pick<RunnerTestCase, 'result'>,
  errorsBefore: number,
  result: CaseResult,
  settings: RunSettings,
): void {
  const errors = (ended?.errors ?? []).slice(errorsBefore)
  const error = errors.find((one) => !isRetryable(one)) ?? errors[0]
  // One that many tests have is printed once, with one command for all.
  if (error === undefined || (result.error !== null && isShared(result.error))) return
  const { message } = error
  error.message = describeFailure(result, message, settings)
  // Some reporters print it with the message that it begins with.
  if (error.stack !== undefined) error.stack = error.stack.replace(message, () => error.message)
}

function countTests(tasks: readonly RunnerTask[], name: string): number {
  return tasks.reduce((count, task) => {
    if (task.type === 'suite') return count + countTests(task.tasks, name)
    return task.fullTestName === name ? count + 1 : count
  }, 0)
}

function isBad({ outcome }: TestEnding): boolean {
  return outcome === 'failed' || outcome === 'errored'
}

interface Neglected {
  readonly neglected: AgentEvalsError | null
}

async function finish(
  record: TestRecord,
  { signal, task }: RecordedContext,
  settings: RunSettings,
  { startedAt, errorsBefore, neglected }: Pick<BegunTest, 'errorsBefore' | 'startedAt'> & Neglected,
): Promise<void> {
  if (record.isStopped) return
  const ending = neglected === null ? endingOf(task, { errorsBefore, signal }) : brokenBy(neglected)
  if (ending === null) return
  await awaitMainExit(ending.error)
  const { journal, redactor } = workerJournal(settings)
  const code = task.meta.agentEvalsCode ?? null
  const result = redactor.values(buildTestResult({ ...record, startedAt, ending, code }))
  task.meta.agentEvals = metaOf(result)
  const apart = whyApart(result)
  if (apart !== null) skipFailed(task, apart)
  else if (isBad(ending) && result.runs.length > 0) showFailure(task, errorsBefore, result, settings)
  await journal.end(result)
}

/** The attempt that ended. */
export interface EndedAttempt {
  /** Errors of the attempts before it. */
  readonly errorsBefore: number
  readonly signal: AbortSignal
}

/** How a test ended, in the words of a result; `null` where it was stopped and has none. */
export function endingOf(
  task: Pick<RunnerTestCase, 'fails' | 'result'>,
  { errorsBefore, signal }: EndedAttempt,
): TestEnding | null {
  const { result } = task
  if (result?.state === 'skip') return skipped((result as { readonly note?: string }).note, signal)
  const errors = (result?.errors ?? []).slice(errorsBefore)
  if (result?.state !== 'fail') {
    if (task.fails === true) return failed('It passed, and is marked with `.fails`.')
    return PASSED
  }
  const timeout = errors.find(({ message }) => TIMED_OUT.test(message))
  if (timeout !== undefined) return errored('timed-out', timeout.message)
  if (signal.aborted) return null

  const wrong = errors.find((error) => !isRetryable(error))
  if (wrong !== undefined) return task.fails === true ? PASSED : failed(wrong.message)
  // What could not be completed is no failure that was expected.
  if (task.fails === true) task.fails = false
  const [broken] = errors
  // Vitest 4.1 does not tell every test that it is stopped; the gateway does.
  if (broken !== undefined && codeOf(broken) === 'cancelled') return null
  const code = codeOf(broken)
  const message = broken?.message ?? 'The test failed without an error.'
  // One that many tests have begins with its code.
  return errored(code, message.startsWith(`${code}: `) ? message.slice(code.length + 2) : message)
}

/** How a test ended that an error of ours has broken. */
export function brokenBy({ code, message }: AgentEvalsError): TestEnding {
  return errored(code, message)
}

function skipped(note: string | undefined, signal: AbortSignal): TestEnding | null {
  return signal.aborted ? null : { outcome: 'skipped', reason: note ?? 'skipped by the test', error: null }
}

function failed(reason: string): TestEnding {
  return { outcome: 'failed', reason, error: null }
}

function errored(code: ErrorCode, message: string): TestEnding {
  return { outcome: 'errored', reason: message, error: { code, message } }
}

// Errors of ours alone come here, and these have a code.
function codeOf(error: TestError | undefined): ErrorCode {
  const code: unknown = error?.['code']
  return typeof code === 'string' ? (code as ErrorCode) : 'engine-failed'
}

const PASSED: TestEnding = { outcome: 'passed', reason: null, error: null }
// As Vitest says it of a test whose own timeout is over.
const TIMED_OUT = /^(?:Test|Hook) timed out in \d+ms/
