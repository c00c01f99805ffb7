import type { JudgePart, JudgedStatement } from '../../judges/judgement.ts'
import type { Position } from '../../lib/documents/document.ts'
import { AgentEvalsError, withoutStack, type ErrorCode, type ErrorPlace } from '../../lib/errors.ts'
import { firstOf } from '../../lib/lists.ts'
import { endOfRed, gutter, toPrintableMessage } from '../../lib/text.ts'
import type { RunSettings } from '../../options/settings.ts'
import { rerunCommand } from '../../report/rerun-command.ts'
import { describeRepeats } from '../../report/results/repeats-part.ts'
import type { CaseResult } from '../../report/results/result.ts'
import { frameOf } from '../source-frame.ts'
import type { RunnerTestCase, TaskMeta } from 'vitest'

/** What a person needs beside the one sentence: the last message, what changed, and how to run just this case again. */
export function describeFailure(result: CaseResult, headline: string, settings: RunSettings): string {
  const run = result.runs.find(({ verdict }) => verdict?.outcome === result.outcome) ?? result.runs[0]
  const rate = result.repeats === null ? '' : describeRepeats(result.repeats)
  const message = toPrintableMessage(headline.startsWith(rate) ? headline : `${rate}\n${headline}`)
  const context = [
    section('last message', run?.internal.lastMessage ?? ''),
    section('refused or failed calls', run?.internal.failedCalls?.join('\n') ?? ''),
    section('files', run === undefined ? '' : changedFiles(run.files)),
    section('transcript', run?.folder == null ? '' : `${run.folder}/transcript.jsonl`),
    section(
      'run again',
      rerunCommand(result, settings, result.source === 'live' || result.source === 'record' ? result.source : null),
    ),
  ]
  const [first, ...rest] = context.filter((text) => text !== '')
  return [message, ...(first === undefined ? [] : [`${endOfRed()}${first}`]), ...rest].join('\n\n')
}

function section(title: string, text: string): string {
  return text.trim() === '' ? '' : `${title}:\n${gutter(text.trim())}`
}

function changedFiles({ created, modified, deleted, unreadable }: CaseResult['runs'][number]['files']): string {
  const lines = [
    ...created.map((file) => `created  ${file.path}`),
    ...modified.map((file) => `modified ${file.path}`),
    ...deleted.map((path) => `deleted  ${path}`),
    ...unreadable.map((file) => `${file.path} (${file.reason})`),
  ]
  return firstOf(lines, MOST_FILES).join('\n')
}

const MOST_FILES = 20

/**
 * What there is to say at the line of one listed statement: a message where it does not hold, an error where the case is
 * errored for it, `null` where nothing is wrong. The first line that fails has the whole story.
 */
export function findStatement(
  result: CaseResult,
  index: number,
  settings: RunSettings,
): AgentEvalsError | string | null {
  const { outcome, error, judge, checks } = result
  if (judge === null || outcome === 'passed') return null
  const isFirst = index === firstToSay(judge)
  const tell = (headline: string): string => describeFailure(result, headline, settings)
  if (error !== null) return isFirst ? new AgentEvalsError(error.code, tell(describeJudge(judge))) : null
  const hasSaid = checks.some((check) => check.outcome === 'failed')
  if (judge.result === 'skipped') return isFirst && !hasSaid ? tell(describeJudge(judge)) : null
  const statement = judge.statements[index]
  if (statement?.verdict !== 'fail') return null
  return isFirst && !hasSaid ? tell(describeJudge(judge)) : describeStatement(statement).trim()
}

// Where the judge gave no verdicts at all, the first line speaks for all of them.
function firstToSay({ statements, error }: NonNullable<CaseResult['judge']>): number {
  const decisive = error === null ? 'fail' : 'unscored'
  return Math.max(
    0,
    statements.findIndex(({ verdict }) => verdict === decisive),
  )
}

/**
 * Answers with the place of a test where its stack is asked for, until the returned function is called: Vitest makes a
 * stack for each test, maps its ten frames, and takes the line of the test from the one that is of its file.
 */
export function showPlace(file: string, { line, column }: Position): () => void {
  const prepare: typeof Error.prepareStackTrace = Reflect.get(Error, 'prepareStackTrace')
  // Without one nothing is mapped.
  if (prepare === undefined) return () => {}
  Error.prepareStackTrace = (error, frames) => {
    const fileName = frames.find((frame) => frame.getFileName()?.endsWith(file) === true)?.getFileName()
    return fileName === undefined || fileName === null
      ? prepare(error, frames)
      : `${String(error)}\n    at ${fileName}:${line}:${column}`
  }
  return () => {
    Error.prepareStackTrace = prepare
  }
}

/** Whether many cases may have this error for one cause outside of their files, such as an edited skill. */
export function isShared({ code }: { readonly code: ErrorCode }): boolean {
  return SHARED.has(code)
}

/**
 * The error of a test where others have the same: without a place and without a command for one case. Vitest prints
 * errors with equal stacks once, below the names of all their tests; the summary has one command for all of them.
 */
export function sharedError({
  code,
  message,
}: {
  readonly code: ErrorCode
  readonly message: string
}): AgentEvalsError {
  return withoutStack(new AgentEvalsError(code, `${code}: ${toPrintableMessage(message)}`))
}

const SHARED: ReadonlySet<ErrorCode> = new Set([
  'credential-refused',
  'engine-not-found',
  'engine-too-old',
  'missing-answers',
  'missing-input',
  'no-credentials',
  'out-of-credit',
  'recording-incompatible',
  'sandbox-unavailable',
  'stale',
  'unknown-price',
  'unsupported-engine',
])

/**
 * An error that Vitest shows at its place, such as a line of a scenario; unchanged without one. Vitest itself frames only
 * files that it has loaded as modules.
 */
export function framedError(error: AgentEvalsError, at: ErrorPlace | undefined, root: string): AgentEvalsError {
  if (at === undefined) return error
  error.stack = `${error.name}: ${error.message}\n    at ${at.file}:${at.line}:${at.column}`
  return Object.assign(error, { codeFrame: frameOf(at, root) })
}

/** What the judge made of each statement, for a person: verdict, reason and evidence. */
export function describeJudge(judge: Pick<JudgePart, 'model' | 'reason' | 'selfJudged' | 'statements'>): string {
  const isItself = judge.selfJudged && judge.model !== 'scenario'
  const by = judge.model === null ? 'judge' : `judge (${judge.model}${isItself ? ', which judges itself' : ''})`
  return [`${by}: ${judge.reason}`, ...judge.statements.map(describeStatement)].join('\n')
}

/** One statement with its verdict, who gave it and why. */
export function describeStatement({ text, verdict, reason, quote, quoteFoundIn, agreement }: JudgedStatement): string {
  const votes = agreement.of > 1 ? ` (${agreement.agree} of ${agreement.of} votes)` : ''
  // The reason has a quote that was not found.
  const evidence = quoteFoundIn === null ? '' : `\n    ${quoteFoundIn}: ${JSON.stringify(quote)}`
  return `  ${MARKS[verdict]} ${text}${votes}\n    ${reason}${evidence}`
}

const MARKS = { pass: '✓', fail: '×', unscored: '?' } as const

// Tests that never fail the run: those that run for comparison, and those in quarantine. Vitest has no state for a failure
// that does not count, so they are shown as skipped, with the outcome in the note: a tick would read as if they passed.

/** What a finished case leaves on its test. */
export function metaOf(result: CaseResult): NonNullable<TaskMeta['agentEvals']> {
  const { id, arm, outcome, quarantined, runs } = result
  return {
    id,
    outcome,
    ...(arm === undefined ? {} : { arm }),
    ...(quarantined === undefined ? {} : { quarantined }),
    folder: runs[0]?.folder ?? null,
  }
}

/** Why a test that did not pass is shown as skipped; `null` where it may fail, or has nothing to hide. */
export function whyApart({ arm, outcome, quarantined, reason }: CaseResult): string | null {
  if (outcome !== 'failed' && outcome !== 'errored') return null
  const why = reason ?? outcome
  if (arm !== undefined) {
    // What could not be completed must not look as if it failed.
    if (outcome === 'errored') return `not completed: ${why}`
    return `fails ${arm === 'variant' ? 'with the version before' : 'without the skill'}: ${why}`
  }
  return quarantined === true ? `${outcome}, but in quarantine: ${why}` : null
}

/** Shows a test as skipped that Vitest has taken for failed. */
export function skipFailed(task: Pick<RunnerTestCase, 'result'>, note: string): void {
  if (task.result?.state !== 'fail') return
  task.result.state = 'skip'
  task.result.errors = []
  Object.assign(task.result, { note })
}
