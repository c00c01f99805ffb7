import { partOfTurn, turnsOf } from '../../formats/kinds.ts'
import { hasExtra } from '../../formats/registry.ts'
import { runChecks } from '../../checks/checks.ts'
import { enginesFor } from '../../engines/registry.ts'
import { isStop } from '../../lib/errors.ts'
import { skippedJudge, type JudgedStatement } from '../../judges/judgement.ts'
import { sumOf } from '../../lib/lists.ts'
import { summarizeTurn, unenforcedPaths } from '../../report/build/summarize-run.ts'
import { decideReplay, type ReplayProblem } from '../replay/decide-replay.ts'
import { buildGrading, writeGrading, writeJudgeExchanges, writeResponse } from '../../report/results/write-evidence.ts'
import { combineRuns } from '../../report/results/combine-runs.ts'
import { decideOutcome, type Decision } from '../../report/results/decide-outcome.ts'
import { nearest } from '../../options/option.ts'
import {
  changedFixtures,
  checksOf,
  endsByAsking,
  markWeakChecks,
  unusedTarget,
  usedInBaseline,
  wroteElsewhere,
} from '../assess/findings.ts'
import { NOTHING_SEEN, inspectWorkspace, runCheckScript, type SeenWorkspace } from '../assess/inspect-workspace.ts'
import { judgeDeclared, type DeclaredJudge, type DeclaredJudgement } from '../judge/judge-declared.ts'
import { createJudgeRecorder } from '../judge/judge-recorder.ts'
import { mergeJudgements } from '../judge/merge-judgements.ts'
import { buildResult } from '../result/build-result.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { CaseResult, JudgePart, CaseTurn } from '../../report/results/result.ts'
import type { CaseBase, Criteria, EvalCase } from '../../formats/suite.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import type { Run } from '../context.ts'
import type { ExecutedRun } from '../execute.ts'
import type { CaseKind } from './kind.ts'

/** A task: checked, judged, and passed by the share of its runs that passed. */
export const task: CaseKind<EvalCase> = {
  whySkipped: ({ checks, criteria }) =>
    criteria === null && checks.length === 0 ? 'no expectations, so no result can be right or wrong' : null,
  threshold: ({ passThreshold = null }, settings) => nearest(settings.passThreshold, passThreshold, 1),
  counts: ({ outcome }) => (outcome === 'passed' || outcome === 'failed' ? outcome === 'passed' : null),
  mayEndEarly: true,
  start(run, prepared, key) {
    const seen: SeenTurns = { whole: NOTHING_SEEN, turns: [] }
    const look = (turn: number | null, root: string, ended: AgentRun): Promise<SeenWorkspace> =>
      inspectWorkspace({ ...run, evalCase: partOfTurn(run.evalCase, turn) }, ended, root, (script) =>
        runCheckScript(prepared.request, script, root, ended),
      )
    return {
      inspect: async (root, ended) => {
        seen.whole = await look(null, root, ended)
      },
      inspectTurn: async (root, ended, turn) => {
        seen.turns[turn - 1] = await look(turn, root, ended)
      },
      outcomeOf: (ended) => decideTurns(run.evalCase, ended, check(run, ended, seen)).decision,
      assess: async (executed) =>
        resultOfRun(run, prepared, executed, { key, ...(await assess(run, prepared, executed, seen)) }),
    }
  },
  combine: (_evalCase, first, rest, asked) => (asked.runs === 1 ? first : combineRuns(first, rest, asked)),
}

/** A golden test: a task that an agent's rubric scores, whose response is kept to be read. */
export const goldenTest: CaseKind<EvalCase> = {
  ...task,
  start(...args) {
    const started = task.start(...args)
    return {
      ...started,
      async assess(executed) {
        const { evidence, outcome } = executed
        await evidence.keep((folder, redactor) => writeResponse(folder, outcome.run, redactor))
        return started.assess(executed)
      },
    }
  },
}

/** What checks, graders and judge found of a run. */
export interface Assessment
  extends Pick<CaseResult, 'checks' | 'graded' | 'judge'>, Partial<Pick<CaseResult, 'trigger'>> {
  readonly decision: Decision
  /** Of a case with several turns. */
  readonly turns?: readonly CaseTurn[]
  readonly notices: readonly string[]
}

/** The result of one run. */
export function resultOfRun(
  { planned, index, startedAt }: Run,
  { inputs }: PreparedRun,
  { outcome, review, evidence, notices }: ExecutedRun,
  { key, ...assessed }: Assessment & { readonly key: string },
): CaseResult {
  const { run, source, decided } = outcome
  const result = buildResult({
    ...assessed,
    planned,
    startedAt,
    index,
    run,
    source,
    decided,
    recorded: review.recorded,
    inputs,
    notices: [...notices(), ...assessed.notices],
    folder: evidence.folder.relativePath,
  })
  if (run.status !== 'completed' || !isStop(result.error) || assessed.graded !== undefined) return { ...result, key }
  // The agent was paid for: its run is kept, and only the judge is missing.
  const { code, message } = result.error
  const reason = `${message} The run is kept: judge it with \`npx vitest-agent-evals rejudge REPORT\`.`
  return { ...result, reason, error: { code, message: reason } }
}

async function assess(
  run: Run,
  prepared: PreparedRun,
  { outcome, review, evidence, keepRecording }: ExecutedRun,
  seen: SeenTurns,
): Promise<Assessment> {
  const { suite, evalCase, label, settings, signal } = run
  const ended = outcome.run
  const checks = markWeakChecks(run, check(run, ended, seen), ended)
  // Each of several turns may ask a judge, and a recording keeps all of their answers.
  const judges = createJudgeRecorder(outcome, prepared.source)
  if (evalCase.turns !== undefined) keepRecording(null)
  const toJudge = { label, suite, evalCase, settings, signal, run: ended, checks, inputs: prepared.inputs }
  const { judged, decision, turns } = await judgeRun(
    { ...toJudge, seen: seen.whole, seenTurns: seen.turns, source: judges.supply },
    review.problem,
    (judge) => judges.keep(judge),
  )
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, judged.exchanges, redactor))
  if (evalCase.turns === undefined) keepRecording(judged.toRecord)

  const judge = judged.part
  if (hasExtra(suite.format, 'grading')) {
    const grading = buildGrading({ evalCase, checks, judge, decision, status: ended.status })
    await evidence.keep((folder, redactor) => writeGrading(folder, grading, redactor))
  }
  const notices = [
    ...changedFixtures(suite, evalCase, ended),
    ...unusedTarget(ended, evalCase),
    ...unenforcedPaths(ended, suite.config),
    ...endsByAsking(ended, enginesFor(prepared.request)),
    ...(judge?.notices ?? []),
  ]
  return { checks, judge, decision, notices, ...(turns.length === 0 ? {} : { turns }) }
}

/** What was seen of a workspace at the end of each turn, and of the last one. */
interface SeenTurns {
  whole: SeenWorkspace
  readonly turns: SeenWorkspace[]
}

/** A run that has ended, now or in an earlier run of Vitest. */
interface JudgedRun extends DeclaredJudge {
  readonly evalCase: DeclaredJudge['evalCase'] & Pick<CaseBase, 'arm' | 'checks' | 'target' | 'turns'>
  readonly seenTurns: readonly SeenWorkspace[]
}

/** What a judge and the checks decide. */
interface JudgedOutcome extends DecidedTurns {
  readonly judged: DeclaredJudgement
}

/** Asks the judge about a run and decides: the same for one that has just ended and for one that was stored. */
export async function judgeRun(
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

/** What came of the criteria of each turn, then of the whole. */
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
  for (const turn of [...turnsOf(evalCase).map((_, index) => index + 1), null]) {
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
function decideTurns(
  evalCase: Pick<CaseBase, 'prompt' | 'turns'>,
  run: AgentRun,
  checks: readonly CheckResult[],
  parts: readonly (JudgePart | null)[] = [],
  problem: ReplayProblem | null = null,
): DecidedTurns {
  const checksIn = (turn: number | undefined): readonly CheckResult[] => checks.filter((one) => one.turn === turn)
  const whole = decideOutcome(checksIn(undefined), parts.at(-1) ?? null, run)
  const decided = turnsOf(evalCase).map(({ prompt }, index) => {
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

// What the turns before it took is theirs.
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

function check({ suite, evalCase, settings }: Run, run: AgentRun, seen: SeenTurns): readonly CheckResult[] {
  return checksOf(suite, evalCase, settings).flatMap((one) => {
    const { turn } = one
    if (turn === undefined) return runChecks([one], run, evalCase.target, seen.whole.checks)
    const ended = run.turns?.[turn - 1]
    const checks = runChecks([one], ended ?? run, evalCase.target, seen.turns[turn - 1]?.checks)
    return checks.map((result): CheckResult => {
      if (ended === undefined) return { ...result, outcome: 'errored', message: `turn ${turn} did not begin` }
      return result
    })
  })
}
