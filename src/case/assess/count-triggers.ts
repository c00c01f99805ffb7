import { roundInterval, thousandths, wilsonInterval } from '../../lib/rates.ts'
import { failedSkillCalls, isDeciding, plainName, type DecidingUse } from '../../transcript/select.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import type { CaseTrigger } from '../../report/results/result.ts'
import type { TriggerQuestion } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** One run of a query: what the engine did, or why there is nothing to count. */
export interface TriggerAttempt {
  /** `null` when it could not be started. */
  readonly run: Pick<AgentRun, 'problemCode' | 'status' | 'transcript'> | null
  /** Why it does not count although it completed, such as a stale recording. */
  readonly problem: string | null
}

/** What is known of a query besides its runs. */
export interface CountRequest {
  readonly question: TriggerQuestion
  readonly query: string
  readonly threshold: number
  /** Runs that were planned, where it may end without all of them: there is no rate to show then. */
  readonly planned?: number
}

/** Counts in how many runs of a query the skill was used, whenever in the run and by whomever. Pure. */
export function countTriggers(
  attempts: readonly TriggerAttempt[],
  { question, query, threshold, planned }: CountRequest,
): CaseTrigger {
  const uses = attempts.map((attempt) => usesOf(attempt, question))
  const counted = attempts.filter((attempt, index) => attempt.problem === null && isDecided(attempt, uses[index]))
  const used = counted.map((attempt) => usesOf(attempt, question))
  const fired = used.filter(({ subject }) => subject.length > 0)
  const lost = attempts.filter((attempt) => !counted.includes(attempt))
  const failed = counted.flatMap(({ run }) => (run === null ? [] : failedSkillCalls(run).map(({ skill }) => skill)))
  const timeouts = lost.filter(({ run, problem }) => problem === null && isOwnTimeout(run)).length
  // Beside the skill is not instead of it, and what follows it does not count. Where none should be used, each is instead.
  const isForNone = question.skill === null && !question.shouldTrigger
  const instead = isForNone ? used : used.filter((one) => !fired.includes(one))
  const [runs, completed] = [planned ?? attempts.length, counted.length]
  const firedInstead = countNames(instead.flatMap(({ names }) => [...new Set(names)]))
  return {
    skill: question.skill,
    should_trigger: question.shouldTrigger,
    runs,
    ...(planned === undefined ? {} : { saved: planned - attempts.length }),
    completed,
    fired: fired.length,
    fired_in_sub_agent: fired.filter(({ subject }) => subject.every((agent) => agent !== null)).length,
    errors: lost.length - timeouts,
    timeouts,
    rate: completed === 0 || planned !== undefined ? null : thousandths(fired.length / completed),
    interval: planned === undefined ? roundInterval(wilsonInterval(fired.length, completed)) : null,
    threshold,
    fired_instead: firedInstead.map(({ skill }) => skill),
    internal: { query, firedInstead, ...(failed.length === 0 ? {} : { failedCalls: countNames(failed) }) },
  }
}

/** The use that decides a run of a query. */
export function decidingUse({ skill, accepts = [] }: Pick<TriggerQuestion, 'accepts' | 'skill'>): DecidingUse {
  return { skills: skill === null ? null : [skill, ...accepts] }
}

/** What one run of a query shows, as the outcome by which a recording is compared with its replay. Pure. */
export function outcomeOfTrigger(run: AgentRun, question: TriggerQuestion): Decision {
  const { fired } = countTriggers([{ run, problem: null }], { question, query: '', threshold: 1 })
  return { outcome: fired > 0 ? 'passed' : 'failed', reason: null, error: null }
}

/** Whether a query came out as expected. */
export function isAsExpected({ fired, completed, threshold, should_trigger: should }: CaseTrigger): boolean {
  return (completed > 0 && fired / completed >= threshold) === should
}

// A run whose time the API used up was not too slow.
function isOwnTimeout(run: TriggerAttempt['run']): boolean {
  return run?.status === 'timed-out' && (run.problemCode === null || run.problemCode === 'timed-out')
}

interface Uses {
  /** Who used the skill that is asked about: a sub-agent, or `null` for the main thread. */
  readonly subject: readonly (string | null)[]
  readonly names: readonly string[]
}

function usesOf({ run }: TriggerAttempt, question: TriggerQuestion): Uses {
  const used = (run?.transcript ?? []).flatMap((event) => (event.kind === 'skill-used' ? [event] : []))
  const use = decidingUse(question)
  return {
    subject: used.filter((event) => isDeciding(event.skill, use)).map(({ agent }) => agent),
    names: used.map((event) => plainName(event.skill)),
  }
}

// What happens after the skill was used does not undo that.
function isDecided({ run }: TriggerAttempt, uses: Uses | undefined): boolean {
  if (run === null || run.problemCode === 'records-differ') return false
  return run.status === 'completed' || (uses?.subject.length ?? 0) > 0
}

function countNames(names: readonly string[]): CaseTrigger['internal']['firedInstead'] {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([skill, runs]) => ({ skill, runs }))
}
