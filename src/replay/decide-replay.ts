import { describeDrift } from '../recordings/drift.ts'
import type { Recording } from '../recordings/recording.ts'
import type { StaleText } from '../recordings/stale.ts'
import type { Decision } from '../results/decide-outcome.ts'
import type { ReplayFindings } from './run-recorded.ts'
import type { RunSettings } from '../settings.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** A replay that cannot speak for its case, and what it takes to make it so again. */
export type ReplayProblem = NonNullable<Decision['error']>

/** What a replay is judged by. */
export interface ReplayedRun {
  readonly recording: Recording
  readonly replay: ReplayFindings
  readonly run: AgentRun
  readonly drift: RunSettings['drift']
  /** Command line that records the case again. */
  readonly recordCommand: string
}

/** Finds why a replay cannot speak for its case; `null` when it can. */
export function findReplayProblem({ recording, replay, run, drift, recordCommand }: ReplayedRun): ReplayProblem | null {
  const remedy = `Record it again: ${recordCommand}`
  if (replay.stale.length > 0) {
    const [first = '', ...others] = replay.stale.map(describeStale)
    return {
      code: 'stale',
      message: [`${first}, so the recording is stale.`, ...others.map((text) => `${text}.`)].join('\n'),
      remedy,
    }
  }
  if (replay.incompatible.length > 0) {
    const [first] = replay.incompatible
    const message = `The recording of ${engineOf(recording)} does not match ${run.engine} ${run.engineVersion ?? ''}: ${first ?? ''}`
    return { code: 'recording-incompatible', message, remedy }
  }
  if (replay.drift.length === 0 || driftMode(recording, drift) === 'warn') return null
  return {
    code: 'drifted',
    message: describeDrift(recording.recordedAt, replay.drift, MOST_SHOWN),
    remedy: `If the new result is right, record it again: ${recordCommand}`,
  }
}

/** What a replay decides: stale first, then what its checks found, then drift and what could not be recorded. */
export function decideReplay(decision: Decision, problem: ReplayProblem | null): Decision {
  if (problem === null || decision.error?.code === 'cancelled') return decision
  const comesLast = problem.code === 'drifted' || problem.code === 'not-replayable'
  const isOver = decision.outcome === 'errored' && decision.error !== null && OWN_ERRORS.has(decision.error.code)
  if (comesLast && (decision.outcome === 'failed' || isOver)) return decision
  return { outcome: 'errored', reason: problem.message, error: problem }
}

// A run that did not come to its end says more about what changed than its drift does.
const OWN_ERRORS: ReadonlySet<string> = new Set(['timed-out', 'engine-failed', 'hook-failed-open', 'workspace-failed'])

/** What is odd about a replay and does not make it worthless, one sentence each. */
export function replayNotices({ recording, replay, run, drift }: ReplayedRun): readonly string[] {
  const warned =
    replay.drift.length > 0 && driftMode(recording, drift) === 'warn'
      ? [describeDrift(recording.recordedAt, replay.drift)]
      : []
  const versions =
    recording.engine.version === run.engineVersion
      ? []
      : [
          `Recorded with ${engineOf(recording)}, replayed with ${run.engine} ${run.engineVersion ?? 'of an unknown version'}.`,
        ]
  const unseen = replay.unseen.map((text) => `The model is shown ${text}, which is new since the recording.`)
  const origin = recording.origin === 'scenario' ? ['This was recorded from a scenario, not from a model.'] : []
  return [...origin, ...versions, ...unseen, ...warned]
}

// Another machine gives other results; `--drift error` is strict.
function driftMode({ platform }: Recording, drift: RunSettings['drift']): 'error' | 'warn' {
  return drift ?? (platform === `${process.platform}-${process.arch}` ? 'error' : 'warn')
}

function describeStale({ path, part, line, why }: StaleText): string {
  if (why === 'new') return `${path}: ${part}, which is new since it was recorded`
  const where = `${line === null ? path : `${path}:${line}`} (${part})`
  if (why === 'changed') return `${where} has changed since the model saw it`
  return why === 'gone' ? `${where}, which the model saw, was removed` : `${where} is no longer shown to the model`
}

const MOST_SHOWN = 3

function engineOf({ engine }: Recording): string {
  return `${engine.name} ${engine.version ?? 'of an unknown version'}`
}
