import { AgentEvalsError, isStop } from '../../lib/errors.ts'
import { hasChangedFiles, saysNothing } from '../../transcript/select.ts'
import { nearest } from '../../options/option.ts'
import type { JudgePart } from '../../judges/judgement.ts'
import { errorAt, callSiteOf } from '../runtime/call-site.ts'
import { describeJudge } from '../runtime/describe-failure.ts'
import {
  noteCheck,
  requireLink,
  type RunLink,
  expectation,
  requireRun,
  type MatcherResult,
  type MatcherState,
} from './received.ts'
import type { JudgeSupply } from '../../case/judge/judge-case.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** Options of `toPassJudge` and `toMeetExpectations`. */
export interface JudgeOptions {
  /** `[provider:]model`. Overrides the environment, eval-config.json and the plugin's option. */
  readonly judge?: string
  /** Maximum number of votes, from 1 to 9. Default: the plugin's option, else 1. */
  readonly votes?: number
}

/**
 * What a matcher asks.
 *
 * @internal
 */
export interface JudgeByMatcher {
  readonly matcher: string
  readonly received: unknown
  readonly criteria: string
  readonly statements: readonly string[]
  readonly options: JudgeOptions
}

/**
 * Asks a judge for a matcher. Nothing that could not be decided is a result: it throws, also under `.not`. Misuse is
 * thrown at once, so that it fails the test even without an await.
 *
 * @throws {AgentEvalsError} `invalid-options`, or what kept the judge from a verdict, such as `judge-failed`.
 *
 * @internal
 */
export function judgeByMatcher(state: MatcherState, request: JudgeByMatcher): Promise<MatcherResult> {
  const run = requireRun(request.received, request.matcher)
  const link = requireLink(run, request.matcher)
  const votes = request.options.votes ?? link.settings.votes
  return awaitJudge(request.matcher, link, (signal) => compare(state, request, run, link, votes, signal))
}

async function compare(
  state: MatcherState,
  { matcher, criteria, statements, options }: JudgeByMatcher,
  run: AgentRun,
  link: RunLink,
  votes: number,
  signal: AbortSignal,
): Promise<MatcherResult> {
  const what = expectation(
    state,
    statements.length === 1 ? `meet "${statements[0] ?? ''}"` : `meet ${statements.length} statements`,
  )
  if (saysNothing(run.output) && !hasChangedFiles(run)) return refuseNothing(state, matcher, criteria, run, what)

  const { suite, settings, evalCase, files, label } = link
  // The matchers are registered in every worker; few tests ask a judge.
  const { judgeCase } = await import('../../case/judge/judge-case.ts')
  const judged = await judgeCase({
    label,
    question: { criteria, statements, prompt: evalCase.prompt, run, files },
    judge: options.judge ?? nearest<string | null>(settings.judge, suite.config.judge, null),
    votes,
    source: unusedAnswers(link),
    settings,
    signal,
  })
  link.judgeAnswersUsed += judged.part.requests
  await link.keepJudgement(judged.exchanges, judged.toRecord)
  return take(link, state, statements, judged.part, what)
}

function take(
  link: RunLink,
  state: MatcherState,
  statements: readonly string[],
  part: JudgePart,
  what: string,
): MatcherResult {
  link.record.judges.push({ part, isNot: state.isNot === true, criteria: statements.join(' ') })
  refuseErrored(part)
  return { pass: part.result === 'passed', message: () => `${what}\n\n${describeVerdict(part)}` }
}

/**
 * Where there is nothing to judge the criteria do not hold; that they do not is no more shown by it.
 *
 * @internal
 */
export function refuseNothing(
  state: MatcherState,
  matcher: string,
  criteria: string,
  run: AgentRun,
  what: string,
): MatcherResult {
  if (state.isNot === true)
    throw new AgentEvalsError('no-output', `${matcher}() cannot judge: the agent gave no output.`)
  const message = (): string => `${what}, but the agent gave no output`
  return noteCheck(state, run, matcher, criteria, { pass: false, message })
}

/**
 * Refuses a judge that gave no verdict.
 *
 * @throws {AgentEvalsError} what kept it from one; where that was money, with what asks it alone.
 *
 * @internal
 */
export function refuseErrored(part: JudgePart): void {
  const { error } = part
  if (error === null) return
  const advice = isStop(error) ? ['The run is kept: run this test with --resume, which asks only its judge.'] : []
  throw new AgentEvalsError(error.code, [describeVerdict(part), ...advice].join('\n'))
}

/**
 * A judge's verdicts, for a message.
 *
 * @internal
 */
export function describeVerdict(part: JudgePart): string {
  return [describeJudge(part), ...part.notices].join('\n')
}

/**
 * Each judge of a run goes on where the one before has stopped.
 *
 * @internal
 */
export function unusedAnswers({ judge, judgeAnswersUsed }: RunLink): JudgeSupply {
  if (judge.kind === 'scenario') return afterThe(judgeAnswersUsed, judge)
  if (judge.kind !== 'recording' || judge.upstream?.kind !== 'scenario') return judge
  return { ...judge, upstream: afterThe(judgeAnswersUsed, judge.upstream) }
}

type ScenarioSupply = Extract<JudgeSupply, { kind: 'scenario' }>

function afterThe(used: number, { scenario }: ScenarioSupply): ScenarioSupply {
  return { kind: 'scenario', scenario: { ...scenario, judge: scenario.judge.slice(used) } }
}

/**
 * Vitest does not see that an asynchronous matcher is left alone: the test would pass whatever the judge says.
 *
 * @internal
 */
export function awaitJudge<T>(matcher: string, link: RunLink, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const site = callSiteOf(awaitJudge)
  const over = new AbortController()
  let isSettled = false
  link.task.context.onTestFinished(() => {
    if (isSettled) return
    over.abort()
    const message = `${matcher}() was not awaited: write \`await expect(run).${matcher}(...)\`.`
    throw errorAt(site, 'invalid-options', message)
  })
  return new Promise((resolve, reject) => {
    // Once neglected it stays open: a rejection would be reported a second time, without a test.
    const settle = (tell: () => void): void => {
      if (over.signal.aborted) return
      isSettled = true
      tell()
    }
    work(AbortSignal.any([link.signal, over.signal])).then(
      (result) => settle(() => resolve(result)),
      (error: unknown) => settle(() => reject(error)),
    )
  })
}
