import { partOfTurn } from '../../formats/kinds.ts'
import { hasExtra } from '../../formats/registry.ts'
import { runChecks } from '../../checks/checks.ts'
import { enginesFor } from '../../engines/registry.ts'
import { isStop } from '../../lib/errors.ts'
import { unenforcedPaths } from '../../report/build/summarize-run.ts'
import { writeGrading, writeJudgeExchanges, writeResponse } from '../../report/results/write-evidence.ts'
import { combineRuns } from '../../report/results/combine-runs.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import { nearest } from '../../options/option.ts'
import { changedFixtures, checksOf, endsByAsking, markWeakChecks, unusedTarget } from '../assess/findings.ts'
import { NOTHING_SEEN, inspectWorkspace, runCheckScript, type SeenWorkspace } from '../assess/inspect-workspace.ts'
import { createJudgeRecorder } from '../judge/judge-recorder.ts'
import { decideTurns, judgeAndDecide } from '../judge/judge-and-decide.ts'
import { buildResult } from '../result/build-result.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { PreparedRun } from '../replay/run-recorded.ts'
import type { CaseResult, CaseTurn } from '../../report/results/result.ts'
import type { EvalCase } from '../../formats/suite.ts'
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
  const { judged, decision, turns } = await judgeAndDecide(
    { ...toJudge, seen: seen.whole, seenTurns: seen.turns, source: judges.supply },
    review.problem,
    (judge) => judges.keep(judge),
  )
  await evidence.keep((folder, redactor) => writeJudgeExchanges(folder, judged.exchanges, redactor))
  if (evalCase.turns === undefined) keepRecording(judged.toRecord)

  const judge = judged.part
  if (hasExtra(suite.format, 'grading')) {
    const graded = { evalCase, checks, judge, decision, status: ended.status }
    await evidence.keep((folder, redactor) => writeGrading(folder, graded, redactor))
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
