import { z } from 'zod'
import { amount, count, flag, maybeText, must, number, outcome, share, text } from '../report-runs.ts'

// The one description of a comparison: `gate --json` and `diff --json` print it, and a report of `run --against` holds its
// results.

const interval = z.tuple([number, number]).nullable().describe('At 95%.')

const rate = z
  .object({ passed: must(count), completed: must(count), interval })
  .meta({ id: 'gate_rate', description: 'Runs of one side.' })

const side = z
  .object({ id: maybeText, timestamp: maybeText, status: maybeText })
  .meta({ id: 'gate_side', description: 'A report that is compared.' })

const arm = z
  .object({
    outcome: must(outcome),
    passed: must(count).describe('For a trigger query the runs in which the skill was used as it should be.'),
    completed: must(count),
    answers: maybeText,
    cost_usd: amount.nullable(),
    duration_seconds: amount.nullable(),
    error: maybeText.describe('Why it did not pass.'),
  })
  .meta({ id: 'gate_arm', description: 'One side of a case.' })

const gatedCase = z
  .object({
    name: must(text),
    id: maybeText,
    engine: maybeText,
    status: must(
      z.enum(['changed', 'compared', 'errored', 'missing', 'mixed', 'new', 'quarantined', 'stopped', 'undecided']),
    ).describe(
      'compared is tested; new, quarantined and undecided say nothing of a regression; the others leave the gate without an answer.',
    ),
    why: maybeText.describe('Why it is not tested; null where it is.'),
    before: arm.nullable(),
    after: arm.nullable(),
    change: number
      .min(-1)
      .max(1)
      .nullable()
      .describe('Rate after minus rate before; null where they are not comparable.'),
    interval: interval.describe(
      'Of the change, at 95%; null as well where the answers are of two kinds (mixed) or were written in advance.',
    ),
    p_value: share.nullable().describe("Fisher's exact test over its runs, one-sided."),
    adjusted_p_value: share.nullable().describe('The same after Holm over all tested cases.'),
    regressed: must(flag).describe('Whether it alone is a regression that is more than noise.'),
  })
  .meta({ id: 'gate_case', description: 'One case in both arms.' })

const budget = z
  .object({
    name: must(z.enum(['passRate', 'costUsd'])),
    limit: must(amount),
    value: amount.nullable().describe('What the run came to; null where that is unknown.'),
    interval: interval.describe('At 95%, of a rate: its lower bound is compared with the limit.'),
    verdict: must(z.enum(['failed', 'passed', 'unknown'])),
    why: maybeText.describe('Why it is not wholly known; null where it is.'),
  })
  .meta({ id: 'gate_budget', description: 'A limit of the run.' })

/** The schema of what a gate found. */
export const gateSchema = z
  .object({
    version: must(z.literal(1)),
    verdict: must(z.enum(['failed', 'incomplete', 'passed'])).describe(
      'incomplete: cases are missing, newly errored, changed or not comparable, or none could be tested.',
    ),
    exit_code: z.union([z.literal(0), z.literal(1), z.literal(2)]),
    before: side,
    after: side,
    level: share.describe('How often at most a change that does nothing fails the gate.'),
    plan: z
      .object({
        cases: count,
        runs_before: count,
        runs_after: count,
        pooled_level: share,
        single_level: share,
        best_single_p_value: share,
        best_adjusted_p_value: share,
        least_drop: share.nullable(),
        says: z.array(text).describe('The same in words.'),
      })
      .describe('What so many runs can find, known before any result.'),
    pooled: z
      .object({
        before: rate,
        after: rate,
        drop: number.describe('Rate before minus rate after.'),
        p_value: share,
        regressed: flag,
      })
      .nullable()
      .describe('All tested cases together: exact, one-sided, stratified by case.'),
    cases: z.array(gatedCase),
    budgets: z.array(budget).describe('Limits of the run; empty where none is set.'),
    notices: z.array(text),
  })
  .meta({
    id: 'gate_result',
    title: 'Result of a gate',
    description: 'What tests of a comparison found, as a report of `run --against` holds it.',
  })

const edit = z
  .object({ role: must(text), path: must(text), change: must(z.enum(['added', 'changed', 'removed'])) })
  .meta({ id: 'edit', description: 'A file that differs between the two versions.' })

const changedText = z
  .object({
    path: must(text).describe('Relative to the package, as it is today.'),
    part: must(text).describe('Such as description of the skill notes.'),
    before: maybeText.describe('The first 50,000 characters; null where there was none.'),
    after: maybeText,
    seen: flag.nullable().describe('Whether the model saw it in a run of either arm; null where that is unknown.'),
  })
  .meta({ id: 'changed_text', description: 'A text for the model that differs between the two versions.' })

const totals = z
  .object({
    passed: must(count),
    duration_seconds: amount.nullable().describe('null where it is unknown for any.'),
    cost_usd: amount.nullable().describe('Agent and judge together: the known parts.'),
    unknown_cost_cases: count,
    tokens: count.nullable().describe('null where they are unknown for any.'),
    repeats: z
      .object({ k: count, pass_at_k: share, pass_all_k: share })
      .nullable()
      .describe('null where a case was run once or stopped early, or its answers were written in advance.'),
    run_cost: z
      .object({ cost_usd: amount.nullable(), unknown_cost_cases: count })
      .nullable()
      .describe('Of the whole run, with the cases that are not compared; null where both sides are of one run.'),
  })
  .meta({ id: 'comparison_totals', description: 'Sums over the compared cases of one side.' })

const lift = z
  .object({ cases: count, difference: number.nullable(), p_value: share.nullable() })
  .nullable()
  .describe('null where the report does not compare.')

/** The schema of a comparison: what `gate --json` and `diff --json` print. */
export const comparisonSchema = gateSchema
  .extend({
    made_with: z
      .array(z.object({ what: must(text), before: maybeText, after: maybeText }))
      .describe('What the two were made with, where it is not the same; null: the report does not say.'),
    edits: z.array(edit),
    texts: z.array(changedText),
    totals: z
      .object({ cases: count, before: totals, after: totals })
      .describe('Over the cases that both have decided and that ask the same.'),
    lift: z.array(z.object({ target: must(text), before: lift, after: lift })).describe('What each skill adds.'),
  })
  .meta({
    id: 'comparison',
    title: 'Comparison of two reports',
    description: 'What `agent-evals gate --json` and `agent-evals diff --json` print.',
  })

/** What a report says of the version that its cases were compared with. */
export const againstSchema = z
  .object({
    ref: must(text).describe('As it was asked for: a ref of Git, a folder or a report.'),
    commit: maybeText.describe('Of a report the one that it names; null for a folder.'),
    edits: z.array(edit),
    texts: z.array(changedText),
    result: gateSchema,
  })
  .meta({ id: 'against', description: 'The cases with the version before, and what differs between the two.' })

/** Two reports, or two versions in one run, side by side. */
export type Comparison = Frozen<z.infer<typeof comparisonSchema>>
/** What a gate found. */
export type GateResult = Frozen<z.infer<typeof gateSchema>>
/** One case in both arms. */
export type GatedCase = GateResult['cases'][number]
/** A limit of the run and what became of it. */
export type GatedBudget = GateResult['budgets'][number]
/** One side of a case. */
export type ArmOfCase = NonNullable<GatedCase['after']>
/** What a report says of the version before. */
export type ReportAgainst = Frozen<z.infer<typeof againstSchema>>
/** A text for the model that differs, of which is not known yet whether it was seen. */
export type ChangedText = Omit<ReportAgainst['texts'][number], 'seen'>

type Frozen<Value> = { readonly [Key in keyof Value]: Frozen<Value[Key]> }
