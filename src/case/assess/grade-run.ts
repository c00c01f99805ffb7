import type { CheckResult } from '../../checks/check.ts'
import { isCompared } from '../../formats/plugin-eval/model.ts'
import type { EvalCase } from '../../formats/suite.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import { gradeFree, type GradedRun } from '../../judges/free-graders.ts'
import { gradeAs, rolesOf, scoreOf, type GraderResult, type GraderRole } from '../../judges/grader-score.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Decision } from '../../report/results/decide-outcome.ts'
import { describeScore, type GradedDefinition, type GradedPart, type JudgePart } from '../../report/results/result.ts'
import { mocksOnlyPlugins, pluginNameOf, type CasePlugin } from '../../session/stand-ins.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
import { judgeByGrader, type JudgedGrader, type PaidGrader, type RunToJudge } from '../judge/judge-graders.ts'
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
export async function gradeRun(
  evalCase: GradedCase,
  roles: readonly GraderRole[],
  plugins: readonly CasePlugin[],
  request: RunToJudge,
): Promise<Grading> {
  const judged: JudgedGrader[] = []
  const graders: GraderResult[] = []
  for (const role of roles) {
    const { grader } = role
    if (!isPaid(grader)) {
      graders.push(gradeAs(role, gradeFree(grader, request.graded)))
      continue
    }
    const one = await judgeByGrader(grader, judged.length, request)
    judged.push(one)
    graders.push(gradeAs(role, one.finding))
  }
  const parts = judged.flatMap(({ part }) => (part === null ? [] : [{ part, isNot: false, criteria: '' }]))
  const graded = {
    score: scoreOf(graders),
    threshold: request.settings.threshold,
    graders,
    definition: defineGraded(evalCase, plugins, request.settings),
  }
  return { graded, judge: mergeJudgements(parts), exchanges: judged.flatMap(({ exchanges }) => exchanges) }
}

/** Whether a grader asks a judge. */
function isPaid(grader: GraderRole['grader']): grader is PaidGrader {
  return grader.type === 'llm' || grader.type === 'baseline'
}

/** Whether a run has come far enough to be graded: also one that its turns ended. */
export function isGradable({ status, problemCode }: Pick<AgentRun, 'problemCode' | 'status'>): boolean {
  return status === 'completed' || (status === 'limit-reached' && problemCode !== 'max-tokens')
}

/** Decides a run by its score. */
export function decideGraded(
  graded: Omit<GradedPart, 'definition'> | null,
  judge: JudgePart | null,
  run: AgentRun,
): Decision {
  if (graded === null || !isGradable(run)) {
    const message = run.problem ?? `The run ended as ${run.status}.`
    return { outcome: 'errored', reason: message, error: { code: run.problemCode ?? 'engine-failed', message } }
  }
  const { score, threshold } = graded
  if (score === null) {
    const message = describeScore(graded)
    return { outcome: 'errored', reason: message, error: { code: judge?.error?.code ?? 'judge-failed', message } }
  }
  if (score >= threshold) return { outcome: 'passed', reason: null, error: null }
  return { outcome: 'failed', reason: describeScore(graded), error: null }
}

/** Decides a run by what needs neither judge nor workspace: whether a recording replays to the same. */
export function decideFree(roles: readonly GraderRole[], run: AgentRun): Decision {
  const graded: GradedRun = { run, files: new Map(), mockCalls: run.mockCalls ?? null }
  const graders = roles.flatMap((role): readonly GraderResult[] =>
    isPaid(role.grader) || readsWorkspace(role.grader) ? [] : [gradeAs(role, gradeFree(role.grader, graded))],
  )
  return decideGraded({ score: scoreOf(graders) ?? 1, threshold: 1, graders }, null, run)
}

function readsWorkspace(grader: GraderRole['grader']): boolean {
  return grader.type === 'regex' && grader.target.kind !== 'last_message' && grader.target.kind !== 'files'
}

/** Graders that count, as the checks that every report and terminal shows. */
export function checksOfGraders(graders: readonly GraderResult[]): readonly CheckResult[] {
  return graders
    .filter(({ scored, type }) => scored && type !== 'llm' && type !== 'baseline')
    .map(({ name, type, at, outcome, explanation }) => {
      const message = outcome === 'passed' ? '' : `${name}: ${explanation}`
      return { kind: type.replaceAll('_', '-'), value: name, at, outcome, message }
    })
}

/** Graders that do not count, one sentence each. */
export function describeIndicators(graders: readonly GraderResult[]): readonly string[] {
  return graders
    .filter(({ scored }) => !scored)
    .map(({ name, outcome, explanation }) => `Indicator ${name}, not scored: ${outcome}; ${explanation}.`)
}

/** What a case asks, for the report of its format. */
export function defineGraded(
  { pluginEval, prompt }: GradedCase,
  plugins: readonly (CasePlugin & Pick<AgentPackage, 'manifest'>)[],
  { ablation }: Pick<RunSettings, 'ablation'>,
): GradedDefinition {
  const { caseDir, name, source, execution, graders } = pluginEval
  return {
    caseDir,
    name,
    source,
    prompt,
    model: execution.model,
    plugins: plugins.map((plugin) => ({
      name: pluginNameOf(plugin),
      version: plugin.manifest?.version ?? null,
      path: plugin.root,
    })),
    ablation: isCompared(pluginEval, ablation) ? 'with-without' : 'none',
    maxTurns: execution.maxTurns,
    timeoutSeconds: execution.timeoutSeconds,
    graders,
  }
}
