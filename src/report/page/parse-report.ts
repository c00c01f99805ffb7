import { z } from 'zod'
import { AgentEvalsError } from '../../errors.ts'
import { count, interval, list, maybeNumber, maybeText, text } from './report-values.ts'
import { check, expectation, graded, usage, verdict } from './verdict-values.ts'
import type { Outcome } from '../../results/result.ts'
import { OUTCOMES } from '../verdicts.ts'

const changedFile = z.object({ path: text(4096), size: count })

const run = z.object({
  index: count,
  status: text().catch('unknown'),
  problem: maybeText,
  exit_code: maybeNumber,
  duration_seconds: maybeNumber,
  requests: maybeNumber,
  usage,
  cost_usd: maybeNumber,
  files: z
    .object({
      created: list(changedFile),
      modified: list(changedFile),
      deleted: list(text(4096)),
      unreadable: list(z.object({ path: text(4096), reason: text() })),
    })
    .catch({ created: [], modified: [], deleted: [], unreadable: [] }),
  tool_calls: z.record(z.string(), z.number()).catch({}),
  skills_used: list(text()),
  decided_by: z.enum(['full', 'probe', 'probe+full']).nullable().catch(null),
  decided_because: maybeText,
  verified: z.boolean().nullable().catch(null),
  folder: maybeText,
  verdict: z
    .object({
      outcome: z.enum(['passed', 'failed', 'errored', 'skipped']),
      error: maybeText,
      checks: list(check),
      judge_verdict: verdict,
      expectations: list(expectation),
      graded,
    })
    .nullable()
    .catch(null),
})

const rate = { rate: maybeNumber, interval }
const arm = z.object({ ...rate, passed: count, completed: count })

const trigger = z
  .object({
    ...rate,
    skill: maybeText,
    should_trigger: z.boolean(),
    runs: count,
    completed: count,
    fired: count,
    undecided: count,
    errors: count,
    threshold: maybeNumber,
    fired_instead: list(text()),
  })
  .nullable()
  .catch(null)

const oneCase = z.object({
  id: maybeText,
  name: text(),
  arm: maybeText,
  target: maybeText,
  verdict: z.enum(['PASS', 'FAIL', 'ERROR', 'SKIP']),
  duration_seconds: maybeNumber,
  judge_verdict: verdict,
  judge_skipped: maybeText,
  agent_output_snippet: maybeText,
  error: maybeText,
  error_code: maybeText,
  skip_reason: maybeText,
  suite: text().catch(''),
  format: text().catch(''),
  file: text().catch(''),
  line: count,
  column: maybeNumber,
  category: maybeText,
  tags: list(text(), 100),
  engine: maybeText,
  agent: z.object({ runtime_version: maybeText, model: maybeText }).nullable().catch(null),
  source: maybeText,
  recorded: z.object({ at: text(), origin: text(), engine_version: maybeText }).nullable().catch(null),
  runs: list(run, 200),
  repeats: z
    .object({ ...rate, runs: count, completed: count, passed: count, errors: count, threshold: maybeNumber })
    .nullable()
    .catch(null),
  checks: list(check),
  expectations: list(expectation),
  scores: z.record(z.string(), z.number().nullable()).nullable().catch(null),
  weighted_score: maybeNumber,
  graded,
  hard_fails: list(text()),
  trigger,
  usage,
  cost_usd: maybeNumber,
  sandbox: z.object({ asked: text(), enforced: text() }).nullable().catch(null),
  hashes: list(z.object({ path: text(4096), role: text(), hash: text() }), 5000),
  reused_from: maybeText,
  notices: list(text()),
})

const facts = {
  id: maybeText,
  timestamp: maybeText,
  duration_seconds: maybeNumber,
  status: text().catch('complete'),
  source: maybeText,
  agent_evals_version: maybeText,
  vitest_version: maybeText,
  price_table: maybeText,
  plan: maybeText,
  git: z.object({ commit: text(), dirty: z.boolean() }).nullable().catch(null),
  agent: z.object({ runtime: maybeText, runtime_version: maybeText, model: maybeText }).nullable().catch(null),
  judge: z.object({ model: maybeText }).nullable().catch(null),
  config: z.object({ judge: maybeText, timeout: maybeNumber }).nullable().catch(null),
  environment: z
    .object({ os: maybeText, arch: maybeText, node_version: maybeText, python_version: maybeText })
    .nullable()
    .catch(null),
  package: z.object({ name: maybeText, version: maybeText }).nullable().catch(null),
  lift: list(
    z.object({
      target: text(),
      cases: count,
      with_skill: arm,
      without_skill: arm,
      difference: maybeNumber,
      better: count,
      worse: count,
      same: count,
      p_value: maybeNumber,
      too_few: z.boolean().catch(false),
    }),
  ),
  triggers: list(
    z.object({
      suite: text(),
      queries: count,
      true_positives: count,
      false_positives: count,
      true_negatives: count,
      false_negatives: count,
      precision: maybeNumber,
      recall: maybeNumber,
      fired_instead: z.record(z.string(), z.number()).catch({}),
    }),
  ),
  notices: list(text()),
}

const reportSchema = z.object({ version: z.literal(1), ...facts, cases: z.array(oneCase).max(100_000) })

/** One run of a case, as the report has it. */
export type PageCaseRun = z.infer<typeof run>

/** One case of a report. What the report does not say is `null` or empty. */
export type PageCase = Omit<z.infer<typeof oneCase>, 'verdict'> & { readonly outcome: Outcome }

/** What a report says of all its cases. */
export type PageReport = Omit<z.infer<typeof reportSchema>, 'cases' | 'version'>

/** A report with its cases. */
export interface ParsedReport {
  readonly report: PageReport
  readonly cases: readonly PageCase[]
}

/**
 * Builds anew what the page shows of a report.
 *
 * @throws {AgentEvalsError} `invalid-report`, naming the file and the first field that is wrong.
 */
export function parsePageReport(value: unknown, file: string): ParsedReport {
  const { success, data, error } = reportSchema.safeParse(value)
  if (success) {
    const { version: _, cases, ...report } = data
    return { report, cases: cases.map(({ verdict: word, ...one }) => ({ ...one, outcome: OUTCOMES[word] })) }
  }
  const [issue] = error.issues
  const where = issue?.path.join('.') || 'the file'
  throw new AgentEvalsError(
    'invalid-report',
    `${file} is not an eval report: ${where}: ${issue?.message ?? 'not valid'}.`,
  )
}
