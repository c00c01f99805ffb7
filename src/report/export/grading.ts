import { hundredths } from '../../statistics/round.ts'
import { isByChecksAlone } from '../../judges/judgement.ts'
import type { CheckResult } from '../../checks/check.ts'
import type { Position } from '../../documents/issue.ts'
import type { EvalCase } from '../../suites/suite.ts'
import type { RunStatus } from '../../transcript/agent-run.ts'
import type { Decision } from '../../results/decide-outcome.ts'
import type { JudgePart } from '../../results/result.ts'

/** `grading.json` of a run, in the words of the BMAD eval runner and of skill-creator. */
export interface Grading {
  readonly eval_id: string
  /** Only what was decided: a grade is never made up. */
  readonly expectations: readonly { readonly text: string; readonly passed: boolean; readonly evidence: string }[]
  readonly summary: {
    readonly passed: number
    readonly failed: number
    readonly total: number
    /** `null` when nothing was decided. */
    readonly pass_rate: number | null
  }
  readonly eval_feedback: {
    readonly suggestions: readonly { readonly assertion: string; readonly reason: string }[]
    readonly overall: string
  }
  /** Why some have no grade; absent when all have one. */
  readonly grading_error?: string
  readonly ungraded?: readonly { readonly text: string; readonly reason: string }[]
}

/** What is graded. */
export interface GradedRun {
  readonly evalCase: Pick<EvalCase, 'criteria' | 'id'>
  readonly checks: readonly CheckResult[]
  readonly judge: JudgePart | null
  readonly decision: Decision
  readonly status: RunStatus
}

/** Grades a run expectation by expectation, in the order of the file. */
export function buildGrading(run: GradedRun): Grading {
  const all = [...gradeStatements(run), ...run.checks.map(gradeCheck)].toSorted((a, b) => compare(a.at, b.at))
  // What a run that broke has left says nothing of the skill.
  const isBroken = run.status !== 'completed'
  const decided = all.flatMap(({ text, passed, evidence }) =>
    passed === null || isBroken ? [] : [{ text, passed, evidence }],
  )
  const open = isBroken ? all : all.filter(({ passed }) => passed === null)
  const passed = decided.filter((one) => one.passed).length
  const suggestions = all.flatMap(({ text, weak }) => (weak === null ? [] : [{ assertion: text, reason: weak }]))
  const error = run.decision.error?.message ?? open[0]?.evidence
  return {
    eval_id: run.evalCase.id,
    expectations: decided,
    summary: {
      passed,
      failed: decided.length - passed,
      total: decided.length,
      pass_rate: decided.length === 0 ? null : hundredths(passed / decided.length),
    },
    eval_feedback: { suggestions, overall: describeFeedback(suggestions.length, all.length, run.judge) },
    ...(error === undefined ? {} : { grading_error: error }),
    ...(open.length === 0 ? {} : { ungraded: open.map(({ text, evidence }) => ({ text, reason: evidence })) }),
  }
}

interface Graded {
  readonly text: string
  /** `null`: unknown. */
  readonly passed: boolean | null
  readonly evidence: string
  readonly weak: string | null
  readonly at: Position
}

function gradeStatements({ evalCase, judge }: GradedRun): readonly Graded[] {
  return (evalCase.criteria?.statements ?? []).map(({ text, at }, index) => {
    const found = judge?.statements[index]
    if (found === undefined) {
      return { text, at, passed: null, evidence: judge?.reason ?? 'The judge was not asked.', weak: null }
    }
    const { verdict, reason, quote, quoteFoundIn, weak } = found
    const evidence = quote === '' ? reason : `${reason} (${quoteFoundIn ?? 'found nowhere'}: ${JSON.stringify(quote)})`
    return { text, at, passed: verdict === 'unscored' ? null : verdict === 'pass', evidence, weak: weak ?? null }
  })
}

function gradeCheck({ kind, value, at, outcome, message, weak }: CheckResult): Graded {
  const text = `${kind}: ${String(value)}`
  const evidence = message === '' ? 'The check has passed.' : message
  return { text, at, passed: outcome === 'errored' ? null : outcome === 'passed', evidence, weak: weak ?? null }
}

function describeFeedback(weak: number, all: number, judge: JudgePart | null): string {
  if (weak > 0) return `${weak} of ${all} assertions ${weak === 1 ? 'proves' : 'prove'} little.`
  const isSeen = judge !== null && judge.votes > 0 && !isByChecksAlone(judge)
  return isSeen ? 'No suggestions; assertions look solid.' : 'No suggestions; no judge has looked at the assertions.'
}

function compare(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column
}
