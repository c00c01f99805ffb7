import { pollVotes, type JudgeExchange, type ReachedJudge } from './ask.ts'
import { describeProblem } from './describe-problem.ts'
import { graderForm, isQuoted, type GraderQuestion } from './grader-form.ts'
import { identify, withJudgeLease, type JudgeLeaseRequest } from './judge-lease.ts'
import { judgeScenario } from './scenario-answers.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { JudgePart } from './judgement.ts'
import type { JudgeAnswer } from './schema.ts'

/** Votes of each grader; two of them decide. */
export const GRADER_VOTES = 3
const NEEDED = 2

/** A grader's question about a run. */
export interface GraderToJudge extends JudgeLeaseRequest {
  readonly question: GraderQuestion
  readonly run: Pick<AgentRun, 'model' | 'modelAsked'>
}

/** What the votes came to. */
export interface GraderVerdict {
  /** `null` where too few votes were given. */
  readonly passed: boolean | null
  /** In their order; `null` for one that was not given. */
  readonly votes: readonly (boolean | null)[]
  readonly part: JudgePart
  readonly exchanges: readonly JudgeExchange[]
  readonly answers: readonly JudgeAnswer[]
}

/** Asks a judge three times whether a criterion holds. All votes are asked for: the report of the format shows each. */
export function judgeGrader(request: GraderToJudge): Promise<GraderVerdict> {
  return withJudgeLease(request, judgeScenario, (judge) => poll(request, judge))
}

async function poll(request: GraderToJudge, judge: ReachedJudge): Promise<GraderVerdict> {
  const { question, choice, source, run } = request
  const exchanges: JudgeExchange[] = []
  const polled = await pollVotes(judge, graderForm(question), hasAllVotes, (exchange) => exchanges.push(exchange))
  const { answers, problem } = polled
  const votes = polled.votes.map((vote) => (vote.kind === 'answer' ? readVote(vote.answer) : null))
  const passed = decide(votes)
  const meter = await judge.lease.meter()
  const scenario = source.kind === 'scenario' ? source.scenario : null
  const known = describeProblem(meter, problem, { model: choice.model, scenario, malformed: [] })
  const error = passed === null ? (known ?? { code: 'judge-failed' as const, message: NO_MAJORITY }) : null
  const telling = answers.find((answer) => readVote(answer) === passed)?.verdicts[0]
  const { reason = '' } = telling ?? {}
  const quote = telling?.evidence[0]?.quote ?? ''
  const agree = votes.filter((vote) => vote === passed).length
  const part: JudgePart = {
    result: passed === null ? 'errored' : passed ? 'passed' : 'failed',
    reason: error?.message ?? reason,
    error,
    ...identify(request, run, meter.model),
    statements: [
      {
        text: question.criteria.trim(),
        verdict: passed === null ? 'unscored' : passed ? 'pass' : 'fail',
        reason: error?.message ?? reason,
        quote,
        quoteFoundIn: isQuoted(quote, question.content) ? question.target : null,
        agreement: { agree, of: votes.length },
      },
    ],
    votes: votes.length,
    requests: meter.requests,
    usage: meter.usage,
    costUsd: meter.costUsd,
    notices: [],
  }
  return { passed, votes, part, exchanges, answers }
}

function hasAllVotes({ length }: readonly unknown[]): boolean {
  return length >= GRADER_VOTES
}

const NO_MAJORITY = `Fewer than ${NEEDED} of ${GRADER_VOTES} votes agree.`

function readVote({ verdicts }: JudgeAnswer): boolean | null {
  const verdict = verdicts[0]?.verdict
  return verdict === 'pass' ? true : verdict === 'fail' ? false : null
}

function decide(votes: readonly (boolean | null)[]): boolean | null {
  for (const verdict of [true, false]) if (votes.filter((vote) => vote === verdict).length >= NEEDED) return verdict
  return null
}
