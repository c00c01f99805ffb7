import { sumOf } from '../../lib/lists.ts'
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
  /** Runs that were not made, where it may end without them: there is no rate to show then. */
  readonly saved?: number
  /** Somebody wrote answers in advance, so that there is no chance in them. */
  readonly isScripted?: boolean
}

/** Counts over runs of a query, without what was asked. */
export interface TriggerCounts extends Pick<
  CaseTrigger,
  'completed' | 'errors' | 'fired' | 'fired_in_sub_agent' | 'timeouts'
> {
  readonly internal: Omit<CaseTrigger['internal'], 'query'>
}

/** Counts in how many runs of a query the skill was used, whenever in the run and by whomever. Pure. */
export function countTriggers(attempts: readonly TriggerAttempt[], request: CountRequest): CaseTrigger {
  return addTriggers(
    attempts.map((attempt) => countAttempt(attempt, request.question)),
    request,
  )
}

/** Adds up what runs of a query have shown; `null` is a run that could not be started. */
export function addTriggers(
  counts: readonly (TriggerCounts | null)[],
  { question, query, threshold, saved, isScripted = false }: CountRequest,
): CaseTrigger {
  const parts = counts.map((one) => one ?? BROKEN)
  const [completed, fired] = [sumOf(parts, (one) => one.completed), sumOf(parts, (one) => one.fired)]
  const firedInstead = addNames(parts.flatMap(({ internal }) => internal.firedInstead))
  const failedCalls = addNames(parts.flatMap(({ internal }) => internal.failedCalls ?? []))
  return {
    skill: question.skill,
    should_trigger: question.shouldTrigger,
    runs: parts.length + (saved ?? 0),
    ...(saved === undefined ? {} : { saved }),
    completed,
    fired,
    fired_in_sub_agent: sumOf(parts, (one) => one.fired_in_sub_agent),
    errors: sumOf(parts, (one) => one.errors),
    timeouts: sumOf(parts, (one) => one.timeouts),
    rate: completed === 0 || saved !== undefined ? null : thousandths(fired / completed),
    interval: saved === undefined && !isScripted ? roundInterval(wilsonInterval(fired, completed)) : null,
    threshold,
    fired_instead: firedInstead.map(({ skill }) => skill),
    internal: { query, firedInstead, ...(failedCalls.length === 0 ? {} : { failedCalls }) },
  }
}

const NOTHING: TriggerCounts = {
  completed: 0,
  fired: 0,
  fired_in_sub_agent: 0,
  errors: 0,
  timeouts: 0,
  internal: { firedInstead: [] },
}
const BROKEN: TriggerCounts = { ...NOTHING, errors: 1 }

function countAttempt(attempt: TriggerAttempt, question: TriggerQuestion): TriggerCounts {
  const { run, problem } = attempt
  const { subject, names } = usesOf(attempt, question)
  const isFired = subject.length > 0
  if (run === null || problem !== null || run.problemCode === 'records-differ') return BROKEN
  // A rate of the runs that were quick enough would be another one.
  if (run.status === 'cancelled') return BROKEN
  // A use stands, whatever happens after it.
  if (run.status !== 'completed' && !isFired) return isOwnTimeout(run) ? { ...NOTHING, timeouts: 1 } : BROKEN
  // Beside the skill is not instead of it, and what follows it does not count. Where none should be used, each is instead.
  const isForNone = question.skill === null && !question.shouldTrigger
  return {
    ...NOTHING,
    completed: 1,
    fired: isFired ? 1 : 0,
    fired_in_sub_agent: isFired && subject.every((agent) => agent !== null) ? 1 : 0,
    internal: {
      firedInstead: isForNone || !isFired ? [...new Set(names)].map((skill) => ({ skill, runs: 1 })) : [],
      failedCalls: failedSkillCalls(run).map(({ skill }) => ({ skill, runs: 1 })),
    },
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
function isOwnTimeout({ status, problemCode }: Pick<AgentRun, 'problemCode' | 'status'>): boolean {
  return status === 'timed-out' && (problemCode === null || problemCode === 'timed-out')
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

function addNames(names: CaseTrigger['internal']['firedInstead']): CaseTrigger['internal']['firedInstead'] {
  const counts = new Map<string, number>()
  for (const { skill, runs } of names) counts.set(skill, (counts.get(skill) ?? 0) + runs)
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([skill, runs]) => ({ skill, runs }))
}
