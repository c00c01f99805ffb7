import { z } from 'zod'
import { count, list, maybeNumber, maybeText, text } from './report-values.ts'

const result = z.enum(['PASS', 'FAIL', 'ERROR'])

/** Tokens of a run or a case. */
export const usage = z
  .object({ input_tokens: count, output_tokens: count, cache_read_tokens: count, cache_write_tokens: count })
  .nullable()
  .catch(null)

/** What the judge decided. */
export const verdict = z
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
export const check = z.object({
  kind: text(),
  value: z.union([text(), z.boolean()]).catch(''),
  line: count,
  result,
  message: maybeText,
  weak: maybeText,
})

/** One sentence that was judged. */
export const expectation = z.object({
  text: text(),
  result,
  evidence: z
    .array(z.object({ item: maybeText, quote: text() }))
    .max(10)
    .catch([]),
  rests: z.enum(['absence', 'claim', 'evidence']).nullable().catch(null),
  evidence_found_in: maybeText,
  reason: maybeText,
  agreement: z.object({ agree: count, of: count }).nullable().catch(null),
  decided_by: z.enum(['check', 'judge']).catch('judge'),
  weak: maybeText,
})

const grader = z.object({
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
})

/** The score of a `claude plugin eval` case and its graders. */
export const graded = z
  .object({ score: maybeNumber, threshold: maybeNumber, graders: list(grader) })
  .nullable()
  .catch(null)

export type PageCheck = z.infer<typeof check>
export type PageExpectation = z.infer<typeof expectation>
/** What one grader of a `claude plugin eval` case found. */
export type PageGrader = z.infer<typeof grader>
export type PageGraded = NonNullable<z.infer<typeof graded>>
