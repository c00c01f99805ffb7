import { askForVote, type JudgeExchange, type JudgeForm, type ReachedJudge, type Vote } from '../ask.ts'
import { describeProblem } from '../describe-problem.ts'
import { findInjections } from '../evidence/injection.ts'
import { erroredJudge, SCENARIO, type JudgePart } from '../judgement.ts'
import { describeOrders } from '../judge-run.ts'
import { normalise } from '../quotes/find-quote.ts'
import { identify, withJudgeLease, type JudgeLeaseRequest } from '../judge-lease.ts'
import { rubricForm, type RubricAnswer } from './rubric-form.ts'
import { rubricScenario } from './rubric-scenario.ts'
import { findMisfit } from '../scenario-answers.ts'
import { decideScores, scoreAnswer } from './rubric-score.ts'
import type { MeterReading } from '../../gateway/leases/lease.ts'
import type { RubricQuestion } from './rubric-question.ts'

/** A run to score by a rubric. */
export interface RubricRequest extends JudgeLeaseRequest {
  readonly question: RubricQuestion
  /** Answers of the scenario that judges before this one have used up. */
  readonly usedUp: number
}

/** What the judge gave, and every request and answer that led to it. */
export interface Scored {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  /** `null` when it gave none that can be used. */
  readonly answer: RubricAnswer | null
  /** Whether the model could not be reached at all, so that another may be asked. */
  readonly unavailable: boolean
}

/** Asks a judge for the scores of a run and decides. */
export async function judgeByRubric(request: RubricRequest): Promise<Scored> {
  const { source, question, usedUp } = request
  if (source.kind === 'scenario' && source.scenario.judge.length <= usedUp) {
    const message = describeNoScores(source.scenario.file, question)
    return notAsked(request, erroredJudge('scenario-exhausted', message))
  }
  const misfit = source.kind === 'scenario' ? findMisfit(source.scenario, 'verdicts') : null
  if (misfit !== null) return notAsked(request, erroredJudge('invalid-scenario', misfit))
  const speak = rubricScenario(question, usedUp)
  return withJudgeLease(request, speak, (judge) => score(request, judge))
}

function notAsked(request: RubricRequest, part: JudgePart): Scored {
  return { part: { ...part, ...identifyScorer(request, null) }, exchanges: [], answer: null, unavailable: false }
}

async function score(request: RubricRequest, judge: ReachedJudge): Promise<Scored> {
  const { question } = request
  const exchanges: JudgeExchange[] = []
  const vote = await askForVote(judge, strictForm(question), (exchange) => exchanges.push(exchange))
  const meter = await judge.lease.meter()
  const evidence = [{ name: 'output', text: question.run.output }]
  const orders = vote.kind === 'answer' ? normalise(vote.answer.orders) : ''
  const isFound = orders !== '' && normalise(question.run.output).includes(orders)
  const unknown =
    vote.kind === 'answer' && vote.answer.unknownHardFails.length > 0
      ? [`The judge named a hard fail that does not count: ${describeUnknownCodes(vote.answer, question)}.`]
      : []
  const part: JudgePart = {
    ...weigh(request, vote, meter),
    ...identifyScorer(request, meter.model),
    statements: [],
    votes: 1,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    notices: [...findInjections(evidence), ...describeOrders(orders, isFound ? 'output' : null), ...unknown],
  }
  const failed = exchanges.at(-1)?.reply.kind === 'failed'
  // A scenario that has no second answer is to be corrected; another judge would find nothing either.
  const isWrong = request.source.kind === 'scenario' && vote.malformed !== undefined
  return { part, exchanges, answer: vote.kind === 'answer' ? vote.answer : null, unavailable: failed && !isWrong }
}

// Scores that a person wrote are no decisions of the model that they name.
function identifyScorer(
  request: RubricRequest,
  answered: string | null,
): Pick<JudgePart, 'model' | 'provider' | 'selfJudged'> {
  const named = identify(request, request.question.run, answered)
  return request.source.kind === 'scenario' ? { ...named, model: SCENARIO } : named
}

// An unknown code in an answer that fails anyway changes nothing. In one that would pass, nothing says what it means.
function strictForm(question: RubricQuestion): JudgeForm<RubricAnswer> {
  const form = rubricForm(question)
  return {
    ...form,
    read(reply, nonce) {
      const read = form.read(reply, nonce)
      if ('malformed' in read || read.answer.unknownHardFails.length === 0) return read
      if (decideScores(scoreAnswer(read.answer, question)).result === 'failed') return read
      return { malformed: describeUnknownCodes(read.answer, question) }
    },
  }
}

/** Names the hard fails of an answer that the rubric does not have. */
export function describeUnknownCodes(
  { unknownHardFails }: Pick<RubricAnswer, 'unknownHardFails'>,
  { rubric }: Pick<RubricQuestion, 'rubric'>,
): string {
  const known = rubric.hardFails.map(({ code }) => code).join(', ')
  return `${unknownHardFails.join(', ')} is not in the rubric (${known})`
}

function weigh(
  { question, choice, source, usedUp }: RubricRequest,
  vote: Vote<RubricAnswer>,
  meter: MeterReading,
): Pick<JudgePart, 'error' | 'reason' | 'result' | 'rubric'> {
  if (vote.kind === 'none') {
    const scenario =
      source.kind === 'scenario' ? { ...source.scenario, judge: source.scenario.judge.slice(usedUp) } : null
    const malformed = vote.malformed === undefined ? [] : [vote.malformed]
    const error = describeProblem(meter, vote.problem, { model: choice.model, scenario, malformed })
    return { result: 'errored', reason: error?.message ?? vote.problem, error }
  }
  const rubric = scoreAnswer(vote.answer, question)
  const decided = decideScores(rubric)
  const error = decided.result === 'errored' ? ({ code: 'judge-failed', message: decided.reason } as const) : null
  return { ...decided, error, rubric }
}

function describeNoScores(file: string, { rubric }: RubricQuestion): string {
  const scores = rubric.dimensions.map(({ name }) => `${name}: 5`).join(', ')
  return `${file} has no answer left for the judge. Add one to \`judge\`, with a score for each dimension:\njudge:\n  - scores: { ${scores} }\n    justification: ...`
}
