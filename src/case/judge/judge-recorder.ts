import { AgentEvalsError } from '../../lib/errors.ts'
import { isSameJudge, readJudgePart, withJudgeParts, type RecordedJudge } from '../../recordings/recording.ts'
import { writeRecording } from '../../recordings/store.ts'
import type { CaseResult } from '../../report/results/result.ts'
import { chooseSource, type SourceRequest } from '../prepare/choose-source.ts'
import { askedOf, findEngineOf } from '../prepare/resolve-engine.ts'
import type { CaseSource, RecordedOutcome } from '../replay/run-recorded.ts'
import type { JudgeSupply } from './judge-case.ts'

/** The judges of a test's run. */
export interface KeptJudges {
  readonly supply: JudgeSupply
  /** Takes new answers of a judge; `null` when there are none. */
  keep(judge: RecordedJudge | null): void
}

/**
 * Answers the judges of a run, and keeps their answers in its recording. What was not asked for again is left out
 * as soon as something new is written.
 */
export function createJudgeRecorder(
  outcome: Pick<RecordedOutcome, 'folders' | 'recording' | 'upstream'>,
  source: Pick<CaseSource, 'recordCommand' | 'recordingFile' | 'rejudge'>,
): KeptJudges {
  const { recording, folders } = outcome
  const supply = judgeSource(outcome, source)
  const askedJudges: RecordedJudge[] = []
  let isNew = false
  const write = (): void => {
    if (isNew && recording !== null)
      writeRecording(source.recordingFile, withJudgeParts(recording, askedJudges, folders))
  }
  const find = (hash: RecordedJudge['hash']): RecordedJudge | null => {
    const stored = supply.kind === 'recording' ? supply.find(hash) : null
    if (stored === null || askedJudges.some((one) => isSameJudge(one.hash, stored.hash))) return stored
    askedJudges.push(stored)
    write()
    return stored
  }
  return {
    supply: supply.kind === 'recording' ? { ...supply, find } : supply,
    keep(judge) {
      if (judge === null) return
      askedJudges.push(judge)
      isNew = true
      write()
    },
  }
}

/** Who answers the judge of a run: what answered the run, or the recording as long as the judge is asked the same. */
export function judgeSource(
  { upstream, recording, folders }: Pick<RecordedOutcome, 'folders' | 'recording' | 'upstream'>,
  { recordingFile, rejudge, recordCommand }: Pick<CaseSource, 'recordCommand' | 'recordingFile' | 'rejudge'>,
): JudgeSupply {
  if (upstream !== null) return upstream
  return {
    kind: 'recording',
    file: recordingFile,
    find: (hash) => (recording === null ? null : readJudgePart(recording, hash, folders)),
    upstream: rejudge,
    advice: `Ask it again: ${recordCommand}`,
  }
}

/** Who answers the judge of a stored run: what answered it when it ran, as long as that is what it was, else the API. */
export async function storedJudgeSource(
  result: CaseResult,
  request: Omit<SourceRequest, 'engineName' | 'wire'>,
): Promise<JudgeSupply> {
  if (request.settings.source === 'live') return { kind: 'live' }
  const chosen = await findAnswers(result, request)
  // A judge's answer about another run says nothing about this one.
  if (chosen?.recording != null && chosen.recording.recordedAt === result.recorded?.at)
    return judgeSource({ upstream: null, recording: chosen.recording }, { ...chosen, recordCommand: 'add --live' })
  const ofScenario = result.source === 'scenario' || result.recorded?.origin === 'scenario'
  if (ofScenario && chosen?.answers.kind === 'scenario') return chosen.answers
  if (request.settings.source === 'auto' && request.settings.liveBlockedReason === null) return { kind: 'live' }
  const why = request.settings.liveBlockedReason ?? 'source is "replay", which never calls a model'
  throw new AgentEvalsError(
    'missing-answers',
    `No recorded judge answers for this run, and ${why}. Ask a judge with --live.`,
  )
}

async function findAnswers(
  { engineName }: CaseResult,
  request: Omit<SourceRequest, 'engineName' | 'wire'>,
): Promise<CaseSource | null> {
  const { settings } = request
  try {
    const { engine } = await findEngineOf(engineName, settings)
    const chosen = await chooseSource({ ...request, ...askedOf(engine, request, settings), engineName })
    return chosen.name === null ? null : chosen
  } catch (error) {
    if (error instanceof AgentEvalsError && NOT_THERE.has(error.code)) return null
    throw error
  }
}

// The agent is not run again, so its program may be missing.
const NOT_THERE: ReadonlySet<string> = new Set(['engine-not-found', 'missing-answers'])
