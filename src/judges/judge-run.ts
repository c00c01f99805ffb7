import { askForVote, type JudgeExchange, type ReachedJudge, type Vote } from './ask.ts'
import { collectEvidence } from './collect-evidence.ts'
import { criteriaForm } from './criteria-form.ts'
import { decideVerdict } from './decide.ts'
import { describeNoAnswers, describeProblem } from './describe-problem.ts'
import { createQuoteFinder, type QuoteFinder } from './evidence.ts'
import { findInjections } from './injection.ts'
import { erroredJudge, type JudgePart } from './judgement.ts'
import { identify, withJudge, type JudgeToReach } from './reach.ts'
import { judgeScenario } from './scenario-answers.ts'
import { scoreVerdicts } from './score.ts'
import { isSettled, tally, type Ballot } from './tally.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { JudgeAnswer } from './schema.ts'

/** A run to judge. */
export interface JudgeRequest extends JudgeToReach {
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  /** How many votes at most; asking stops once a majority is certain. */
  readonly votes: number
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
  const { question, source } = request
  if (source.kind === 'scenario' && source.scenario.judge.length === 0) {
    const message = describeNoAnswers(source.scenario.file, question.statements)
    const part = { ...erroredJudge('scenario-exhausted', message), ...identify(request, question.run, null) }
    return { part, exchanges: [], answers: [] }
  }
  return withJudge(request, judgeScenario, (judge) => assess(request, judge))
}

async function assess(request: JudgeRequest, judge: ReachedJudge): Promise<Judged> {
  const { question, choice, source } = request
  const evidence = collectEvidence(question)
  const find = createQuoteFinder(evidence)
  const polled = await poll(judge, request, find)

  const meter = await judge.lease.meter()
  const statements = tally(question.statements, polled.ballots, request.votes)
  const decided = decideVerdict(statements)
  const scenarioFile = source.kind === 'scenario' ? source.scenario.file : null
  const problem = describeProblem(meter, polled.problem, { model: choice.model, scenarioFile })
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

/** Says where the judge found orders to itself. */
export function describeOrders(orders: string, find: QuoteFinder): readonly string[] {
  const place = orders.trim() === '' ? null : find(orders)
  return place === null
    ? []
    : [`The judge found orders to itself in the ${place}: ${JSON.stringify(orders.slice(0, 200))}`]
}
