import type { CheckResult, SeenRun } from '../../checks/check.ts'
import { describeCheck, runCheck, type AskedCheck } from '../../checks/checks.ts'
import { isCompared, targetOf } from '../../formats/plugin-eval/model.ts'
import { readTarget, type Target, type TargetSource } from '../../checks/targets.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import {
  found,
  gradeAs,
  rolesOf,
  scoreOf,
  type Finding,
  type GraderResult,
  type GraderRole,
} from '../../judges/grader-score.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import { OUTCOMES, VERDICTS, describeScore, type GradedPart, type JudgePart } from '../../report/results/result.ts'
import { mocksOnlyPlugins, type CasePlugin } from '../../session/stand-ins.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import { judgeByGrader, type JudgedGrader, type RunToJudge } from '../judge/judge-graders.ts'
import { mergeJudgements } from '../judge/merge-judgements.ts'

/** A case that has graders. */
export type GradedCase = Extract<EvalCase, { kind: 'plugin-eval' }>

/** The graders of a case that this arm of it has. */
export function rolesFor(
  { arm, pluginEval }: GradedCase,
  plugins: readonly CasePlugin[],
  { ablation }: Pick<RunSettings, 'ablation'>,
): readonly GraderRole[] {
  return rolesOf(pluginEval.graders, {
    name: arm === undefined ? 'with' : 'without',
    isCompared: isCompared(pluginEval, ablation),
    mocksPlugin: mocksOnlyPlugins(pluginEval.mocks, plugins),
  })
}

/** What the graders of a run came to. */
interface Grading {
  readonly graded: GradedPart
  readonly judge: JudgePart | null
  readonly exchanges: readonly JudgeExchange[]
}

/** Grades a run: first without a judge, then with one. */
export async function gradeRun(roles: readonly GraderRole[], request: RunToJudge): Promise<Grading> {
  const judged: JudgedGrader[] = []
  const graders: GraderResult[] = []
  for (const role of roles) {
    const { grader } = role
    if ('check' in grader) {
      graders.push(gradeAs(role, findByCheck(grader.check, request.run, request.targets)))
      continue
    }
    const one = await judgeByGrader(grader, judged.length, request)
    judged.push(one)
    graders.push(gradeAs(role, one.finding))
  }
  const parts = judged.flatMap(({ part }) => (part === null ? [] : [{ part, isNot: false, criteria: '' }]))
  const graded = { score: scoreOf(graders), threshold: request.settings.threshold, graders }
  return { graded, judge: mergeJudgements(parts), exchanges: judged.flatMap(({ exchanges }) => exchanges) }
}

/**
 * Decides a grader that asks no judge by its check.
 *
 * @internal
 */
export function findByCheck(check: AskedCheck, run: SeenRun['run'], files: TargetSource['files']): Finding {
  const {
    outcome,
    code,
    message = '',
  } = runCheck(check, { run, hook: null, read: () => 'unknown', look: (target) => readTarget(target, { run, files }) })
  const explanation = outcome === 'passed' ? describeCheck(check).replace(/\.$/, '') : message
  return { ...found(VERDICTS[outcome], explanation), ...(code === undefined ? {} : { code }) }
}

/** Whether a run has come far enough to be graded: also one that its turns ended. */
export function isGradable({ status, problemCode }: Pick<AgentRun, 'problemCode' | 'status'>): boolean {
  return status === 'completed' || (status === 'limit-reached' && problemCode !== 'max-tokens')
}

/** Decides a run by its score. */
export function decideGraded(graded: GradedPart | null, judge: JudgePart | null, run: AgentRun): Decision {
  if (graded === null || !isGradable(run)) {
    const message = run.problem ?? `The run ended as ${run.status}.`
    return { outcome: 'errored', reason: message, error: { code: run.problemCode ?? 'engine-failed', message } }
  }
  const { score, threshold } = graded
  if (score === null) {
    const message = describeScore(graded)
    return {
      outcome: 'errored',
      reason: message,
      error: { code: codeOf(graded.graders) ?? judge?.error?.code ?? 'judge-failed', message },
    }
  }
  if (score >= threshold) return { outcome: 'passed', reason: null, error: null }
  return { outcome: 'failed', reason: describeScore(graded), error: null }
}

function codeOf(graders: readonly GraderResult[]): ErrorCode | undefined {
  return graders.find(({ scored, internal }) => scored && internal.code !== undefined)?.internal.code
}

/** Decides a run by what needs neither judge nor workspace: whether a recording replays to the same. */
export function decideLocally(roles: readonly GraderRole[], run: AgentRun): Decision {
  const graders = roles.flatMap((role): readonly GraderResult[] => {
    const { grader } = role
    return 'check' in grader && !READ_LATER.has(targetOf(grader)?.kind)
      ? [gradeAs(role, findByCheck(grader.check, run, undefined))]
      : []
  })
  return decideGraded({ score: scoreOf(graders) ?? 1, threshold: 1, graders }, null, run)
}

const READ_LATER: ReadonlySet<Target['kind'] | undefined> = new Set(['file', 'mock_calls', 'trace'])

/** Graders that count, as the checks that every report and terminal shows. */
export function checksOfGraders(graders: readonly GraderResult[]): readonly CheckResult[] {
  return graders
    .filter(({ scored, type }) => scored && type !== 'llm' && type !== 'baseline')
    .map(({ name, type, result, explanation, internal: { at } }) => {
      const message = result === 'PASS' ? '' : `${name}: ${explanation}`
      return { kind: type.replaceAll('_', '-'), value: name, at, outcome: OUTCOMES[result], message }
    })
}

/** Graders that do not count, one sentence each. */
export function describeIndicators(graders: readonly GraderResult[]): readonly string[] {
  return graders
    .filter(({ scored }) => !scored)
    .map(({ name, result, explanation }) => `Indicator ${name}, not scored: ${OUTCOMES[result]}; ${explanation}.`)
}
