import { countTriggers, type TriggerAttempt } from '../../case/assess/count-triggers.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { workerState } from './worker-state.ts'
import type { RunSettings } from '../../options/settings.ts'
import { wilsonInterval, type Interval } from '../../lib/rates.ts'
import type { CaseTrigger } from '../../report/results/result.ts'
import type { TriggerQuestion } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { ChosenRun } from './agent-options.ts'
import type { TestRecord } from './test-record.ts'

/** How often a prompt made the agent use a skill: what `agent.trigger` returns. */
export interface TriggerOutcome {
  readonly prompt: string
  /** The skill whose use was counted. */
  readonly skill: string
  /** Every run that was started, in order. A run ends when the main thread uses the skill. */
  readonly runs: readonly AgentRun[]
  /** Runs that count: completed ones, and those in which the skill had been used before they broke. */
  readonly completed: number
  /** Runs among these in which the skill was used. */
  readonly fired: number
  /** Runs that could not be completed; they are not in the rate. */
  readonly errors: number
  /** Runs that took too long; they are not in the rate. */
  readonly timeouts: number
  /** Fired of completed, from 0 to 1. */
  readonly rate: number
  /** Wilson's interval of the rate at 95%. */
  readonly interval: Interval
  /** Share of the completed runs from which on `toHaveFired` passes. */
  readonly threshold: number
  /** Other skills that were used, the most frequent first. */
  readonly firedInstead: readonly { readonly skill: string; readonly runs: number }[]
}

/**
 * A run of `agent.trigger`, or why there is none.
 *
 * @internal
 */
export type TriggerRun = { readonly run: AgentRun } | { readonly error: AgentEvalsError }

/**
 * A question about one skill.
 *
 * @internal
 */
export type SkillQuestion = TriggerQuestion & { readonly skill: string }

/**
 * What the runs of a prompt have shown, for the test and for its report.
 *
 * @internal
 */
export interface CountedTrigger {
  readonly outcome: TriggerOutcome
  readonly part: CaseTrigger
}

/**
 * Makes the question from the options of a run.
 *
 * @throws {AgentEvalsError} `invalid-options` without a skill, or for one that the package does not have.
 *
 * @internal
 */
export async function askForSkill(
  { skill: name, runs }: Pick<ChosenRun, 'runs' | 'skill'>,
  { suite }: Pick<TestRecord, 'suite'>,
  settings: RunSettings,
): Promise<SkillQuestion> {
  if (name === null) throw new AgentEvalsError('invalid-options', 'agent.trigger() needs the option `skill`.')
  const { skills } = await workerState(settings).packages.packageOf(suite.packageRoot)
  const skill = skills.find((one) => one.name === name) ?? skills.find(({ alias }) => alias === name)
  if (skill === undefined) {
    const hint = suggestName(
      name,
      skills.map((one) => one.name),
    )
    throw new AgentEvalsError(
      'invalid-options',
      `agent.trigger(): ${suite.packageRoot} has no skill ${JSON.stringify(name)}.${hint}`,
    )
  }
  const accepts = skill.alias === undefined ? {} : { accepts: [skill.alias] }
  return { skill: skill.name, ...accepts, shouldTrigger: true, runs, threshold: null }
}

/**
 * Keeps a run that broke as one that is not counted. A skipped or stopped test stays one.
 *
 * @internal
 */
export async function settle(running: Promise<AgentRun>): Promise<TriggerRun> {
  try {
    return { run: await running }
  } catch (error) {
    if (!(error instanceof AgentEvalsError)) throw error
    return { error }
  }
}

/**
 * Counts in how many runs the skill was used.
 *
 * @throws {AgentEvalsError} the reason of the first run that broke, when no run completed.
 *
 * @internal
 */
export function countTriggerRuns(
  prompt: string,
  question: SkillQuestion,
  started: readonly TriggerRun[],
  threshold: number,
): CountedTrigger {
  const attempts = started.map(attemptOf)
  const part = countTriggers(attempts, { question, query: prompt, threshold })
  const { completed, fired, errors, timeouts, internal } = part
  const interval = wilsonInterval(fired, completed)
  if (interval === null) throw firstProblem(started)
  const runs = started.flatMap((one) => ('run' in one ? [one.run] : []))
  const { skill } = question
  const counted = { completed, fired, errors, timeouts, rate: fired / completed, interval, threshold }
  return { part, outcome: { prompt, skill, runs, ...counted, firedInstead: internal.firedInstead } }
}

function attemptOf(one: TriggerRun): TriggerAttempt {
  return 'run' in one ? { run: one.run, problem: null } : { run: null, problem: one.error.message }
}

function firstProblem(started: readonly TriggerRun[]): AgentEvalsError {
  for (const one of started) {
    if ('error' in one) return one.error
    const { status, problem, problemCode } = one.run
    if (status !== 'completed')
      return new AgentEvalsError(problemCode ?? 'engine-failed', problem ?? `The run is ${status}.`)
  }
  return new AgentEvalsError('engine-failed', 'No run completed.')
}
