import { sum } from '../lists.ts'
import type { CaseExecution, PluginEvalCase } from '../suites/formats/plugin-eval/model.ts'
import type { GraderResult } from '../graders/grader-result.ts'

/** What the graders of a `claude plugin eval` case found. Plain JSON. */
export interface GradedPart {
  /** 0 to 1: of one run, or the mean of the runs that have one; `null` where there is none. */
  readonly score: number | null
  /** From which score on the case passes. */
  readonly threshold: number
  /** Of one run. */
  readonly graders: readonly GraderResult[]
  /** What the case asks, for the report of the format. */
  readonly definition: GradedDefinition
  /** The call by which a mock ended the run, whose score is 0; absent where none did. */
  readonly aborted?: AbortedRun
}

/** A call that an expectation of a mock refused. */
export interface AbortedRun {
  readonly server: string
  readonly tool: string
  readonly reason: string
}

/** A case as the report of `claude plugin eval` shows it. */
export interface GradedDefinition
  extends
    Pick<PluginEvalCase, 'caseDir' | 'graders' | 'name' | 'source'>,
    Pick<CaseExecution, 'maxTurns' | 'model' | 'timeoutSeconds'> {
  readonly prompt: string
  readonly ablation: 'none' | 'with-without'
  /** The plugins that it loads; the other arm has none of them. */
  readonly plugins: readonly { readonly name: string; readonly version: string | null; readonly path: string }[]
}

/** The mean of the scores that are known; `null` where none is. */
export function meanScore(scores: readonly (number | null)[]): number | null {
  const known = scores.filter((score) => score !== null)
  return known.length === 0 ? null : sum(known) / known.length
}

/** Says how a score compares with its threshold, and which graders that count did not pass. */
export function describeScore({ score, threshold, graders }: Omit<GradedPart, 'definition'>): string {
  const missed = graders
    .filter(({ outcome, scored }) => scored && outcome !== 'passed')
    .map(({ name, explanation }) => `${name}: ${explanation}`)
  const value = score === null ? 'no score' : `score ${score.toFixed(2)}`
  return [`${value}, threshold ${threshold.toFixed(2)}`, ...missed].join('; ')
}
