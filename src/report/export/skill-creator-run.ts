import { join } from 'node:path'
import { z } from 'zod'
import { hasExtra } from '../../formats/registry.ts'
import { tryReadText } from '../../lib/files.ts'
import { tryParseJson } from '../../lib/json.ts'
import { sum } from '../../lib/lists.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { ReportCase, ReportRun, ReportUsage } from '../report.ts'
import { writeForSuites, type SuiteResults, type ResultsTarget } from '../results/case-folder.ts'
import type { CaseResult } from '../results/result.ts'

/** One run as skill-creator sees it. */
export interface ExportedRun {
  readonly index: number
  readonly configuration: 'with_skill' | 'without_skill'
  readonly folder: string | null
  readonly prompt: string
  /** `null` when nothing of it was graded. */
  readonly grading: ExportedGrading | null
  readonly timing: ExportedTiming
  /** Tokens of all kinds; `null` when unknown. */
  readonly tokens: number | null
  readonly toolCalls: number
  readonly errors: number
  /** Why nothing was graded; `null` when something was. */
  readonly ungraded: string | null
}

/** `timing.json`. What was not measured is not in it. */
interface ExportedTiming {
  readonly total_tokens?: number
  readonly duration_ms: number
  readonly total_duration_seconds: number
  readonly executor_duration_seconds: number
}

/** `grading.json`. */
interface ExportedGrading {
  readonly expectations: readonly { readonly text: string; readonly passed: boolean; readonly evidence: string }[]
  readonly summary: {
    readonly passed: number
    readonly failed: number
    readonly total: number
    readonly pass_rate: number
  }
  readonly [field: string]: unknown
}

/** Reads what a run left in its folder. */
export function readRun(root: string, { arm, error, judge_skipped: skipped }: ReportCase, run: ReportRun): ExportedRun {
  const read = (name: string): string => (run.folder === null ? '' : (tryReadText(join(root, run.folder, name)) ?? ''))
  const graded = gradingSchema.safeParse(tryParseJson(read('grading.json')))
  const metrics = metricsSchema.safeParse(tryParseJson(read('metrics.json')))
  const tokens = sumTokens(run.usage)
  const errors = run.status === 'completed' ? 0 : 1
  const toolCalls = sum(Object.values(run.tool_calls))
  return {
    index: run.index,
    configuration: arm === 'without_skill' ? arm : 'with_skill',
    folder: run.folder,
    prompt: read('prompt.txt'),
    grading: graded.success
      ? {
          ...graded.data,
          execution_metrics: {
            tool_calls: run.tool_calls,
            total_tool_calls: toolCalls,
            total_steps: metrics.data?.total_steps ?? toolCalls,
            errors_encountered: errors,
            output_chars: metrics.data?.output_chars ?? 0,
            transcript_chars: metrics.data?.transcript_chars ?? 0,
          },
          // With a total here its scripts would not look for the tokens in timing.json.
          timing: { executor_duration_seconds: run.duration_seconds },
          claims: [],
          user_notes_summary: { uncertainties: [], needs_review: [], workarounds: [] },
        }
      : null,
    timing: {
      ...(tokens === null ? {} : { total_tokens: tokens }),
      duration_ms: Math.round(run.duration_seconds * 1000),
      total_duration_seconds: run.duration_seconds,
      executor_duration_seconds: run.duration_seconds,
    },
    tokens,
    toolCalls,
    errors,
    ungraded: graded.success ? null : (run.verdict?.error ?? error ?? skipped ?? run.problem ?? 'nothing was decided'),
  }
}

const gradingSchema = z.looseObject({
  expectations: z.array(z.object({ text: z.string(), passed: z.boolean(), evidence: z.string() })),
  summary: z.object({ passed: z.number(), failed: z.number(), total: z.number(), pass_rate: z.number() }),
})

const metricsSchema = z.looseObject({
  total_steps: z.number(),
  output_chars: z.number(),
  transcript_chars: z.number(),
})

function sumTokens(usage: ReportUsage | null): number | null {
  if (usage === null) return null
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

/** A run with the eval it is of. */
export interface BenchmarkRun extends ExportedRun {
  readonly evalId: number | string
  readonly evalName: string
}

/** Writes `execution-summary.json` for each suite with artifact evals, in the words of the BMAD eval runner. */
export function writeExecutionSummaries(target: ResultsTarget, run: string, results: readonly CaseResult[]): void {
  const evals = results.filter(
    ({ format, trigger, error }) =>
      hasExtra(format, 'execution-summary') && trigger === null && error?.code !== 'invalid-suite',
  )
  const runDir = pathFrom(target.root, target.runFolder)
  writeForSuites(target, 'execution-summary.json', evals, (ofSuite) => describe(run, runDir, ofSuite))
}

function describe(run: string, runDir: string, evals: SuiteResults): object {
  const executed = evals.filter(({ runs }) => runs.length > 0)
  const broken = executed.filter(({ runs }) => runs.some(({ status }) => status !== 'completed'))
  return {
    run_id: run,
    completed_at: new Date().toISOString(),
    skill_name: evals[0]?.target?.replace(/^skill:/, '') ?? null,
    total: evals.length,
    executed: executed.length,
    exec_failures: broken.length,
    run_dir: runDir,
    results: evals.flatMap(describeEval),
  }
}

function describeEval({ id, outcome, reason, runs }: CaseResult): readonly object[] {
  const common = { eval_id: id.slice(id.indexOf('#') + 1), outcome, reason }
  if (runs.length === 0) return [{ ...common, executed: false }]
  return runs.map(({ index, status, exitCode, durationMs, problem, folder, verdict }) => ({
    ...common,
    ...(verdict === undefined ? {} : { outcome: verdict.outcome, reason: verdict.reason }),
    executed: true,
    run_number: index,
    status,
    // As `metrics.json` has it.
    return_code: status === 'timed-out' ? -1 : exitCode,
    elapsed_s: Math.round(durationMs / 10) / 100,
    error: problem,
    folder,
  }))
}
