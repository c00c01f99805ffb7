import { z } from 'zod'

// The layout of skill-creator as its references/schemas.md documents it. Strict about what its viewer and its scripts read.

const graded = z.object({ text: z.string(), passed: z.boolean(), evidence: z.string() })
const share = z.number().min(0).max(1)
const count = z.number().int().nonnegative()
const stats = z.strictObject({ mean: z.number(), stddev: z.number(), min: z.number(), max: z.number() })
const summary = z.strictObject({ pass_rate: stats, time_seconds: stats, tokens: stats })

/** `benchmark.json`. */
export const benchmarkSchema = z.strictObject({
  metadata: z.strictObject({
    skill_name: z.string().min(1),
    skill_path: z.string().min(1),
    executor_model: z.string().min(1),
    analyzer_model: z.string().min(1),
    timestamp: z.iso.datetime(),
    evals_run: z.array(z.union([z.number(), z.string()])).min(1),
    runs_per_configuration: count,
  }),
  runs: z.array(
    z.strictObject({
      eval_id: z.union([z.number(), z.string()]),
      eval_name: z.string(),
      configuration: z.enum(['with_skill', 'without_skill']),
      run_number: z.number().int().min(1),
      result: z.strictObject({
        pass_rate: share,
        passed: count,
        failed: count,
        total: count,
        time_seconds: z.number().nonnegative(),
        tokens: count,
        tool_calls: count,
        errors: count,
      }),
      expectations: z.array(graded),
      notes: z.array(z.string()),
    }),
  ),
  run_summary: z.strictObject({
    with_skill: summary,
    without_skill: summary,
    delta: z.strictObject({
      pass_rate: z.string().regex(/^[+-]\d\.\d\d$/),
      time_seconds: z.string().regex(/^[+-]\d+\.\d$/),
      tokens: z.string().regex(/^[+-]\d+$/),
    }),
  }),
  notes: z.array(z.string()),
})

/** `grading.json`. */
export const gradingSchema = z.looseObject({
  expectations: z.array(graded),
  summary: z.strictObject({ passed: count, failed: count, total: count, pass_rate: share }),
  execution_metrics: z.strictObject({
    tool_calls: z.record(z.string(), count),
    total_tool_calls: count,
    total_steps: count,
    errors_encountered: count,
    output_chars: count,
    transcript_chars: count,
  }),
  timing: z.looseObject({ executor_duration_seconds: z.number().nonnegative() }),
  claims: z.array(
    z.object({
      claim: z.string(),
      type: z.enum(['factual', 'process', 'quality']),
      verified: z.boolean(),
      evidence: z.string(),
    }),
  ),
  user_notes_summary: z.strictObject({
    uncertainties: z.array(z.string()),
    needs_review: z.array(z.string()),
    workarounds: z.array(z.string()),
  }),
  eval_feedback: z
    .strictObject({
      suggestions: z.array(z.strictObject({ assertion: z.string(), reason: z.string() })),
      overall: z.string(),
    })
    .optional(),
})

/** `timing.json`. */
export const timingSchema = z.strictObject({
  total_tokens: count.optional(),
  duration_ms: count,
  total_duration_seconds: z.number().nonnegative(),
  executor_duration_seconds: z.number().nonnegative(),
})

/** `eval_metadata.json`. */
export const metadataSchema = z.strictObject({
  eval_id: z.union([z.number(), z.string()]),
  eval_name: z.string().min(1),
  prompt: z.string().min(1),
  assertions: z.array(z.string()),
})
