import { basename } from 'node:path'
import { addSpending, hasSpent, knownOrNull, spendingOf } from '../results/case-spending.ts'
import { hasExtra } from '../../formats/registry.ts'
import type { ErrorCode } from '../../lib/errors.ts'
import type { ReportUsage } from '../report.ts'
import { endOf, type CaseResult } from '../results/result.ts'

/** One line of an agent's `evals/runs/<date>.jsonl`, its keys in the order of the format. */
export interface RunLogLine {
  /** When the test ended, ISO 8601 with the offset of the machine. */
  readonly ts: string
  readonly agent: string
  readonly test_id: string
  readonly category: string | null
  readonly agent_model: string | null
  readonly judge_model: string | null
  /** By dimension; `null` for one that does not apply. */
  readonly scores: Readonly<Record<string, number | null>>
  readonly weighted_score: number | null
  readonly hard_fails: readonly string[]
  readonly verdict: 'fail' | 'judge_error' | 'pass'
  /** Relative to the agent's `evals/`. */
  readonly agent_response_path: string | null
  readonly judge_justification: string
  readonly agent_input_tokens: number | null
  readonly agent_output_tokens: number | null
  readonly agent_cost_usd: number | null
  readonly judge_input_tokens: number | null
  readonly judge_output_tokens: number | null
  readonly judge_cost_usd: number | null
  readonly trigger: 'eval'
  readonly error?: string
  /** What the judge gave, by dimension, where it was not from 1 to 5. */
  readonly clamped_scores?: Readonly<Record<string, number>>
}

/** Whether the log has a result: a golden test that was decided, or whose agent or judge broke. */
export function isLogged(result: CaseResult): boolean {
  if (!hasExtra(result.format, 'run-log') || result.reused_from !== null) return false
  // What was paid for is logged, also where the money ended before the judge.
  if (result.outcome === 'skipped') return hasSpent(result)
  return (
    result.outcome !== 'errored' ||
    brokenPart(result) !== null ||
    addSpending(Object.values(spendingOf(result))).usd > 0
  )
}

/** Writes a result as a line of the log. */
export function buildRunLogLine(result: CaseResult, responsePath: string | null): RunLogLine {
  const { judge, agent, name, category, outcome } = result
  const spent = spendingOf(result)
  const rubric = judge?.rubric
  const broken = brokenPart(result)
  const clamped = (rubric?.dimensions ?? []).flatMap(({ dimension, clampedFrom }) =>
    clampedFrom === undefined ? [] : [[dimension, clampedFrom] as const],
  )
  return {
    ts: toLocalTime(endOf(result)),
    agent: basename(result.packageRoot),
    test_id: testIdOf({ name, category }),
    category,
    agent_model: agent.model ?? result.modelAsked,
    judge_model: judge?.model ?? null,
    scores: Object.fromEntries((rubric?.dimensions ?? []).map(({ dimension, score }) => [dimension, score])),
    weighted_score: rubric?.weighted ?? null,
    hard_fails: hardFailsOf(result) ?? [],
    verdict: broken === 'judge' ? 'judge_error' : outcome === 'passed' ? 'pass' : 'fail',
    agent_response_path: responsePath,
    judge_justification: rubric?.justification ?? (judge?.result === 'skipped' ? '' : (judge?.reason ?? '')),
    agent_input_tokens: inputTokens(spent.agent.usage),
    agent_output_tokens: spent.agent.usage?.output_tokens ?? null,
    agent_cost_usd: knownOrNull(spent.agent),
    judge_input_tokens: inputTokens(spent.judge.usage),
    judge_output_tokens: spent.judge.usage?.output_tokens ?? null,
    judge_cost_usd: judge === null ? null : knownOrNull(spent.judge),
    trigger: 'eval',
    ...(result.error === null && outcome !== 'skipped' ? {} : { error: describeError(result, broken) }),
    ...(clamped.length === 0 ? {} : { clamped_scores: Object.fromEntries(clamped) }),
  }
}

/** Codes of the hard fails: those that the judge found, or that its agent crashed; `null` where nobody looked for any. */
export function hardFailsOf(result: CaseResult): readonly string[] | null {
  const isCrash = hasExtra(result.format, 'run-log') && brokenPart(result) === 'agent'
  return isCrash ? [AGENT_ERROR] : (result.judge?.rubric?.hardFails ?? null)
}

/** The hard fail of an agent that crashed. */
export const AGENT_ERROR = 'agent_error'

// What a program wrote before it crashed, and what it had done, is too long for a line.
function describeError({ error, reason, runs: [run] }: CaseResult, broken: ReturnType<typeof brokenPart>): string {
  const message = error?.message ?? reason ?? ''
  const folder = run?.folder ?? null
  if (broken !== 'agent' || folder === null) return message
  return `${message}\nstderr: ${folder}/metrics.json (stderr_tail); transcript: ${folder}/transcript.jsonl`
}

/** A day as people and file names have it, by the clock of the machine. */
export function toLocalDate(time: Date): string {
  return toLocalTime(time).slice(0, 10)
}

/** The id of a golden test without its category. */
export function testIdOf({ name, category }: Pick<CaseResult, 'category' | 'name'>): string {
  return category !== null && name.startsWith(`${category}/`) ? name.slice(category.length + 1) : name
}

// What broke is kept apart from what was never started for want of answers, credentials or a sandbox.
function brokenPart({ outcome, error, judge }: CaseResult): 'agent' | 'judge' | null {
  if (outcome === 'skipped') return 'judge'
  if (outcome !== 'errored' || error === null) return null
  if (judge !== null && judge.error !== null) return 'judge'
  return AGENT_ERRORS.has(error.code) ? 'agent' : null
}

const AGENT_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'engine-failed',
  'max-tokens',
  'model-refused',
  'no-output',
  'timed-out',
  'upstream-failed',
])

function inputTokens(usage: ReportUsage | null): number | null {
  return usage === null ? null : usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

/** A time by the clock of the machine, ISO 8601 with its offset. */
export function toLocalTime(time: Date): string {
  const offset = -time.getTimezoneOffset()
  const local = new Date(time.getTime() + offset * 60_000).toISOString().slice(0, -1)
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60]
  return `${local}${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
