import { acquireLease } from '../gateway/control/client.ts'
import type { UpstreamSource } from '../gateway/leases/lease.ts'
import { NONCE_PLACEHOLDER, type Scenario, type ScenarioTurn } from '../gateway/sources/scenario-file.ts'
import { isJsonObject } from '../lib/json.ts'
import { sha256OfJson } from '../lib/sha256.ts'
import type { JudgeHash, RecordedJudge } from '../recordings/recording.ts'
import type { ReachedJudge } from './ask.ts'
import { isSelfJudged, type ChosenJudge } from './choose.ts'
import { SCENARIO, type JudgePart } from './judgement.ts'
import type { JudgeAnswer, JudgeMethod } from './method.ts'
import type { JudgeProvider } from './providers/provider.ts'
import type { StatementKind } from './statement-kinds.ts'

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
  /** Whether a model that is down is not asked again in this run. @default false */
  readonly givesUp?: boolean
}

/** Holds a place at the gateway while a judge is asked. */
export async function withJudgeLease<Answer extends JudgeAnswer, T>(
  request: JudgeLeaseRequest<Answer>,
  use: (judge: ReachedJudge) => Promise<T>,
): Promise<T> {
  const { label, choice, provider, source, controlSocket, signal, givesUp } = request
  const leaseRequest = {
    caseId: `${label} (judge)`,
    wire: provider.wire,
    source: sourceOf(request),
    port: provider.needsPort === true,
    ...(givesUp === true ? { givesUp } : {}),
  }
  const lease = await acquireLease(controlSocket, leaseRequest, signal)
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

/** What stored answers of a judge depend on besides the run: what is asked, how, and the model. */
export function hashJudge<Answer extends JudgeAnswer>(
  { hash: { criteria, prompt } }: Pick<JudgeMethod<Answer>, 'hash'>,
  { model }: ChosenJudge,
): JudgeHash {
  return { criteria: sha256OfJson(criteria), prompt: sha256OfJson(prompt), model }
}

/** What a recording keeps of a judge's answers. */
interface JudgedAnswers<Answer> {
  readonly part: Pick<JudgePart, 'model'>
  readonly answers: readonly Answer[]
  readonly kinds: readonly StatementKind[]
}

/** Makes the judge's part of a recording. */
export function recordJudge<Answer extends JudgeAnswer>(
  method: Pick<JudgeMethod<Answer>, 'toJson'>,
  hash: JudgeHash,
  { answers, part: { model }, kinds }: JudgedAnswers<Answer>,
): RecordedJudge {
  const said = kinds.some(({ by }) => by !== 'nobody') ? { kinds } : {}
  return { hash, ...said, answers: answers.map((answer) => ({ model, ...method.toJson(answer) })) }
}

/** Lets stored answers be given again, over the wire like all others. `file` is the recording. */
export function replayJudge({ answers }: RecordedJudge, file: string): Scenario {
  const [first] = answers
  const model = isJsonObject(first) && typeof first['model'] === 'string' ? first['model'] : null
  return { file, model, turns: answers.map(writeTurn), side: [], judge: [] }
}

function writeTurn(answer: RecordedJudge['answers'][number]): ScenarioTurn {
  const { model: _, ...verdict } = isJsonObject(answer) ? answer : {}
  return { line: 1, text: JSON.stringify({ nonce: NONCE_PLACEHOLDER, ...verdict }), tools: [], error: null }
}

/**
 * Turns the judge's part of a scenario into a scenario of its own, whose answers have the shape that the judge is
 * forced to. Its model is the agent's only where the agent judges itself.
 */
function scenarioOf<Answer extends JudgeAnswer>(
  scenario: Scenario,
  { method, choice, provider, usedUp = 0 }: JudgeLeaseRequest<Answer>,
): Scenario {
  const turns = scenario.judge.slice(usedUp).map((judgement): ScenarioTurn => {
    const { line, text, error, stop } = judgement
    const answer = method.scenario.write(judgement)
    // As this judge's model gives it: as the call of a tool, else as a text.
    if (answer !== null && provider.answerTool !== undefined)
      return { line, text: null, tools: [{ name: provider.answerTool, input: answer, turns: null }], error }
    const written = answer === null ? text : JSON.stringify(answer)
    return { line, text: written, tools: [], error, ...(stop === null ? {} : { stop }) }
  })
  return { ...scenario, model: choice.isDefault ? scenario.model : null, turns, side: [], judge: [] }
}

/** Says which answer of a scenario has scores where the judge is asked for verdicts, or the reverse; `null` when none has. */
export function findMisfit(
  { file, judge }: Pick<Scenario, 'file' | 'judge'>,
  field: keyof typeof MISFITS,
): string | null {
  const wrong = judge.find((judgement) => judgement[field] !== null)
  return wrong === undefined ? null : `${file}:${wrong.line}: ${MISFITS[field]}`
}

/** What is wrong with scores where no rubric is, and with verdicts where one is. */
const MISFITS = {
  scores:
    'the answer for the judge has scores, but this case has no rubric. Write a list with one verdict for each statement.',
  verdicts:
    'the answer for the judge has verdicts, but a rubric needs scores. Write `scores` with a score for each dimension.',
} as const
