import { acquireLease } from '../gateway/control/client.ts'
import { isSelfJudged, type ChosenJudge } from './choose.ts'
import { replayJudge } from './recorded.ts'
import type { UpstreamSource } from '../gateway/leases/lease.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import { scenarioOf } from './scenario-answers.ts'
import type { JudgeAnswer, JudgeMethod } from './method.ts'
import type { ReachedJudge } from './ask.ts'
import { SCENARIO, type JudgePart } from './judgement.ts'
import type { JudgeProvider } from './providers/provider.ts'

/** Where the judge's answers come from. */
export type JudgeSource =
  | UpstreamSource
  /** `file` is the recording. */
  | { readonly kind: 'recorded'; readonly judge: RecordedJudge; readonly file: string }

/** A judge that is to be asked. */
export interface JudgeLeaseRequest<Answer extends JudgeAnswer = JudgeAnswer> {
  readonly method: JudgeMethod<Answer>
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly choice: ChosenJudge
  readonly provider: JudgeProvider
  readonly source: JudgeSource
  readonly controlSocket: string
  readonly signal: AbortSignal
  /** Answers of the scenario that judges before this one have used up. Default: 0 */
  readonly usedUp?: number
}

/** Holds a place at the gateway while a judge is asked. */
export async function withJudgeLease<Answer extends JudgeAnswer, T>(
  request: JudgeLeaseRequest<Answer>,
  use: (judge: ReachedJudge) => Promise<T>,
): Promise<T> {
  const { label, choice, provider, source, controlSocket, signal } = request
  const asked = {
    caseId: `${label} (judge)`,
    engine: `the judge ${choice.model}`,
    wire: provider.wire,
    source: sourceOf(request),
    port: provider.needsPort === true,
    models: { own: choice.model, named: ['haiku'] },
  }
  const lease = await acquireLease(controlSocket, asked, signal)
  try {
    const either = AbortSignal.any([signal, lease.signal])
    // Only an upstream knows which models there are.
    const model = source.kind === 'live' ? await provider.resolveModel(choice.model, lease, either) : choice.model
    return await use({ provider, model, asks: choice.model, lease, signal: either })
  } finally {
    await lease.release()
  }
}

function sourceOf<Answer extends JudgeAnswer>(request: JudgeLeaseRequest<Answer>): UpstreamSource {
  const { source } = request
  if (source.kind === 'live') return source
  if (source.kind === 'recorded') return { kind: 'scenario', scenario: replayJudge(source.judge, source.file) }
  return { kind: 'scenario', scenario: scenarioOf(source.scenario, request) }
}

/** Says who judged. */
export function identify<Answer extends JudgeAnswer>(
  { choice, source, method }: Pick<JudgeLeaseRequest<Answer>, 'choice' | 'method' | 'source'>,
  answered: string | null,
): Pick<JudgePart, 'model' | 'provider' | 'selfJudged'> {
  const isScenario = source.kind === 'scenario' || answered === SCENARIO
  const selfJudged = isSelfJudged(choice, method.run, answered, isScenario)
  return { model: answered ?? choice.model, provider: choice.provider, selfJudged }
}
