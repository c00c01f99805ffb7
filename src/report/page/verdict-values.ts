import { z } from 'zod'
import { count, list, maybeNumber, maybeText, text } from './report-values.ts'
import type { PageCheck, PageExpectation, PageGraded, PageJudge, PageUsage } from './page-report.ts'

const result = z.enum(['PASS', 'FAIL', 'ERROR'])

/** Tokens of a run or a case. */
export const usage: z.ZodType<PageUsage | null> = z
  .object({ input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count })
  .nullable()
  .catch(null)

/** What the judge decided. */
export const verdict: z.ZodType<PageJudge | null> = z
  .object({
    result,
    reason: text().catch(''),
    model: maybeText,
    self_judged: z.boolean().catch(false),
    votes: count,
    cost_usd: maybeNumber,
  })
  .nullable()
  .catch(null)

/** One check. */
export const check: z.ZodType<PageCheck> = z.object({
  kind: text(),
  value: z.union([text(), z.boolean()]).catch(''),
  line: count,
  result,
  message: maybeText,
  weak: maybeText,
})

/** One sentence that was judged. */
export const expectation: z.ZodType<PageExpectation> = z.object({
  text: text(),
  result,
  evidence: maybeText,
  evidence_found_in: maybeText,
  reason: maybeText,
  agreement: z.object({ agree: count, of: count }).nullable().catch(null),
  decided_by: z.enum(['check', 'judge']).catch('judge'),
  weak: maybeText,
})

/** The score of a `claude plugin eval` case and its graders. */
export const graded: z.ZodType<PageGraded | null> = z
  .object({
    score: maybeNumber,
    threshold: maybeNumber,
    graders: list(
      z.object({
        name: text(),
        type: text(),
        line: count,
        weight: z.number().catch(1),
        scored: z.boolean().catch(true),
        result,
        explanation: text().catch(''),
        votes: z.array(z.boolean().nullable().catch(null)).max(100).nullable().catch(null),
        ours: z
          .object({ reason: text().catch(''), quote: maybeText })
          .nullable()
          .catch(null),
      }),
    ),
  })
  .nullable()
  .catch(null)
