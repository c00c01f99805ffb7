import { askForVote, pollVotes, type JudgeExchange, type Polled, type ReachedJudge, type Vote } from './ask.ts'
import { criteriaForm } from './criteria-form.ts'
import { decideVerdict } from './decide-verdict.ts'
import { describeNoAnswers, describeProblem } from './describe-problem.ts'
import { createQuoteFinder } from './quotes/find-quote.ts'
import { findInjections, foreignTexts } from './evidence/injection.ts'
import { erroredJudge, type JudgedStatement, type JudgePart } from './judgement.ts'
import { identify, withJudgeLease, type JudgeLeaseRequest } from './judge-lease.ts'
import { findMisfit, judgeScenario } from './scenario-answers.ts'
import { placeOf, scoreVerdicts, type Claims, type Evidence, type ScoredVerdict } from './score.ts'
import { selectEvidence, wholeEvidence } from './evidence/select-evidence.ts'
import { isSettled, takeMajority, type Ballot } from './majority.ts'
import { describeLeftOut } from './evidence/write-evidence.ts'
import { REFUSALS, type RefusalCause, type Refusals } from './refusal.ts'
import { UNKNOWN_KIND, type StatementKind, type TaskStatements } from './statements/kinds.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { AnsweredVerdict, JudgeAnswer } from './schema.ts'
import type { KnownKinds } from './statements/known-kinds.ts'

/** A run to judge. */
export interface JudgeRequest extends JudgeLeaseRequest {
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  /** How many votes at most; asking stops once a majority is certain. */
  readonly votes: number
  /** Default: mark. */
  readonly claims?: Claims
  /** What is known of statements; without it nobody is asked. */
  readonly knownKinds?: KnownKinds
}

/** The judge's answer, and every request and answer that led to it. */
export interface Judged {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  /** The answers that gave votes, with the verdicts of the second question in place of refused ones. */
  readonly answers: readonly JudgeAnswer[]
  /** One for each statement. */
  readonly kinds: readonly StatementKind[]
}

/** Asks the judge about a run through the gateway, looks its evidence up and decides. */
export async function judgeRun(request: JudgeRequest): Promise<Judged> {
  const { question, source, choice, knownKinds } = request
  if (source.kind === 'scenario' && source.scenario.judge.length === 0) {
    const message = describeNoAnswers(source.scenario.file, question.statements)
    return notAsked(request, erroredJudge('scenario-exhausted', message))
  }
  const misfit = source.kind === 'scenario' ? findMisfit(source.scenario, 'scores') : null
  if (misfit !== null) return notAsked(request, erroredJudge('invalid-scenario', misfit))
  if (source.kind === 'live') knownKinds?.announce(choice.model, taskOf(question))
  return withJudgeLease(request, judgeScenario, (judge) => assess(request, judge))
}

function taskOf({ prompt, statements }: JudgeQuestion): TaskStatements {
  return { task: prompt, statements }
}

function notAsked(request: JudgeRequest, part: JudgePart): Judged {
  return { part: { ...part, ...identify(request, request.question.run, null) }, exchanges: [], answers: [], kinds: [] }
}

async function assess(request: JudgeRequest, judge: ReachedJudge): Promise<Judged> {
  const { question, choice, source, votes } = request
  const exchanges: JudgeExchange[] = []
  const keep = (exchange: JudgeExchange): void => void exchanges.push(exchange)
  const evidence = prepareEvidence(request, await kindsOf(request, judge, keep))
  const { statements } = question
  const asked = { kinds: evidence.kinds, numbers: statements.map((_, index) => index + 1), flaws: [] }
  const form = criteriaForm(question, asked, evidence.shown)
  const ballotsOf = (given: readonly Vote<JudgeAnswer>[]): readonly Ballot[] =>
    given.map((vote) => ballotOf(vote, evidence))
  const isEnough = (given: readonly Vote<JudgeAnswer>[]): boolean =>
    given.length >= votes || isSettled(ballotsOf(given), statements.length, votes)
  const polled = await pollVotes(judge, form, isEnough, keep)
  const first = ballotsOf(polled.votes)
  const second = source.kind === 'live' ? await askAgain(request, judge, evidence, first, keep) : null
  const ballots = second === null ? first : first.map((ballot) => mendBallot(ballot, second.scored))

  const meter = await judge.lease.meter()
  const judged = takeMajority(statements, ballots, votes)
  const decided = decideVerdict(judged)
  const scenario = source.kind === 'scenario' ? source.scenario : null
  const problem = describeProblem(meter, polled.problem, { model: choice.model, scenario, malformed: polled.malformed })
  const error = decided.result === 'errored' ? (problem ?? { code: 'judge-failed', message: decided.reason }) : null
  const answers = second === null ? polled.answers : mendAnswers(polled, first, second)
  const part: JudgePart = {
    ...decided,
    reason: error?.message ?? decided.reason,
    error,
    ...identify(request, question.run, meter.model),
    statements: judged,
    votes: first.length,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    refusals: countRefusals(first, ballots),
    notices: [
      ...describeLeftOut(evidence.shown),
      ...findInjections(foreignTexts(evidence.shown)),
      ...[...polled.answers, ...(second === null ? [] : [second.answer])].flatMap(({ orders }) =>
        describeOrders(orders, placeOf(orders, evidence.shown)),
      ),
      ...(evidence.claims === 'mark' ? describeClaims(judged) : []),
    ],
  }
  return { part, exchanges, answers, kinds: evidence.kinds }
}

/** Says what each statement is about: as it was recorded, else as the judge says before it sees the run. */
async function kindsOf(
  { question, source, knownKinds }: JudgeRequest,
  judge: ReachedJudge,
  keep: (exchange: JudgeExchange) => void,
): Promise<readonly StatementKind[]> {
  const nobody = question.statements.map(() => UNKNOWN_KIND)
  if (source.kind === 'recorded') return source.judge.kinds ?? nobody
  if (source.kind === 'scenario' || knownKinds === undefined) return nobody
  return knownKinds.learn(judge, taskOf(question), keep)
}

function prepareEvidence(
  { question, source, claims = 'mark' }: JudgeRequest,
  kinds: readonly StatementKind[],
): Evidence {
  const { run, statements } = question
  const shown = selectEvidence(question)
  const isStored = source.kind === 'recorded'
  return {
    statements,
    kinds,
    shown,
    // What a second question had shown is in no first one.
    find: createQuoteFinder(isStored ? wholeEvidence(shown) : shown),
    // Where nobody was asked what statements are about, a person wrote the verdicts.
    claims: isWritten(source) ? 'accept' : claims,
    hasFiles: run.files.created.length + run.files.modified.length > 0,
    isStored,
  }
}

function isWritten(source: JudgeRequest['source']): boolean {
  return source.kind === 'scenario' || (source.kind === 'recorded' && source.judge.kinds === undefined)
}

// A vote that was not given counts for nothing, neither for nor against.
function ballotOf(vote: Vote<JudgeAnswer>, evidence: Evidence): Ballot {
  if (vote.kind === 'answer') return scoreVerdicts(vote.answer.verdicts, evidence)
  return evidence.statements.map((_, index) => ({
    verdict: 'unscored',
    reason: vote.problem,
    quote: '',
    quoteFoundIn: null,
    evidence: [],
    rests: null,
    kind: evidence.kinds[index] ?? UNKNOWN_KIND,
  }))
}

/** An answer to the second question, by number of its statement. */
interface SecondAnswer {
  readonly answer: JudgeAnswer
  readonly scored: ReadonlyMap<number, ScoredVerdict>
}

/**
 * Asks once more about the verdicts that cannot be used where they would have been needed, with the reason for each and
 * more of the evidence. The same rules apply to the answer.
 */
async function askAgain(
  { question, votes }: JudgeRequest,
  judge: ReachedJudge,
  evidence: Evidence,
  ballots: readonly Ballot[],
  keep: (exchange: JudgeExchange) => void,
): Promise<SecondAnswer | null> {
  const judged = takeMajority(question.statements, ballots, votes)
  const open = judged.flatMap(({ verdict }, index) => {
    const refused = ballots.flatMap((ballot) => ballot[index]?.refused ?? [])[0]
    return verdict === 'unscored' && refused !== undefined ? [{ number: index + 1, refused }] : []
  })
  if (open.length === 0) return null
  const numbers = open.map(({ number }) => number)
  const statements = numbers.map((number) => question.statements[number - 1] ?? '')
  const shown = selectEvidence({ ...question, statements }, SECOND_SHARE)
  const asked = { kinds: evidence.kinds, numbers, flaws: open.map(({ refused }) => REFUSALS[refused]) }
  const vote = await askForVote(judge, criteriaForm(question, asked, shown), keep)
  if (vote.kind === 'none') return null
  const scored = scoreVerdicts(vote.answer.verdicts, { ...evidence, shown, find: createQuoteFinder(shown) })
  return { answer: vote.answer, scored: new Map(numbers.map((number, index) => [number, scored[index]!])) }
}

/** Of the usual amount of evidence: there are few statements left, and something was missing. */
const SECOND_SHARE = 2

function mendBallot(ballot: Ballot, second: SecondAnswer['scored']): Ballot {
  return ballot.map((scored, index) => {
    const again = second.get(index + 1)
    return scored.refused === undefined || again === undefined ? scored : again
  })
}

// A replay asks once: what is stored is what counted.
function mendAnswers(
  { answers, votes }: Polled<JudgeAnswer>,
  ballots: readonly Ballot[],
  { answer }: SecondAnswer,
): readonly JudgeAnswer[] {
  const given = ballots.filter((_, index) => votes[index]?.kind === 'answer')
  return answers.map(({ verdicts, orders }, vote) => ({
    orders,
    verdicts: verdicts.map((verdict): AnsweredVerdict => {
      const isRefused = given[vote]?.[verdict.statement - 1]?.refused !== undefined
      return (isRefused ? answer.verdicts.find(({ statement }) => statement === verdict.statement) : null) ?? verdict
    }),
  }))
}

function countRefusals(first: readonly Ballot[], last: readonly Ballot[]): Refusals {
  const causes: Partial<Record<RefusalCause, number>> = {}
  let mended = 0
  for (const [vote, ballot] of first.entries())
    for (const [index, { refused }] of ballot.entries()) {
      // A judge that says that it cannot tell has given no verdict that could be refused.
      if (refused === undefined || refused === 'omitted') continue
      causes[refused] = (causes[refused] ?? 0) + 1
      if (last[vote]?.[index]?.refused === undefined) mended += 1
    }
  return { verdicts: first.flat().length, causes, mended }
}

function describeClaims(statements: readonly JudgedStatement[]): readonly string[] {
  const count = statements.filter(({ rests }) => rests === 'claim').length
  if (count === 0) return []
  const [what, it] = count === 1 ? ['1 verdict rests', 'it'] : [`${count} verdicts rest`, 'them']
  return [
    `${what} only on the agent's own words. --claims error makes ${it} an error, --claims accept hides this notice.`,
  ]
}

/** Says where the judge found orders to itself. */
export function describeOrders(orders: string, place: string | null): readonly string[] {
  return place === null
    ? []
    : [`The judge found instructions to itself in the ${place}: ${JSON.stringify(orders.slice(0, 200))}`]
}
