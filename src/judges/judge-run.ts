import type { ErrorCode } from '../errors.ts'
import { acquireLease, type AcquiredLease } from '../gateway/client.ts'
import { askForVote, type JudgeExchange, type Vote } from './ask.ts'
import { isSelfJudged, type ChosenJudge } from './choose.ts'
import { decideVerdict } from './decide.ts'
import { digestRun } from './digest.ts'
import { createQuoteFinder, type EvidenceText, type QuoteFinder } from './evidence.ts'
import { findInjections } from './injection.ts'
import { toolCalls } from '../transcript/select.ts'
import { erroredJudge, type JudgePart } from './judgement.ts'
import { judgeScenario } from './scenario-answers.ts'
import { scoreVerdicts } from './score.ts'
import { isSettled, tally, type Ballot } from './tally.ts'
import type { AnswerSource, MeterReading } from '../gateway/lease.ts'
import type { JsonValue } from '../json.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { JudgeQuestion } from './prompt.ts'
import type { JudgeProvider } from './providers/provider.ts'

/** A run to judge. */
export interface JudgeRequest {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly question: JudgeQuestion & { readonly run: AgentRun }
  readonly choice: ChosenJudge
  readonly provider: JudgeProvider
  /** How many votes at most; asking stops once a majority is certain. */
  readonly votes: number
  readonly source: AnswerSource
  readonly controlSocket: string
  readonly signal: AbortSignal
}

/** What the judge said, and every request and answer that led to it. */
export interface Judged {
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
}

/** Asks the judge about a run through the gateway, looks its evidence up and decides. */
export async function judgeRun(request: JudgeRequest): Promise<Judged> {
  const { question, choice, source, label } = request
  const exchanges: JudgeExchange[] = []
  if (source.kind === 'scenario' && source.scenario.judge.length === 0) {
    return {
      part: describeChoice(
        request,
        erroredJudge('scenario-exhausted', noAnswers(source.scenario.file, question)),
        null,
      ),
      exchanges,
    }
  }

  const answers: AnswerSource =
    source.kind === 'scenario' ? { kind: 'scenario', scenario: judgeScenario(source.scenario, choice) } : source
  const lease = await acquireLease(
    request.controlSocket,
    { caseId: `${label} (judge)`, engine: `the judge ${choice.model}`, wire: 'anthropic-messages', source: answers },
    request.signal,
  )
  try {
    const part = await collectVotes(request, lease, (exchange) => exchanges.push(exchange))
    return { part, exchanges }
  } finally {
    await lease.release()
  }
}

async function collectVotes(
  request: JudgeRequest,
  lease: AcquiredLease,
  keep: (exchange: JudgeExchange) => void,
): Promise<JudgePart> {
  const { question, provider, choice } = request
  const signal = AbortSignal.any([request.signal, lease.signal])
  const model =
    request.source.kind === 'scenario' ? choice.model : await provider.resolveModel(choice.model, lease, signal)
  const evidence = evidenceOf(question)
  const find = createQuoteFinder(evidence)

  const ballots: Ballot[] = []
  const notices = new Set(findInjections(evidence))
  let problem: string | null = null
  while (ballots.length < request.votes && !isSettled(ballots, question.statements.length, request.votes)) {
    const vote = await askForVote({ provider, model, lease, signal }, question, keep)
    ballots.push(ballotOf(vote, question.statements, find))
    if (vote.kind === 'answer') noteOrders(vote.answer.orders, find, notices)
    else problem ??= vote.problem
    if (vote.kind === 'none' && vote.final) break
  }

  const meter = await lease.meter()
  const statements = tally(question.statements, ballots, request.votes)
  const decided = decideVerdict(statements)
  const cause = causeOf(meter, problem, request)
  const part: JudgePart = {
    ...decided,
    ...(decided.result === 'errored' ? { reason: cause?.message ?? decided.reason } : {}),
    error: decided.result === 'errored' ? (cause ?? { code: 'judge-failed', message: decided.reason }) : null,
    model: meter.model ?? model,
    provider: choice.provider,
    selfJudged: false,
    statements,
    votes: ballots.length,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    notices: [...notices],
  }
  return describeChoice(request, part, meter.model)
}

/** The texts that the judge is shown and that its quotes are looked up in. */
function evidenceOf({ run, files }: JudgeRequest['question']): readonly EvidenceText[] {
  const whole = { result: Infinity, input: Infinity }
  // A judge may copy an input as JSON shows it, or as it was meant.
  const inputs = toolCalls(run).map(({ call }) => ({ name: 'transcript', text: textsIn(call.input).join('\n') }))
  return [
    { name: 'output', text: run.output },
    { name: 'transcript', text: digestRun(run, whole) },
    ...files,
    ...inputs,
  ]
}

function textsIn(value: JsonValue | undefined): readonly string[] {
  if (typeof value === 'string') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(textsIn)
}

// A vote that was not given counts for nothing, neither for nor against.
function ballotOf(vote: Vote, statements: readonly string[], find: QuoteFinder): Ballot {
  if (vote.kind === 'answer') return scoreVerdicts(vote.answer.verdicts, find)
  return statements.map(() => ({ verdict: 'unscored', reason: vote.problem, quote: '', quoteFoundIn: null }))
}

function noteOrders(orders: string, find: QuoteFinder, notices: Set<string>): void {
  const place = orders.trim() === '' ? null : find(orders)
  if (place !== null)
    notices.add(`The judge found orders to itself in the ${place}: ${JSON.stringify(orders.slice(0, 200))}`)
}

// What the gateway knows comes first: it has the API's own words.
function causeOf(meter: MeterReading, problem: string | null, request: JudgeRequest): JudgePart['error'] {
  const known = meter.problems.at(-1)
  if (known?.code === 'scenario-exhausted' && request.source.kind === 'scenario') {
    return { code: known.code, message: tooFewAnswers(request.source.scenario.file, meter.requests - 1) }
  }
  if (known !== undefined)
    return {
      code: codeOf(known.code),
      message: `The judge ${request.choice.model} could not be asked: ${known.message}`,
    }
  return problem === null ? null : { code: 'judge-failed', message: problem }
}

function codeOf(code: ErrorCode): ErrorCode {
  return code === 'upstream-failed' || code === 'unexpected-request' ? 'judge-failed' : code
}

function describeChoice(
  { choice, question, source }: JudgeRequest,
  part: JudgePart,
  answered: string | null,
): JudgePart {
  return {
    ...part,
    model: part.model ?? choice.model,
    provider: choice.provider,
    selfJudged: isSelfJudged(choice, question.run, answered, source.kind === 'scenario'),
  }
}

function noAnswers(file: string, { statements }: JudgeQuestion): string {
  const list = statements.map((text) => `# ${text}\n    - { verdict: pass, reason: ..., quote: ... }`).join('\n    ')
  return `${file} has no answers for the judge. Add \`judge\`, one list with a verdict for each statement:\njudge:\n  - ${list}`
}

function tooFewAnswers(file: string, given: number): string {
  return `${file}: the judge was asked more often than \`judge\` has answers (${given}). Add one for each vote, and one more for each answer that cannot be used.`
}
