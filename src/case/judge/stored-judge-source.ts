import { AgentEvalsError } from '../../errors.ts'
import { askedOf, findEngineOf } from '../prepare/resolve-engine.ts'
import { chooseSource, type SourceRequest } from '../prepare/choose-source.ts'
import { judgeSource } from './judge-source.ts'
import type { CaseResult } from '../../results/result.ts'
import type { JudgeSupply } from './judge-case.ts'
import type { PlayedSource } from '../../replay/played-source.ts'

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
): Promise<PlayedSource | null> {
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
