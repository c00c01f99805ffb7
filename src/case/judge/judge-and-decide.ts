import { partOfTurn } from '../../formats/kinds.ts'
import { skippedJudge, type JudgedStatement } from '../../judges/judgement.ts'
import { sumOf } from '../../lib/lists.ts'
import { summarizeTurn } from '../../report/build/summarize-run.ts'
import { decideOutcome, type Decision } from '../../report/results/decide-outcome.ts'
import { usedInBaseline, wroteElsewhere } from '../assess/findings.ts'
import { NOTHING_SEEN, type SeenWorkspace } from '../assess/inspect-workspace.ts'
import { decideReplay, type ReplayProblem } from '../replay/decide-replay.ts'
import { judgeDeclared, type DeclaredJudge, type DeclaredJudgement } from './judge-declared.ts'
import { mergeJudgements } from './merge-judgements.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { CaseTurn, JudgePart } from '../../report/results/result.ts'
import type { CaseBase, Criteria } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** A run that has ended, now or in an earlier run of Vitest. */
interface JudgedRun extends DeclaredJudge {
  readonly evalCase: DeclaredJudge['evalCase'] & Pick<CaseBase, 'arm' | 'checks' | 'target' | 'turns'>
  readonly seenTurns: readonly SeenWorkspace[]
}

/** The judgement of a run, and how it came out by that and its checks. */
interface JudgedOutcome extends DecidedTurns {
  readonly judged: DeclaredJudgement
}

/** Asks the judge about a run and decides: the same for one that has just ended and for one that was stored. */
export async function judgeAndDecide(
  request: JudgedRun,
  problem: ReplayProblem | null,
  keep: (judge: RecordedJudge | null) => void = () => {},
): Promise<JudgedOutcome> {
  const { checks, evalCase, run } = request
  const judged: TurnJudgement =
    evalCase.turns !== undefined
      ? await judgeTurns(request, problem, keep)
      : problem === null
        ? await judgeDeclared(request)
        : notJudged(evalCase, problem.message)
  const { decision: reached, turns } = decideTurns(evalCase, run, checks, judged.parts ?? [judged.part], problem)
  const decision = usedInBaseline(run, evalCase) ?? decideReplay(reached, problem)
  return { judged, decision: wroteElsewhere(decision, run, request.suite.config) ?? decision, turns }
}

/** The judgement of all criteria; `parts` has that of each turn, then of the whole. */
interface TurnJudgement extends DeclaredJudgement {
  readonly parts?: readonly (JudgePart | null)[]
}

// One judge for each turn that has criteria, and one for the whole. Turns that still hold have recorded answers.
async function judgeTurns(
  request: JudgedRun,
  problem: ReplayProblem | null,
  keep: (judge: RecordedJudge | null) => void,
): Promise<TurnJudgement> {
  const { evalCase, run, seen, seenTurns } = request
  const parts: (JudgePart | null)[] = []
  const exchanges: JudgeExchange[] = []
  for (const turn of [...(evalCase.turns ?? []).map((_, index) => index + 1), null]) {
    const part = partOfTurn(evalCase, turn)
    const ended = turn === null ? run : run.turns?.[turn - 1]
    const seenOfPart = turn === null ? seen : (seenTurns[turn - 1] ?? NOTHING_SEEN)
    const usedUp = sumOf(parts, (one) => one?.requests ?? 0)
    const isOver = problem !== null && (turn ?? Infinity) >= (problem.turn ?? 1)
    const source =
      problem !== null && request.source.kind === 'recording' ? { ...request.source, upstream: null } : request.source
    const judged =
      ended === undefined || isOver
        ? notJudged(part, problem?.message ?? 'the turn did not begin')
        : await judgeDeclared({ ...request, evalCase: part, run: ended, seen: seenOfPart, source, usedUp })
    keep(judged.toRecord)
    exchanges.push(...judged.exchanges)
    parts.push(judged.part === null ? null : withStatements(judged.part, part.criteria, turn))
  }
  const askedJudges = parts.flatMap((part) => (part === null ? [] : [{ part, isNot: false, criteria: '' }]))
  return { part: mergeJudgements(askedJudges), exchanges, toRecord: null, parts }
}

// Statements are told apart by their place among all of the case.
function withStatements(part: JudgePart, criteria: Criteria | null, turn: number | null): JudgePart {
  const statements = (criteria?.statements ?? []).map(({ text }, index) => ({
    ...(part.statements[index] ?? notAsked(text, part)),
    ...(turn === null ? {} : { turn }),
  }))
  return { ...part, statements }
}

// A statement on which there is no verdict.
function notAsked(text: string, { reason, result }: JudgePart): JudgedStatement {
  return {
    text,
    verdict: 'unscored',
    reason: result === 'skipped' ? `The judge was not asked: ${reason}.` : reason,
    quote: '',
    quoteFoundIn: null,
    agreement: { agree: 0, of: 0 },
  }
}

function notJudged({ criteria }: Pick<CaseBase, 'criteria'>, reason: string): TurnJudgement {
  return { part: criteria === null ? null : skippedJudge(reason), exchanges: [], toRecord: null }
}

/** How a case came out, and each of its turns; none where it has one. */
interface DecidedTurns {
  readonly decision: Decision
  readonly turns: readonly CaseTurn[]
}

// A turn that failed fails the case. What a replay cannot speak for begins with a turn, where it is known which.
export function decideTurns(
  evalCase: Pick<CaseBase, 'prompt' | 'turns'>,
  run: AgentRun,
  checks: readonly CheckResult[],
  parts: readonly (JudgePart | null)[] = [],
  problem: ReplayProblem | null = null,
): DecidedTurns {
  const checksIn = (turn: number | undefined): readonly CheckResult[] => checks.filter((one) => one.turn === turn)
  const whole = decideOutcome(checksIn(undefined), parts.at(-1) ?? null, run)
  const decided = (evalCase.turns ?? []).map(({ prompt }, index) => {
    const turn = index + 1
    const ended = run.turns?.[index]
    const part = parts[index] ?? null
    const decision = ended === undefined ? NOT_BEGUN : decideOutcome(checksIn(turn), part, ended)
    const isOver = problem !== null && turn < (problem.turn ?? 1)
    return {
      turn,
      prompt,
      ended: ended ?? notBegun(run),
      decision: isOver ? decision : decideReplay(decision, problem),
    }
  })
  const all = decided.map(({ turn, decision }) =>
    decision.reason === null ? decision : { ...decision, reason: `turn ${turn}: ${decision.reason}` },
  )
  const first = (outcome: Decision['outcome']): Decision | undefined =>
    [...all, whole].find((one) => one.outcome === outcome)
  const decision = run.status === 'completed' ? (first('failed') ?? first('errored') ?? whole) : whole
  return {
    decision,
    turns: decided.map(({ turn, prompt, ended, decision: { outcome, reason, error } }) =>
      summarizeTurn(ended, { turn, prompt, outcome, error: reason, error_code: error?.code ?? null }),
    ),
  }
}

const NOT_BEGUN: Decision = {
  outcome: 'errored',
  reason: 'it did not begin',
  error: { code: 'engine-failed', message: 'it did not begin' },
}

// Requests, cost and time are those of the turns before it.
function notBegun(run: AgentRun): AgentRun {
  const files = { created: [], modified: [], deleted: [], unreadable: [] }
  return {
    ...run,
    transcript: [],
    output: '',
    finalMessage: '',
    files,
    usage: null,
    costUsd: 0,
    requests: 0,
    durationMs: 0,
  }
}
