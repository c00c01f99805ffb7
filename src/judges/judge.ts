import type { MeterReading } from '../gateway/leases/lease.ts'
import type { Scenario } from '../gateway/sources/scenario-file.ts'
import type { ErrorCode } from '../lib/errors.ts'
import { askForVote, pollVotes, type JudgeExchange, type Polled, type ReachedJudge, type Vote } from './ask.ts'
import { wholeEvidence } from './evidence/select-evidence.ts'
import { describeLeftOut } from './evidence/write-evidence.ts'
import { findMisfit, identify, withJudgeLease, type JudgeLeaseRequest } from './judge-lease.ts'
import { couldNotBeAsked, erroredJudge, type JudgePart, type JudgedStatement } from './judgement.ts'
import { DUE_TO_KIND, REFUSALS, type RefusalCause } from './refusal.ts'
import type { KnownKinds } from './known-kinds.ts'
import type { JudgeAnswer, JudgeMethod } from './method.ts'
import { createQuoteFinder } from './quotes/find-quote.ts'
import {
  isSettled,
  placeOf,
  scoreAsGiven,
  scoreVerdicts,
  takeMajority,
  type Ballot,
  type Claims,
  type Evidence,
  type ScoredVerdict,
} from './score.ts'
import { UNKNOWN_KIND, type StatementKind } from './statement-kinds.ts'

/** A run to judge. */
export interface JudgeRequest<Answer extends JudgeAnswer = JudgeAnswer> extends JudgeLeaseRequest<Answer> {
  /** Default: mark. */
  readonly claims?: Claims
  /** What is known of statements; without it nobody is asked. */
  readonly knownKinds?: KnownKinds
}

/** The judge's answer, and every request and answer that led to it. */
export interface Judged<Answer extends JudgeAnswer = JudgeAnswer> {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  /** The answers that gave votes, with the verdicts of the second question in place of refused ones. */
  readonly answers: readonly Answer[]
  /** The votes as they were given. */
  readonly votes: readonly Vote<Answer>[]
  /** One for each statement. */
  readonly kinds: readonly StatementKind[]
  /** Whether the model could not be reached at all, so that another may be asked. */
  readonly isUnreachable: boolean
}

/** Asks the judge about a run through the gateway, looks its evidence up and decides. */
export async function askJudge<Answer extends JudgeAnswer>(request: JudgeRequest<Answer>): Promise<Judged<Answer>> {
  const refused = findProblem(request)
  if (refused !== null) {
    const part = { ...refused, ...identify(request, null) }
    return { part, exchanges: [], answers: [], votes: [], kinds: [], isUnreachable: false }
  }
  return withJudgeLease(request, (judge) => assess(request, judge))
}

// What is wrong with a scenario before anybody is asked.
function findProblem<Answer extends JudgeAnswer>({ source, method, usedUp }: JudgeRequest<Answer>): JudgePart | null {
  if (source.kind !== 'scenario') return null
  const { file, judge } = source.scenario
  const { scenario } = method
  if (judge.length <= (usedUp ?? 0)) return erroredJudge('scenario-exhausted', scenario.describeMissing(file))
  const misfit = findMisfit(source.scenario, scenario.misfit)
  return misfit === null ? null : erroredJudge('invalid-scenario', misfit)
}

async function assess<Answer extends JudgeAnswer>(
  request: JudgeRequest<Answer>,
  judge: ReachedJudge,
): Promise<Judged<Answer>> {
  const { method, choice, source, usedUp } = request
  const { statements } = method
  const exchanges: JudgeExchange[] = []
  const keep = (exchange: JudgeExchange): void => void exchanges.push(exchange)
  const evidence = prepareEvidence(request, await kindsOf(request, judge, keep))
  const everyStatement = { kinds: evidence.kinds, numbers: statements.map((_, index) => index + 1), flaws: [] }
  const isScripted = source.kind === 'scenario'
  const ballotsOf = (votes: readonly Vote<Answer>[]): readonly Ballot[] =>
    votes.map((vote) => ballotOf(vote, evidence, isScripted))
  const isEnough = (votes: readonly Vote<Answer>[]): boolean =>
    votes.length >= method.votes ||
    (!method.needsEveryVote && isSettled(ballotsOf(votes), statements.length, method.votes))
  const polled = await pollVotes(judge, method.form(everyStatement, evidence.shown), isEnough, keep)
  const polledBallots = ballotsOf(polled.votes)
  const kinds =
    source.kind === 'live' ? await reconsider(request, judge, evidence, polledBallots, keep) : evidence.kinds
  const again = { ...evidence, kinds }
  const first = polled.votes.map((vote) => ballotOf(vote, again, isScripted))
  const second = source.kind === 'live' ? await askAgain(request, judge, again, first, keep) : null
  const ballots = second === null ? first : first.map((ballot) => replaceRefused(ballot, second.scored))
  const answers = second === null ? polled.answers : replaceAnswers(polled, first, second.answer)

  const { meter } = await judge.lease.finish()
  const judged = takeMajority(statements, ballots, method.votes)
  const { result, reason, notices, ...decided } = method.decide(judged, answers)
  const scenario =
    source.kind === 'scenario' ? { ...source.scenario, judge: source.scenario.judge.slice(usedUp) } : null
  const problem = describeProblem(meter, polled.problem, { model: choice.model, scenario, malformed: polled.malformed })
  const error = result === 'errored' ? (problem ?? { code: 'judge-failed' as const, message: reason }) : null
  const part: JudgePart = {
    ...decided,
    result,
    reason: error?.message ?? reason,
    error,
    ...identify(request, meter.model),
    votes: first.length,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    notices: [
      ...describeLeftOut(evidence.shown),
      ...[...polled.answers, ...(second === null ? [] : [second.answer])].flatMap(({ orders }) =>
        describeOrders(orders, evidence),
      ),
      ...(evidence.claims === 'mark' ? describeClaims(judged) : []),
      ...notices,
    ],
  }
  const isFailed = exchanges.at(-1)?.reply.kind === 'failed'
  // A scenario that has no second answer is to be corrected; another judge would find nothing either.
  const isWrong = source.kind === 'scenario' && polled.malformed.length > 0
  const isUnreachable = isFailed && !isWrong
  return { part, exchanges, answers, votes: polled.votes, kinds, isUnreachable }
}

/** Says what each statement is about: as it was recorded, else as the judge says before it sees the run. */
async function kindsOf<Answer extends JudgeAnswer>(
  { method, source, knownKinds }: JudgeRequest<Answer>,
  judge: ReachedJudge,
  keep: (exchange: JudgeExchange) => void,
): Promise<readonly StatementKind[]> {
  const nobody = method.statements.map(() => UNKNOWN_KIND)
  if (source.kind === 'recorded') return source.judge.kinds ?? nobody
  if (source.kind === 'scenario' || knownKinds === undefined || method.kinds === null) return nobody
  return [...(await knownKinds.learn(judge, method.kinds, keep)), ...(method.ownKinds ?? [])]
}

function prepareEvidence<Answer extends JudgeAnswer>(
  { method, source, claims = 'mark' }: JudgeRequest<Answer>,
  kinds: readonly StatementKind[],
): Evidence {
  const { statements, hasFiles } = method
  const shown = method.show(
    statements.map((_, index) => index + 1),
    1,
  )
  const isStored = source.kind === 'recorded'
  // Where nobody was asked what statements are about, a person wrote the verdicts.
  const isWritten = source.kind === 'scenario' || (isStored && source.judge.kinds === undefined)
  const skipsLookup = method.evidence === 'never' || (method.evidence === 'of models' && isWritten)
  return {
    statements,
    kinds,
    shown,
    // What a second question had shown is in no first one.
    find: skipsLookup ? null : createQuoteFinder(isStored ? wholeEvidence(shown) : shown),
    claims: isWritten ? 'accept' : claims,
    hasFiles,
    isStored,
  }
}

// A vote that was not given counts for nothing, neither for nor against.
function ballotOf<Answer extends JudgeAnswer>(vote: Vote<Answer>, evidence: Evidence, isScripted: boolean): Ballot {
  if (vote.kind === 'answer') return scoreVerdicts(vote.answer.verdicts, evidence)
  // What the gateway answers where a scenario has ended is no sentence of a judge.
  const reason = isScripted ? (vote.malformed ?? 'the scenario has no answer of the judge for it') : vote.problem
  return evidence.statements.map((_, index) =>
    scoreAsGiven({ statement: index + 1, verdict: 'unscored', reason, evidence: [], looked_for: [] }, evidence),
  )
}

/** Statements without a verdict because one was refused. */
function refusedIn<Answer extends JudgeAnswer>(
  ballots: readonly Ballot[],
  { statements, votes }: JudgeMethod<Answer>,
): readonly { readonly number: number; readonly refused: RefusalCause }[] {
  return takeMajority(statements, ballots, votes).flatMap(({ verdict }, index) => {
    const refused = ballots.flatMap((ballot) => ballot[index]?.refused ?? [])[0]
    return verdict === 'unscored' && refused !== undefined ? [{ number: index + 1, refused }] : []
  })
}

/**
 * Asks once more what statements are about whose verdicts were refused because of that, and does not show the run. Where
 * the two answers differ, nobody knows: then the agent's own words count as a claim, which is marked.
 */
async function reconsider<Answer extends JudgeAnswer>(
  { method, knownKinds }: JudgeRequest<Answer>,
  judge: ReachedJudge,
  { kinds }: Evidence,
  ballots: readonly Ballot[],
  keep: (exchange: JudgeExchange) => void,
): Promise<readonly StatementKind[]> {
  const open = refusedIn(ballots, method).filter(({ refused }) => DUE_TO_KIND.has(refused))
  const indexes = open.map(({ number }) => number - 1).filter((index) => kinds[index]?.by === 'judge')
  if (indexes.length === 0 || method.kinds === null || knownKinds === undefined) return kinds
  const statements = indexes.map((index) => method.kinds?.statements[index] ?? '')
  const again = await knownKinds.reconsider(judge, { task: method.kinds.task, statements }, keep)
  return kinds.map((kind, index) => again[indexes.indexOf(index)] ?? kind)
}

/** An answer to the second question, by number of its statement. */
interface SecondAnswer<Answer> {
  readonly answer: Answer
  readonly scored: ReadonlyMap<number, ScoredVerdict>
}

/**
 * Asks once more about the verdicts that cannot be used where they would have been needed, with the reason for each and
 * more of the evidence. The same rules apply to the answer.
 */
async function askAgain<Answer extends JudgeAnswer>(
  { method }: JudgeRequest<Answer>,
  judge: ReachedJudge,
  evidence: Evidence,
  ballots: readonly Ballot[],
  keep: (exchange: JudgeExchange) => void,
): Promise<SecondAnswer<Answer> | null> {
  const open = refusedIn(ballots, method)
  if (open.length === 0) return null
  const numbers = open.map(({ number }) => number)
  const shown = method.show(numbers, SECOND_SHARE)
  const openStatements = { kinds: evidence.kinds, numbers, flaws: open.map(({ refused }) => REFUSALS[refused]) }
  const vote = await askForVote(judge, method.form(openStatements, shown), keep)
  if (vote.kind === 'none') return null
  const scored = scoreVerdicts(vote.answer.verdicts, { ...evidence, shown, find: createQuoteFinder(shown) })
  return { answer: vote.answer, scored: new Map(numbers.map((number, index) => [number, scored[index]!])) }
}

/** Of the usual amount of evidence: there are few statements left, and something was missing. */
const SECOND_SHARE = 2

function replaceRefused(ballot: Ballot, second: ReadonlyMap<number, ScoredVerdict>): Ballot {
  return ballot.map((scored, index) => {
    const again = second.get(index + 1)
    return scored.refused === undefined || again === undefined ? scored : again
  })
}

// A replay asks once: what is stored is what counted.
function replaceAnswers<Answer extends JudgeAnswer>(
  { answers, votes }: Polled<Answer>,
  ballots: readonly Ballot[],
  second: Answer,
): readonly Answer[] {
  const answered = ballots.filter((_, index) => votes[index]?.kind === 'answer')
  return answers.map((answer, vote) => ({
    ...answer,
    verdicts: answer.verdicts.map((verdict) => {
      const isRefused = answered[vote]?.[verdict.statement - 1]?.refused !== undefined
      return (isRefused ? second.verdicts.find(({ statement }) => statement === verdict.statement) : null) ?? verdict
    }),
  }))
}

function describeClaims(statements: readonly JudgedStatement[]): readonly string[] {
  const count = statements.filter(({ rests }) => rests === 'claim').length
  if (count === 0) return []
  const [what, it] = count === 1 ? ['1 verdict rests', 'it'] : [`${count} verdicts rest`, 'them']
  return [
    `${what} only on the agent's own words. --claims error makes ${it} an error, --claims accept hides this notice.`,
  ]
}

// Says where the judge found orders to itself.
function describeOrders(orders: string, { shown }: Evidence): readonly string[] {
  const place = placeOf(orders, shown)
  return place === null
    ? []
    : [`The judge found instructions to itself in the ${place}: ${JSON.stringify(orders.slice(0, 200))}`]
}

/** The judge that was asked. */
interface AskedJudge {
  readonly model: string
  /** Where its answers are written; `null` for a model. */
  readonly scenario: Pick<Scenario, 'file' | 'judge'> | null
  /** What is wrong with answers that it had to be asked again for. */
  readonly malformed: readonly string[]
}

/** Says why a judge could not be asked; `null` when it could. What the gateway knows comes first: it has the API's own words. */
function describeProblem(
  { problems, requests }: MeterReading,
  problem: string | null,
  judge: AskedJudge,
): JudgePart['error'] {
  const last = problems.at(-1)
  if (last === undefined) return problem === null ? null : { code: 'judge-failed', message: problem }
  // It was asked, and what it made of that is the judge's own to say.
  if (OF_ANSWERS.has(last.code) && problem !== null) return { code: 'judge-failed', message: problem }
  if (last.code === 'scenario-exhausted' && judge.scenario !== null)
    return { code: last.code, message: tooFewAnswers(judge.scenario, requests - 1, judge.malformed) }
  return { code: codeOf(last.code), message: `${couldNotBeAsked(judge.model)}: ${last.message}` }
}

function tooFewAnswers(
  { file, judge }: Pick<Scenario, 'file' | 'judge'>,
  answers: number,
  malformed: readonly string[],
): string {
  const [first] = malformed
  // There is one answer, so it is the one to correct.
  if (first !== undefined && answers === 1)
    return `${file}:${judge[0]?.line ?? 1}: the answer for the judge cannot be used: ${first}. Correct it.`
  const wrong = first === undefined ? '' : ` ${malformed.length} of them cannot be used: ${malformed.join('; ')}.`
  return `${file}: the judge was asked more often than \`judge\` has answers (${answers}).${wrong} Add one for each vote, and one more for each answer that cannot be used.`
}

function codeOf(code: ErrorCode): ErrorCode {
  return code === 'upstream-failed' || code === 'unexpected-request' || OF_ANSWERS.has(code) ? 'judge-failed' : code
}

/** Codes of what is wrong with an answer that came. */
const OF_ANSWERS: ReadonlySet<ErrorCode> = new Set(['max-tokens', 'model-refused'])
