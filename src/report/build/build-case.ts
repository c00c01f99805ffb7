import type { CheckResult } from '../../checks/check.ts'
import { microdollars } from '../../gateway/budget/spending.ts'
import { apiOfWire } from '../../gateway/wires/apis.ts'
import { judgeProviders } from '../../judges/providers/registry.ts'
import { withRemedy } from '../../lib/errors.ts'
import { sha256 } from '../../lib/sha256.ts'
import type {
  ReportCase,
  ReportCheck,
  ReportExpectation,
  ReportGraded,
  ReportGrader,
  ReportInput,
  ReportJudgeVerdict,
  ReportRun,
  ReportRunVerdict,
  ReportSummary,
} from '../report.ts'
import { makerOf, reportUsage } from './summarize-run.ts'
import { hardFailsOf } from '../golden/run-log-line.ts'
import { addSpending, hasSpent, knownOrNull, spendingOf } from '../results/case-spending.ts'
import {
  VERDICTS,
  type CaseResult,
  type GradedPart,
  type JudgePart,
  type CaseRun,
  type RunVerdict,
} from '../results/result.ts'

/** Builds a report's entry of one case. */
export function buildCase(result: CaseResult, keyOf: (input: ReportInput) => string): ReportCase {
  const { agent, judge } = result
  return {
    id: result.id,
    name: result.name,
    model: result.model ?? null,
    arm: result.arm ?? null,
    ...(result.quarantined === undefined ? {} : { quarantined: result.quarantined }),
    target: result.target,
    verdict: VERDICTS[result.outcome],
    outcome: result.outcome,
    duration_seconds: result.duration_seconds,
    deterministic_checks: buildDeterministicChecks(result.checks),
    judge_verdict: buildVerdict(judge),
    judge_skipped: judge?.result === 'skipped' ? judge.reason : null,
    agent_output_snippet: result.agent_output_snippet,
    error: describeError(result),
    error_code: result.error?.code ?? null,
    skip_reason: result.outcome === 'skipped' ? result.reason : null,
    suite: result.suite,
    format: result.format,
    file: result.file,
    line: result.at.line,
    column: result.sharesLine === true ? result.at.column : null,
    category: result.category,
    tags: result.tags,
    engine: agent.runtime ?? result.engineName,
    agent,
    source: result.source,
    ...(result.record === undefined ? {} : { record: result.record }),
    recorded: result.recorded,
    runs: result.runs.map(buildRun),
    repeats: result.repeats,
    checks: result.checks.map(buildCheck),
    expectations: buildExpectations(judge),
    ...buildScores(result),
    ...buildDimensions(judge),
    ...buildGraded(result.graded),
    trigger: result.trigger === null ? null : withoutInternal(result.trigger),
    ...buildSpending(result),
    sabotage: result.sabotage,
    sandbox: result.sandbox,
    inputs: [...result.hashes, ...(result.asked ?? []).map((part) => ({ path: result.suite, ...part }))].map(keyOf),
    vault_hash: hashVault(result.hashes),
    reused_from: result.reused_from,
    cached: result.cached,
    notices: result.notices,
  }
}

// The same files with the same contents make the same hash, wherever the vault is.
function hashVault(hashes: CaseResult['hashes']): string | null {
  const files = hashes.filter(({ role }) => role === 'vault').map(({ path, hash }) => `${path}\0${hash}\n`)
  return files.length === 0 ? null : sha256(files.toSorted().join(''))
}

function buildScores(result: CaseResult): Pick<ReportCase, 'hard_fails' | 'scores' | 'weighted_score'> {
  const rubric = result.judge?.rubric
  const hardFails = hardFailsOf(result)
  if (rubric === undefined) return { scores: null, weighted_score: null, hard_fails: hardFails }
  const scores = Object.fromEntries(rubric.dimensions.map(({ dimension, score }) => [dimension, score]))
  return { scores, weighted_score: rubric.weighted, hard_fails: hardFails }
}

function buildDimensions(judge: JudgePart | null): Pick<ReportCase, 'dimensions'> {
  if (judge?.rubric === undefined) return {}
  return {
    dimensions: judge.rubric.dimensions.map(({ dimension, score, justification, evidence = [], rests = null }) => ({
      name: dimension,
      score,
      reason: justification,
      evidence,
      rests,
    })),
  }
}

// Several checks of one kind are one entry: the worst of them.
function buildDeterministicChecks(checks: readonly CheckResult[]): ReportCase['deterministic_checks'] {
  const kinds: Record<string, 'PASS' | 'FAIL' | 'ERROR'> = {}
  for (const check of checks.filter(({ implied }) => implied !== true)) {
    const kind = check.kind.replaceAll('-', '_')
    const result = VERDICTS[check.outcome]
    const before = kinds[kind]
    if (before === undefined || RANK[result] > RANK[before]) kinds[kind] = result
  }
  return kinds
}

function buildVerdict(judge: JudgePart | null): ReportJudgeVerdict | null {
  if (judge === null || judge.result === 'skipped') return null
  const { result, reason, model, provider, selfJudged, votes, usage, costUsd } = judge
  return {
    result: VERDICTS[result],
    reason,
    model,
    model_provider: providerOf(model, provider),
    self_judged: selfJudged,
    votes,
    usage: reportUsage(usage),
    cost_usd: costUsd,
  }
}

function buildExpectations(judge: JudgePart | null): readonly ReportExpectation[] | null {
  if (judge === null || judge.statements.length === 0) return null
  return judge.statements.map(
    ({ text, turn, verdict, reason, quoteFoundIn, evidence = [], rests, agreement, weak }) => ({
      text,
      ...(turn === undefined ? {} : { turn }),
      result: STATEMENT_RESULTS[verdict],
      evidence,
      rests: rests ?? null,
      evidence_found_in: quoteFoundIn,
      reason,
      agreement,
      weak: weak ?? null,
    }),
  )
}

function describeError(result: CaseResult): string | null {
  if (result.outcome === 'errored') return result.error === null ? result.reason : withRemedy(result.error)
  if (result.outcome !== 'failed') return null
  if (result.repeats !== null || result.runs[0]?.turns !== undefined) return result.reason
  return result.checks.find((check) => check.outcome === 'failed')?.message ?? result.reason
}

function buildRunVerdict(verdict: RunVerdict | undefined): ReportRunVerdict | null {
  if (verdict === undefined) return null
  const { outcome, reason, checks, judge, graded } = verdict
  return {
    outcome,
    error: outcome === 'passed' ? null : reason,
    checks: checks.map(buildCheck),
    judge_verdict: buildVerdict(judge),
    expectations: buildExpectations(judge),
    ...buildDimensions(judge),
    ...buildGraded(graded),
  }
}

function buildCheck(check: CheckResult): ReportCheck {
  const { kind, value, at, turn, outcome, message, weak } = check
  const result = VERDICTS[outcome]
  const found = { line: at.line, result, message: message === '' ? null : message, weak: weak ?? null }
  return { kind, value, ...found, ...(turn === undefined ? {} : { turn }) }
}

function buildRun(run: CaseRun): ReportRun {
  const { turns, verdict } = run
  return {
    ...withoutInternal(run),
    ...(turns === undefined ? {} : { turns: turns.map(withoutInternal) }),
    verdict: buildRunVerdict(verdict),
  }
}

// What is internal is in no report.
function withoutInternal<Part extends { readonly internal: object }>(part: Part): Omit<Part, 'internal'> {
  const { internal: _, ...reported } = part
  return reported
}

const STATEMENT_RESULTS = { pass: 'PASS', fail: 'FAIL', unscored: 'ERROR' } as const
const RANK = { PASS: 0, ERROR: 1, FAIL: 2 } as const

/** Builds what a report says of graders; nothing for a case that has none. */
function buildGraded(part: GradedPart | undefined): { readonly graded?: ReportGraded } {
  if (part === undefined) return {}
  return { graded: { ...part, graders: part.graders.map((grader): ReportGrader => withoutInternal(grader)) } }
}

/** What a case took, agent and judge together and apart. */
function buildSpending(result: CaseResult): Pick<ReportCase, 'cost' | 'cost_usd' | 'usage'> {
  if (!hasSpent(result)) return { usage: null, cost_usd: null, cost: null }
  const { agent, judge } = spendingOf(result)
  const both = addSpending([agent, judge])
  return {
    usage: both.usage,
    cost_usd: knownOrNull(both),
    cost: { agent_usd: knownOrNull(agent), judge_usd: knownOrNull(judge), known_usd: microdollars(both.usd) },
  }
}

/** What the cases of a report took together. */
export function sumSpending(
  results: readonly CaseResult[],
): Pick<ReportSummary, 'cost_usd' | 'tokens' | 'unknown_cost_cases'> {
  const cases = results.filter(hasSpent).map((result) => addSpending(Object.values(spendingOf(result))))
  const { usd, usage } = addSpending(cases)
  const unknown = cases.filter(({ hasUnknown }) => hasUnknown).length
  return {
    cost_usd: unknown > 0 && usd === 0 ? null : microdollars(usd),
    unknown_cost_cases: unknown,
    tokens: usage,
  }
}

/** Who makes a model, by what answered or else by its name; `null` rather than a guess. */
export function providerOf(model: string | null, provider: string | null = null): string | null {
  if (model === 'scenario' || provider === null) return makerOf(model)
  // A judge that is a program asks its maker's models.
  const kind = judgeProviders().get(provider)
  return kind === undefined ? provider : apiOfWire(kind.wire).name
}
