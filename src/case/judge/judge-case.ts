import { dirname } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { subscriptionCredential } from '../../gateway/secrets/credentials.ts'
import { chooseJudge, type ChosenJudge } from '../../judges/choose.ts'
import { judgeRun, type Judged } from '../../judges/judge-run.ts'
import { erroredJudge, type JudgePart } from '../../judges/judgement.ts'
import { judgeProviders, recordedProvider } from '../../judges/providers/registry.ts'
import { hashJudge, recordJudge } from '../../judges/recorded.ts'
import { knownKindsIn } from '../../judges/statements/known-kinds.ts'
import type { CredentialKind, UpstreamSource } from '../../gateway/leases/lease.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { JudgeQuestion } from '../../judges/prompt.ts'
import type { JudgePlace, JudgeProvider, JudgeProviderKind } from '../../judges/providers/provider.ts'
import type { JudgeSource } from '../../judges/judge-lease.ts'
import type { JudgeHash, RecordedJudge } from '../../recordings/recording.ts'
import type { RunSettings } from '../../settings.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** A run to judge, and where its case stands. */
export interface JudgeCase {
  readonly label: string
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  /** `[provider:]model`; `null`: the agent's own model. */
  readonly judge: string | null
  readonly votes: number
  readonly source: JudgeSupply
  readonly settings: RunSettings
  readonly signal: AbortSignal
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

/** Judges a run. What goes wrong is the judge's result too: what the checks found stays true. */
export async function judgeCase(request: JudgeCase): Promise<CaseJudgement> {
  try {
    return await judge(request)
  } catch (error) {
    const empty = { exchanges: [], toRecord: null }
    if (request.signal.aborted) return { part: erroredJudge('cancelled', 'The judge was cancelled.'), ...empty }
    if (error instanceof AgentEvalsError) return { part: erroredJudge(error.code, error.message), ...empty }
    throw error
  }
}

async function judge({
  label,
  question,
  votes,
  source: supply,
  settings,
  signal,
  judge: asked,
}: JudgeCase): Promise<CaseJudgement> {
  const choice = chooseJudge(asked, question.run, liveCredential(supply))
  const hash = hashJudge(question, choice, votes)
  const source = pickSource(supply, hash)
  const provider = await findProvider(choice, settings, source)
  const { controlSocket, claims } = settings
  const knownKinds = knownKindsIn(dirname(settings.runFolder))
  const asking = { label, question, choice, provider, votes, source, controlSocket, signal, claims, knownKinds }
  const judged = await judgeRun(asking)
  return { part: judged.part, exchanges: judged.exchanges, toRecord: worthKeeping(judged, source, hash) }
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

// What the judge could not decide is worth another try.
function worthKeeping({ part, answers, kinds }: Judged, source: JudgeSource, hash: JudgeHash): RecordedJudge | null {
  if (source.kind === 'recorded' || part.result === 'errored') return null
  return recordJudge(hash, answers, part.model, kinds)
}

/** As {@link subscriptionCredential}, where the judge is live. */
export function liveCredential(supply: JudgeSupply): CredentialKind | null {
  const upstream = supply.kind === 'recording' ? supply.upstream : supply
  return upstream?.kind === 'live' ? subscriptionCredential(process.env) : null
}

/** Finds the way to a judge. What was recorded is answered over any wire. */
export async function findProvider(
  choice: ChosenJudge,
  settings: JudgePlace,
  source: JudgeSource,
): Promise<JudgeProvider> {
  return source.kind === 'recorded' ? recordedProvider : kindOf(choice).open(settings)
}

/** The kind of a judge that was chosen from this list. */
export function kindOf({ provider }: Pick<ChosenJudge, 'provider'>): JudgeProviderKind {
  const kind = judgeProviders[provider]
  if (kind !== undefined) return kind
  throw new AgentEvalsError('invalid-options', `There is no judge provider "${provider}".`)
}
