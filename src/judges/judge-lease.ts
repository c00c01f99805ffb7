import { acquireLease } from '../gateway/control/client.ts'
import { isSelfJudged, type ChosenJudge } from './choose.ts'
import { replayJudge } from './recorded.ts'
import type { UpstreamSource } from '../gateway/leases/lease.ts'
import type { Scenario } from '../gateway/sources/scenario-file.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { ReachedJudge } from './ask.ts'
import { SCENARIO, type JudgePart } from './judgement.ts'
import type { JudgeProvider } from './providers/provider.ts'

/** Where the judge's answers come from. */
export type JudgeSource =
  | UpstreamSource
  /** `file` is the recording. */
  | { readonly kind: 'recorded'; readonly judge: RecordedJudge; readonly file: string }

/** A judge that is to be asked. */
export interface JudgeLeaseRequest {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly choice: ChosenJudge
  readonly provider: JudgeProvider
  readonly source: JudgeSource
  readonly controlSocket: string
  readonly signal: AbortSignal
}

/** Holds a place at the gateway while a judge is asked. `speak` gives a scenario the words of this judge. */
export async function withJudgeLease<T>(
  { label, choice, provider, source, controlSocket, signal }: JudgeLeaseRequest,
  speak: (scenario: Scenario, choice: ChosenJudge, provider: JudgeProvider) => Scenario,
  use: (judge: ReachedJudge) => Promise<T>,
): Promise<T> {
  const answers = sourceOf(source, (scenario) => speak(scenario, choice, provider))
  const asked = {
    caseId: `${label} (judge)`,
    engine: `the judge ${choice.model}`,
    wire: provider.wire,
    source: answers,
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

function sourceOf(source: JudgeSource, speak: (scenario: Scenario) => Scenario): UpstreamSource {
  if (source.kind === 'live') return source
  if (source.kind === 'recorded') return { kind: 'scenario', scenario: replayJudge(source.judge, source.file) }
  return { kind: 'scenario', scenario: speak(source.scenario) }
}

/** Says who judged. */
export function identify(
  { choice, source }: Pick<JudgeLeaseRequest, 'choice' | 'source'>,
  run: Pick<AgentRun, 'model' | 'modelAsked'>,
  answered: string | null,
): Pick<JudgePart, 'model' | 'provider' | 'selfJudged'> {
  const isScenario = source.kind === 'scenario' || answered === SCENARIO
  const selfJudged = isSelfJudged(choice, run, answered, isScenario)
  return { model: answered ?? choice.model, provider: choice.provider, selfJudged }
}
