import { askForVote, type JudgeExchange, type ReachedJudge, type Vote } from './ask.ts'
import { criteriaForm } from './criteria-form.ts'
import { decideVerdict } from './decide-verdict.ts'
import { describeNoAnswers, describeProblem } from './describe-problem.ts'
import { createQuoteFinder } from './quotes/find-quote.ts'
import { findInjections, foreignTexts } from './evidence/injection.ts'
import { erroredJudge, type JudgePart } from './judgement.ts'
import { identify, withJudgeLease, type JudgeLeaseRequest } from './judge-lease.ts'
import { findMisfit, judgeScenario } from './scenario-answers.ts'
import { placeOf, scoreVerdicts, type Evidence } from './score.ts'
import { selectEvidence } from './evidence/select-evidence.ts'
import { isSettled, takeMajority, type Ballot } from './majority.ts'
import { describeLeftOut } from './evidence/write-evidence.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { JudgeAnswer } from './schema.ts'

/** A run to judge. */
export interface JudgeRequest extends JudgeLeaseRequest {
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  /** How many votes at most; asking stops once a majority is certain. */
  readonly votes: number
}

/** The judge's answer, and every request and answer that led to it. */
export interface Judged {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  /** The answers that gave votes. */
  readonly answers: readonly JudgeAnswer[]
}

/** Asks the judge about a run through the gateway, looks its evidence up and decides. */
export async function judgeRun(request: JudgeRequest): Promise<Judged> {
  const { question, source } = request
  if (source.kind === 'scenario' && source.scenario.judge.length === 0) {
    const message = describeNoAnswers(source.scenario.file, question.statements)
    return notAsked(request, erroredJudge('scenario-exhausted', message))
  }
  const misfit = source.kind === 'scenario' ? findMisfit(source.scenario, 'scores') : null
  if (misfit !== null) return notAsked(request, erroredJudge('invalid-scenario', misfit))
  return withJudgeLease(request, judgeScenario, (judge) => assess(request, judge))
}

function notAsked(request: JudgeRequest, part: JudgePart): Judged {
  return { part: { ...part, ...identify(request, request.question.run, null) }, exchanges: [], answers: [] }
}

async function assess(request: JudgeRequest, judge: ReachedJudge): Promise<Judged> {
  const { question, choice, source } = request
  const shown = selectEvidence(question)
  const evidence = { statements: question.statements, shown, find: createQuoteFinder(shown) }
  const polled = await poll(judge, request, evidence)

  const meter = await judge.lease.meter()
  const statements = takeMajority(question.statements, polled.ballots, request.votes)
  const decided = decideVerdict(statements)
  const scenario = source.kind === 'scenario' ? source.scenario : null
  const asked = { model: choice.model, scenario, malformed: polled.malformed }
  const problem = describeProblem(meter, polled.problem, asked)
  const error = decided.result === 'errored' ? (problem ?? { code: 'judge-failed', message: decided.reason }) : null
  const part: JudgePart = {
    ...decided,
    reason: error?.message ?? decided.reason,
    error,
    ...identify(request, question.run, meter.model),
    statements,
    votes: polled.ballots.length,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    notices: [
      ...describeLeftOut(shown),
      ...findInjections(foreignTexts(shown)),
      ...polled.answers.flatMap(({ orders }) => describeOrders(orders, placeOf(orders, shown))),
    ],
  }
  return { part, exchanges: polled.exchanges, answers: polled.answers }
}

interface Polled {
  readonly ballots: readonly Ballot[]
  readonly answers: readonly JudgeAnswer[]
  readonly exchanges: readonly JudgeExchange[]
  /** Why the first vote that was not given was not given. */
  readonly problem: string | null
  /** What is wrong with each answer that was asked for again. */
  readonly malformed: readonly string[]
}

async function poll(judge: ReachedJudge, { question, votes }: JudgeRequest, evidence: Evidence): Promise<Polled> {
  const exchanges: JudgeExchange[] = []
  const ballots: Ballot[] = []
  const answers: JudgeAnswer[] = []
  const malformed: string[] = []
  let problem: string | null = null
  while (ballots.length < votes && !isSettled(ballots, question.statements.length, votes)) {
    const vote = await askForVote(judge, criteriaForm(question, evidence.shown), (exchange) => exchanges.push(exchange))
    ballots.push(ballotOf(vote, evidence))
    if (vote.malformed !== undefined) malformed.push(vote.malformed)
    if (vote.kind === 'answer') answers.push(vote.answer)
    else problem ??= vote.problem
    if (vote.kind === 'none' && vote.final) break
  }
  return { ballots, answers, exchanges, problem, malformed }
}

// A vote that was not given counts for nothing, neither for nor against.
function ballotOf(vote: Vote<JudgeAnswer>, evidence: Evidence): Ballot {
  if (vote.kind === 'answer') return scoreVerdicts(vote.answer.verdicts, evidence)
  return evidence.statements.map(() => ({ verdict: 'unscored', reason: vote.problem, quote: '', quoteFoundIn: null }))
}

/** Says where the judge found orders to itself. */
export function describeOrders(orders: string, place: string | null): readonly string[] {
  return place === null
    ? []
    : [`The judge found instructions to itself in the ${place}: ${JSON.stringify(orders.slice(0, 200))}`]
}
