import { join } from 'node:path'
import type { AnswerSource } from '../../gateway/leases/lease.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { readTextFile } from '../../lib/files.ts'
import type { RunSettings } from '../../options/settings.ts'
import { describeDrift } from '../../recordings/drift.ts'
import type { Recording } from '../../recordings/recording.ts'
import type { StaleText } from '../../recordings/stale.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import type { CaseResult, CaseRun } from '../../report/results/result.ts'
import type { AgentRequest, EndedSession } from '../../session/agent-request.ts'
import { runAgent } from '../../session/run-agent.ts'
import { outputOf } from '../../session/turns.ts'
import type { Workspace } from '../../session/workspace.ts'
import type { AgentRun, TranscriptEvent } from '../../transcript/transcript.ts'
import { replayAnswers, type CaseSource, type RecordedOutcome, type ReplayFindings } from './run-recorded.ts'

/** A replay that cannot speak for its case, and what it takes to make it so again. */
export type ReplayProblem = NonNullable<Decision['error']> & {
  /** The first turn, from 1, that it is about, where an earlier one still holds. */
  readonly turn?: number
}

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
    const turns = replay.stale.map(({ turn = 1 }) => turn)
    const from = Math.min(...turns)
    const since = recording.turns === undefined || from === 1 ? '' : ` from turn ${from} on`
    return {
      code: 'stale',
      message: [`${first}, so the recording is stale${since}.`, ...others.map((text) => `${text}.`)].join('\n'),
      remedy,
      ...(since === '' ? {} : { turn: from }),
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

function describeStale({ path, part, why }: StaleText): string {
  if (why === 'new') return `${path}: ${part}, which is new since it was recorded`
  const where = `${path} (${part})`
  if (why === 'changed') return `${where} has changed since the model saw it`
  return why === 'gone' ? `${where}, which the model saw, was removed` : `${where} is no longer shown to the model`
}

const MOST_SHOWN = 3

function engineOf({ engine }: Recording): string {
  return `${engine.name} ${engine.version ?? 'of an unknown version'}`
}

/** What a result says of the recording behind it. */
export interface RecordingReview {
  /** Why the run cannot speak for its case; `null` when it can. */
  readonly problem: ReplayProblem | null
  readonly recorded: CaseResult['recorded']
  readonly notices: readonly string[]
}

/** Judges what became of a case's recording: whether it still holds, or could not be made. */
export function reviewRecording(
  { run, recording, replay, notRecorded }: RecordedOutcome,
  { recordCommand }: Pick<CaseSource, 'recordCommand'>,
  { drift, source }: Pick<RunSettings, 'drift' | 'source'>,
): RecordingReview {
  const recorded =
    recording === null
      ? null
      : { at: recording.recordedAt, origin: recording.origin, engine_version: recording.engine.version }
  if (notRecorded !== null) {
    const message = `The run was not recorded, because its replay differs: ${notRecorded}`
    // Who asked for a recording has none; who did not has a result all the same.
    return source === 'record'
      ? { problem: { code: 'not-replayable', message }, recorded, notices: [] }
      : { problem: null, recorded, notices: [message] }
  }
  if (recording === null || replay === null) return { problem: null, recorded, notices: [] }
  const replayed = { recording, replay, run, drift, recordCommand }
  return { problem: findReplayProblem(replayed), recorded, notices: replayNotices(replayed) }
}

/** A run that has ended and whose workspace is still there. */
export interface ContinuableRun {
  readonly request: AgentRequest
  readonly outcome: Pick<RecordedOutcome, 'recording' | 'run' | 'upstream'>
  /** `null` for a run that was taken over from an earlier one. */
  readonly workspace: Workspace | null
  /** Identifies the run among those of earlier runs. */
  readonly key: string
  /** Whether a further run has gone on in the workspace. */
  isContinued: boolean
}

/**
 * Lets a further run go on with one that has ended. The first time it goes on in the workspace itself; later ones, such
 * as the replay of a new recording, begin where the run ended too: it is run again for them, from what it was answered.
 */
export function continueRun(parent: ContinuableRun): () => Promise<EndedSession> {
  return async () => {
    if (parent.isContinued || parent.workspace === null) return repeat(parent)
    parent.isContinued = true
    return { workspace: parent.workspace, sessionId: sessionOf(parent.outcome.run) }
  }
}

async function repeat({ request, outcome }: ContinuableRun): Promise<EndedSession> {
  const { collect: _collect, collectTurn: _turn, onStart: _onStart, handOver: _handOver, ...again } = request
  let workspace: Workspace | undefined
  const { run } = await runAgent({
    ...again,
    label: `${request.label} (repeated, to continue it)`,
    source: answersOf(outcome),
    model: outcome.run.modelAsked,
    handOver: (made) => (workspace = made),
  })
  if (run.status === 'completed' && workspace !== undefined) return { workspace, sessionId: sessionOf(run) }
  await workspace?.remove()
  throw new AgentEvalsError(
    run.problemCode ?? 'engine-failed',
    `The run that is continued could not be repeated: ${run.problem ?? run.status}`,
  )
}

function answersOf({ recording, upstream }: ContinuableRun['outcome']): AnswerSource {
  if (recording !== null) return replayAnswers(recording)
  if (upstream?.kind === 'scenario') return upstream
  throw new AgentEvalsError(
    'not-replayable',
    'This run cannot be continued: it was live and not recorded, and its workspace was removed or has changed. Continue the latest run, omit --resume, or record it: --record.',
  )
}

function sessionOf({ engine, sessionId }: ContinuableRun['outcome']['run']): string {
  if (sessionId !== null) return sessionId
  throw new AgentEvalsError('engine-failed', `${engine} reported no session id, so its session cannot be continued.`)
}

/**
 * Makes the record of a run again from its folder and its result. `folder` is an absolute path.
 *
 * @throws {AgentEvalsError} `missing-input` when the folder does not hold its transcript any more.
 */
export function readStoredRun(result: CaseResult, folder: string): AgentRun {
  const [summary] = result.runs
  const transcript = readTranscript(join(folder, 'transcript.jsonl'))
  if (summary === undefined) throw new AgentEvalsError('missing-input', `${result.id} has no run.`)
  const { runtime, runtime_version: version, session_id: sessionId, model } = result.agent
  const { stopReason } = summary.internal
  const run: AgentRun = {
    engine: runtime ?? result.engineName,
    engineVersion: version,
    status: summary.status,
    problem: summary.problem,
    problemCode: null,
    exitCode: summary.exit_code,
    signal: null,
    sessionId,
    modelAsked: result.modelAsked,
    model,
    record: result.record ?? 'gateway',
    ...outputOf(transcript),
    transcript,
    files: { ...summary.files, unreadable: summary.files.unreadable.map((file) => ({ ...file, ...UNKNOWN })) },
    usage: null,
    costUsd: 0,
    requests: summary.requests,
    durationMs: summary.duration_seconds * 1000,
    ...(stopReason === undefined ? {} : { stopReason }),
    sandbox: result.sandbox ?? { asked: 'unknown', enforced: 'unknown' },
    stderrTail: '',
    workspace: null,
  }
  return summary.turns === undefined ? run : { ...run, turns: turnsIn(run, summary.turns) }
}

const UNKNOWN = { kind: 'other', isNew: false } as const

// Only the last of those that began can have ended otherwise.
function turnsIn(run: AgentRun, results: NonNullable<CaseRun['turns']>): readonly AgentRun[] {
  const begins = run.transcript.flatMap(({ kind }, index) => (kind === 'prompt' ? [index] : []))
  return begins.flatMap((begin, index): readonly AgentRun[] => {
    const result = results[index]
    if (result === undefined) return []
    const transcript = run.transcript.slice(begin, begins[index + 1])
    const ending = index === begins.length - 1 ? {} : { status: 'completed' as const, problem: null, problemCode: null }
    const { requests, duration_seconds: seconds, internal } = result
    const figures = { files: { ...result.files, ...internal }, requests, durationMs: seconds * 1000 }
    return [{ ...run, ...ending, ...figures, ...outputOf(transcript), transcript }]
  })
}

function readTranscript(file: string): readonly TranscriptEvent[] {
  try {
    const lines = readTextFile(file).split('\n')
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TranscriptEvent)
  } catch (cause) {
    const reason = messageOf(cause)
    throw new AgentEvalsError('missing-input', `The stored run cannot be read: ${reason}. Run the case again.`, {
      cause,
    })
  }
}
