import { scoreOf } from '../../graders/score.ts'
import type { GraderResult } from '../../graders/grader-result.ts'
import type { GradedPart } from '../../results/graded-part.ts'
import type { CaseResult, RunSummary } from '../../results/result.ts'

/** A run as `aggregate-result.json` has it. */
export interface ExportedRun {
  /** As there: what has no verdict counts as not passed, and `agentEvals` says so. */
  readonly score: number
  readonly passed: boolean
  readonly skippedPaidGraders: boolean
  /** What the format cannot say: the run has no score. */
  readonly agentEvals?: { readonly outcome: 'errored'; readonly score: null }
  readonly [field: string]: unknown
}

/** The runs of one arm of a case. One that broke before its agent ran is one run, as there. */
export function buildArm(result: CaseResult): readonly ExportedRun[] {
  const { runs } = result
  if (runs.length === 0) return [brokenRun(result)]
  return runs.map((run) =>
    buildRun(run, run.verdict?.graded ?? (runs.length === 1 ? result.graded : undefined), result),
  )
}

const NO_SCORE = 'The run could not be completed.'
const UNGRADED = { outcome: 'errored', score: null } as const

function brokenRun({ reason, startedAt }: CaseResult): ExportedRun {
  return {
    score: 0,
    passed: false,
    turns: 0,
    costUsd: 0,
    judgeCostUsd: 0,
    durationSeconds: 0,
    startedAt,
    error: reason ?? NO_SCORE,
    tracePath: '',
    skippedPaidGraders: false,
    graders: [],
    agentEvals: UNGRADED,
  }
}

function buildRun(run: RunSummary, graded: GradedPart | undefined, result: CaseResult): ExportedRun {
  const { runs } = result
  const outcome = run.verdict?.outcome ?? result.outcome
  const isGraded = outcome !== 'errored' && outcome !== 'skipped' && (graded?.score ?? null) !== null
  const graders = graded?.graders ?? []
  const score = graded?.aborted === undefined ? shareOf(graders) : 0
  const judge = run.verdict?.judge ?? (runs.length === 1 ? result.judge : null)
  const judgeCostUsd = judge?.costUsd ?? 0
  return {
    score,
    passed: score === 1,
    turns: run.requests,
    costUsd: (run.costUsd ?? 0) + judgeCostUsd,
    judgeCostUsd,
    durationSeconds: Math.round(run.durationMs / 1000),
    startedAt: result.startedAt,
    error: run.problem ?? (isGraded ? null : (run.verdict?.reason ?? result.reason ?? NO_SCORE)),
    tracePath: run.folder === null ? '' : `${run.folder}/transcript.jsonl`,
    skippedPaidGraders: outcome === 'skipped' && graders.some(isUndecided),
    ...(graded?.aborted === undefined ? {} : { aborted: graded.aborted }),
    graders: graders.map(buildGrader),
    ...(isGraded ? {} : { agentEvals: UNGRADED }),
  }
}

function isUndecided({ outcome }: GraderResult): boolean {
  return outcome === 'errored'
}

function shareOf(graders: readonly GraderResult[]): number {
  const decided = graders.map((one): GraderResult => (isUndecided(one) ? { ...one, outcome: 'failed' } : one))
  return scoreOf(decided) ?? 0
}

function buildGrader(grader: GraderResult): object {
  const { name, outcome, weight, explanation, withOnly, scored, votes, ours } = grader
  return {
    name,
    passed: outcome === 'passed',
    weight,
    explanation,
    withOnly,
    scored,
    ...(votes === undefined ? {} : { judgeVotes: votes.map((vote) => vote === true) }),
    ...(outcome === 'errored' || ours !== undefined ? { agentEvals: { outcome, ...ours } } : {}),
  }
}
