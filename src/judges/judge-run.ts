import { acquireLease, type AcquiredLease } from '../gateway/client.ts'
import { askForVote, type JudgeExchange, type ReachedJudge, type Vote } from './ask.ts'
import { isSelfJudged, type ChosenJudge } from './choose.ts'
import { collectEvidence } from './collect-evidence.ts'
import { criteriaForm } from './criteria-form.ts'
import { decideVerdict } from './decide.ts'
import { describeNoAnswers, describeProblem } from './describe-problem.ts'
import { createQuoteFinder, type QuoteFinder } from './evidence.ts'
import { findInjections } from './injection.ts'
import { erroredJudge, type JudgePart } from './judgement.ts'
import { replayJudge } from './recorded.ts'
import { judgeScenario } from './scenario-answers.ts'
import { scoreVerdicts } from './score.ts'
import { isSettled, tally, type Ballot } from './tally.ts'
import type { UpstreamSource } from '../gateway/lease.ts'
import type { RecordedJudge } from '../recordings/recording.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { JudgeProvider } from './providers/provider.ts'
import type { JudgeAnswer } from './schema.ts'

/** Where the judge's answers come from. */
export type JudgeSource =
  | UpstreamSource
  /** `file` is the recording. */
  | { readonly kind: 'recorded'; readonly judge: RecordedJudge; readonly file: string }

/** A run to judge. */
export interface JudgeRequest {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  readonly choice: ChosenJudge
  readonly provider: JudgeProvider
  /** How many votes at most; asking stops once a majority is certain. */
  readonly votes: number
  readonly source: JudgeSource
  readonly controlSocket: string
  readonly signal: AbortSignal
}

/** What the judge said, and every request and answer that led to it. */
export interface Judged {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  /** The answers that gave votes. */
  readonly answers: readonly JudgeAnswer[]
}

/** Asks the judge about a run through the gateway, looks its evidence up and decides. */
export async function judgeRun(request: JudgeRequest): Promise<Judged> {
  const { question, choice, source, label } = request
  if (source.kind === 'scenario' && source.scenario.judge.length === 0) {
    const message = describeNoAnswers(source.scenario.file, question.statements)
    const part = { ...erroredJudge('scenario-exhausted', message), ...identify(request, null) }
    return { part, exchanges: [], answers: [] }
  }
  const lease = await acquireLease(
    request.controlSocket,
    {
      caseId: `${label} (judge)`,
      engine: `the judge ${choice.model}`,
      wire: request.provider.wire,
      source: sourceOf(source, choice),
    },
    request.signal,
  )
  try {
    return await assess(request, lease)
  } finally {
    await lease.release()
  }
}

function sourceOf(source: JudgeSource, choice: ChosenJudge): UpstreamSource {
  if (source.kind === 'live') return source
  if (source.kind === 'recorded') return { kind: 'scenario', scenario: replayJudge(source.judge, source.file) }
  return { kind: 'scenario', scenario: judgeScenario(source.scenario, choice) }
}

async function assess(request: JudgeRequest, lease: AcquiredLease): Promise<Judged> {
  const { question, provider, choice, source } = request
  const signal = AbortSignal.any([request.signal, lease.signal])
  // Only an upstream knows which models there are.
  const model = source.kind === 'live' ? await provider.resolveModel(choice.model, lease, signal) : choice.model
  const evidence = collectEvidence(question)
  const find = createQuoteFinder(evidence)
  const polled = await poll({ provider, model, lease, signal }, request, find)

  const meter = await lease.meter()
  const statements = tally(question.statements, polled.ballots, request.votes)
  const decided = decideVerdict(statements)
  const scenarioFile = source.kind === 'scenario' ? source.scenario.file : null
  const problem = describeProblem(meter, polled.problem, { model: choice.model, scenarioFile })
  const error = decided.result === 'errored' ? (problem ?? { code: 'judge-failed', message: decided.reason }) : null
  const part: JudgePart = {
    ...decided,
    reason: error?.message ?? decided.reason,
    error,
    ...identify(request, meter.model),
    statements,
    votes: polled.ballots.length,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    notices: [...findInjections(evidence), ...polled.answers.flatMap(({ orders }) => describeOrders(orders, find))],
  }
  return { part, exchanges: polled.exchanges, answers: polled.answers }
}

interface Polled {
  readonly ballots: readonly Ballot[]
  readonly answers: readonly JudgeAnswer[]
  readonly exchanges: readonly JudgeExchange[]
  /** Why the first vote that was not given was not given. */
  readonly problem: string | null
}

async function poll(judge: ReachedJudge, { question, votes }: JudgeRequest, find: QuoteFinder): Promise<Polled> {
  const exchanges: JudgeExchange[] = []
  const ballots: Ballot[] = []
  const answers: JudgeAnswer[] = []
  let problem: string | null = null
  while (ballots.length < votes && !isSettled(ballots, question.statements.length, votes)) {
    const vote = await askForVote(judge, criteriaForm(question), (exchange) => exchanges.push(exchange))
    ballots.push(ballotOf(vote, question.statements, find))
    if (vote.kind === 'answer') answers.push(vote.answer)
    else problem ??= vote.problem
    if (vote.kind === 'none' && vote.final) break
  }
  return { ballots, answers, exchanges, problem }
}

// A vote that was not given counts for nothing, neither for nor against.
function ballotOf(vote: Vote<JudgeAnswer>, statements: readonly string[], find: QuoteFinder): Ballot {
  if (vote.kind === 'answer') return scoreVerdicts(vote.answer.verdicts, find)
  return statements.map(() => ({ verdict: 'unscored', reason: vote.problem, quote: '', quoteFoundIn: null }))
}

function describeOrders(orders: string, find: QuoteFinder): readonly string[] {
  const place = orders.trim() === '' ? null : find(orders)
  return place === null
    ? []
    : [`The judge found orders to itself in the ${place}: ${JSON.stringify(orders.slice(0, 200))}`]
}

function identify(
  { choice, question, source }: JudgeRequest,
  answered: string | null,
): Pick<JudgePart, 'model' | 'provider' | 'selfJudged'> {
  const isScenario = source.kind === 'scenario' || answered === SCENARIO
  const selfJudged = isSelfJudged(choice, question.run, answered, isScenario)
  return { model: answered ?? choice.model, provider: choice.provider, selfJudged }
}

// The id under which a scenario answers that names no other, also in a recording of it.
const SCENARIO = 'scenario'
