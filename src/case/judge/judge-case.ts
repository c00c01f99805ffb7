import { dirname } from 'node:path'
import { AgentEvalsError, type ErrorCode } from '../../lib/errors.ts'
import { subscriptionCredential } from '../../gateway/credentials.ts'
import { chooseJudge, type ChosenJudge } from '../../judges/choose.ts'
import { askJudge, type Judged } from '../../judges/judge.ts'
import { byCriteria, type CriteriaQuestion } from '../../judges/methods/criteria.ts'
import { erroredJudge, type JudgePart } from '../../judges/judgement.ts'
import { judgeProviders, recordedProvider } from '../../judges/providers/registry.ts'
import { hashJudge, recordJudge, type JudgeSource } from '../../judges/judge-lease.ts'
import { knownKindsIn } from '../../judges/known-kinds.ts'
import type { CredentialKind, UpstreamSource } from '../../gateway/leases/lease.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { JudgeAnswer, JudgeMethod } from '../../judges/method.ts'
import type { ProviderContext, JudgeProvider, JudgeProviderKind } from '../../judges/providers/provider.ts'
import type { JudgeHash, RecordedJudge } from '../../recordings/recording.ts'
import type { RunSettings } from '../../options/settings.ts'

/** Who answers the judge of a run, and what surrounds it. */
export interface JudgeContext {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly source: JudgeSupply
  readonly settings: RunSettings
  readonly signal: AbortSignal
  /** How many answers of a scenario went to earlier questions. */
  readonly usedUp?: number
  /** Passes over a judge that is down, for the rest of the run. @default false */
  readonly givesUp?: boolean
}

/** A run to judge, and where its case stands. */
export interface JudgeCase extends JudgeContext {
  readonly question: CriteriaQuestion
  /** `[provider:]model`; `null`: the agent's own model. */
  readonly judge: string | null
  readonly votes: number
}

/** Answers that may be there: those of a recording as long as the judge is asked the same, else those of the upstream. */
export type JudgeSupply =
  | UpstreamSource
  | {
      readonly kind: 'recording'
      /** Absolute path. */
      readonly file: string
      /** Reads the stored answers to exactly this question. */
      readonly find: (hash: JudgeHash) => RecordedJudge | null
      /** Who is asked when there are none; `null` where no judge may be. */
      readonly upstream: UpstreamSource | null
      /** What to do about it, one sentence. */
      readonly advice: string
    }

/** The judge's answers, and what to keep of them. */
export interface CaseJudgement {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  /** New answers for the recording; `null` when there is nothing new that is worth keeping. */
  readonly toRecord: RecordedJudge | null
}

/** Judges a run by the criteria of its case. */
export function judgeCase(request: JudgeCase): Promise<CaseJudgement> {
  const { question, votes, judge, source, signal } = request
  return guarded(signal, () => {
    const choice = chooseJudge(judge, question.run, liveCredential(source))
    return judgeBy(byCriteria(question, votes), choice, request)
  })
}

/** What goes wrong is the judge's result too: what the checks found stays true. */
export async function guarded<Outcome extends CaseJudgement>(
  signal: AbortSignal,
  judge: () => Promise<Outcome>,
): Promise<CaseJudgement | Outcome> {
  try {
    return await judge()
  } catch (error) {
    if (signal.aborted) return broken('cancelled', 'The judge was cancelled.')
    if (error instanceof AgentEvalsError) return broken(error.code, error.message)
    throw error
  }
}

function broken(code: ErrorCode, message: string): CaseJudgement {
  return { part: erroredJudge(code, message), exchanges: [], toRecord: null }
}

/** Asks a judge in this way, or takes what was recorded as long as it is asked the same. */
export async function judgeBy<Answer extends JudgeAnswer>(
  method: JudgeMethod<Answer>,
  choice: ChosenJudge,
  { label, source: supply, settings, signal, usedUp, givesUp = false }: JudgeContext,
): Promise<CaseJudgement & Judged<Answer>> {
  const hash = hashJudge(method, choice)
  const source = pickSource(supply, hash)
  const provider = await findProvider(choice, settings, source)
  const { controlSocket, claims } = settings
  const knownKinds = method.kinds === null ? undefined : knownKindsIn(dirname(settings.runFolder))
  const judged = await askJudge({
    method,
    label,
    choice,
    provider,
    source,
    controlSocket,
    signal,
    claims,
    givesUp,
    ...(knownKinds === undefined ? {} : { knownKinds }),
    ...(usedUp === undefined ? {} : { usedUp }),
  })
  // What the judge could not decide is worth another try.
  const isNew = source.kind !== 'recorded' && judged.part.result !== 'errored'
  return { ...judged, toRecord: isNew ? recordJudge(method, hash, judged) : null }
}

/** Says who answers a judge that is asked this. */
export function pickSource(supply: JudgeSupply, hash: JudgeHash): JudgeSource {
  if (supply.kind === 'live' || supply.kind === 'scenario') return supply
  const { file, find, upstream, advice } = supply
  const stored = find(hash)
  if (stored !== null) return { kind: 'recorded', judge: stored, file }
  if (upstream !== null) return upstream
  throw new AgentEvalsError(
    'missing-answers',
    `${file} has no judge answers for these criteria, this judge and this number of votes. ${advice}`,
  )
}

/** As {@link subscriptionCredential}, where the judge is live. */
export function liveCredential(supply: JudgeSupply): CredentialKind | null {
  const upstream = supply.kind === 'recording' ? supply.upstream : supply
  return upstream?.kind === 'live' ? subscriptionCredential(process.env) : null
}

/** Finds the way to a judge. What was recorded is answered over any wire. */
export async function findProvider(
  choice: ChosenJudge,
  settings: ProviderContext,
  source: JudgeSource,
): Promise<JudgeProvider> {
  return source.kind === 'recorded' ? recordedProvider : kindOf(choice).open(settings)
}

/** The kind of a judge that was chosen from this list. */
export function kindOf({ provider }: Pick<ChosenJudge, 'provider'>): JudgeProviderKind {
  const kind = judgeProviders().get(provider)
  if (kind !== undefined) return kind
  throw new AgentEvalsError('invalid-options', `There is no judge provider "${provider}".`)
}
