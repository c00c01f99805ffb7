import { z } from 'zod'
import {
  amount,
  check,
  dimensions,
  count,
  expectation,
  flag,
  graded,
  type grader,
  hash,
  interval,
  judgeVerdict,
  line,
  maybeText,
  must,
  number,
  outcome,
  result,
  run,
  type runVerdict,
  type turn,
  share,
  tally,
  text,
  usage,
} from './report-runs.ts'
import { againstSchema } from './compare/comparison-schema.ts'
import type { ErrorCode } from '../lib/errors.ts'

// The one description of a report. From it come the types, `schemas/report.schema.json`, what users' compilers are told,
// and what reads a report again: the page, `diff`, `show`, `view` and `rejudge`. Unknown is `null`.
// A new field is set in `build/build-case.ts`: see docs/extending.md.

const source = z.enum(['live', 'record', 'replay', 'scenario'])
const askedRuns = count.describe('Runs that were asked for.')
const saved = count
  .exactOptional()
  .describe(
    'Runs that were not made, since none could change the verdict; given where --runs is auto, and then there is no rate.',
  )

const agent = z
  .object({
    runtime: maybeText.describe('Agent runtime that ran.'),
    runtime_version: maybeText,
    model: maybeText.describe('Model that the API answered as.'),
    model_provider: maybeText,
    session_id: maybeText,
  })
  .meta({ id: 'agent', description: 'What answered as the agent.' })

const rate = z
  .object({ ...tally.shape, rate: share.nullable(), interval })
  .meta({ id: 'rate', description: 'A tally with its rate.' })

export const input = z
  .object({
    path: must(text),
    role: must(text),
    hash: must(text),
    base: z
      .enum(['evals', 'skill', 'project'])
      .exactOptional()
      .describe("Of an eval's file: below which folder it was found, that of the evals, the skill's or the project's."),
  })
  .meta({ id: 'input', description: 'A file that a case depended on, or a part of what it asks.' })

const repeats = z
  .object({
    runs: askedRuns,
    saved,
    completed: must(count).describe('Runs that passed or failed; the others are in no rate.'),
    passed: must(count),
    errors: count,
    rate: share.nullable(),
    interval,
    threshold: share.describe('Share of the completed runs that has to pass.'),
    pass_at_k: z
      .array(share)
      .describe('Chance that at least one of 1, 2, ... runs passes: unbiased, 1 - C(n-c, k) / C(n, k).'),
    pass_all_k: z.array(share).describe('Chance that all of 1, 2, ... runs pass: unbiased, C(c, k) / C(n, k).'),
  })
  .meta({ id: 'repeats' })

const trigger = z
  .object({
    skill: maybeText.describe('The skill whose use was counted; null for any.'),
    should_trigger: must(flag),
    runs: askedRuns,
    saved,
    completed: must(count).describe('Runs that count: completed, or broken after the skill had been used.'),
    fired: must(count),
    fired_in_sub_agent: count.describe('Of these the runs in which only a sub-agent used it.'),
    errors: count.describe('Runs that broke; they are in no rate.'),
    timeouts: count.describe('Runs that took too long; they are in no rate.'),
    rate: share.nullable(),
    interval,
    threshold: amount,
    fired_instead: z.array(text),
  })
  .meta({ id: 'trigger', description: 'What the runs of one query have shown.' })

export const reportCase = z
  .object({
    id: text.describe('<suite file>#<case id>.'),
    name: must(text),
    model: maybeText.describe('The model that it was planned for, where several run the same cases; else null.'),
    arm: z
      .enum(['variant', 'without_skill'])
      .nullable()
      .describe(
        'What it ran for, beside the case itself: without its skill, or with the version before. The summary counts only what such a case cost.',
      ),
    quarantined: z
      .literal(true)
      .exactOptional()
      .describe('Given where the option quarantine names it: it never makes a run or a gate red.'),
    target: maybeText,
    verdict: must(z.enum(['PASS', 'FAIL', 'SKIP', 'ERROR'])).describe('ERROR: the run or the judge did not complete.'),
    outcome,
    duration_seconds: amount,
    deterministic_checks: z.record(text, result).describe('Declared checks only, one entry per kind.'),
    judge_verdict: judgeVerdict.nullable().describe('null when no judge ran.'),
    judge_skipped: maybeText.describe('Why no judge ran; null when one did, or none was declared.'),
    agent_output_snippet: maybeText.describe('First 500 characters, secrets taken out.'),
    error: maybeText.describe('Why the case failed or errored.'),
    error_code: z
      .custom<ErrorCode>((value) => typeof value === 'string')
      .meta({ type: 'string', name: 'ErrorCode' })
      .nullable()
      .describe('Stable reason of an errored case, such as interrupted.'),
    skip_reason: maybeText.describe('Why the case was skipped, such as not-run.'),
    suite: text.describe('Suite file, relative to the package.'),
    format: text,
    file: text.describe('Suite file, relative to the Vitest root.'),
    line,
    column: line.nullable().describe('Where the case starts in its line; null where no other case starts there.'),
    category: maybeText,
    tags: z.array(text),
    engine: text,
    agent,
    source: source.nullable().describe('Where the answers came from.'),
    record: z
      .enum(['engine'])
      .exactOptional()
      .describe("Given where the engine's own stream is the record of its runs, and not what the gateway saw."),
    recorded: z
      .object({ at: must(text), origin: must(text), engine_version: maybeText })
      .nullable()
      .describe('Recording that was played or made. Its origin is the id of a model, or `scenario`: no model spoke.'),
    runs: z.array(run),
    repeats: repeats.nullable().describe('What its runs have shown together; null where it was run once.'),
    checks: z.array(check),
    expectations: z.array(expectation).nullable(),
    scores: z
      .record(text, number.nullable())
      .nullable()
      .describe('By dimension of the rubric; null for one that does not apply.'),
    weighted_score: number.nullable(),
    dimensions,
    graded: graded.exactOptional(),
    hard_fails: z.array(text).nullable(),
    trigger: trigger.nullable(),
    usage: usage.nullable().describe('Tokens of agent and judge.'),
    cost_usd: amount
      .nullable()
      .describe('US dollars of agent and judge, all runs and retries; null when a part is unknown or nothing ran.'),
    cost: z
      .object({
        agent_usd: amount.nullable().describe('null when a part is unknown.'),
        judge_usd: amount.nullable().describe('null when a part is unknown.'),
        known_usd: must(amount).describe('The known parts of both.'),
      })
      .nullable()
      .describe('Who cost what; null when nothing ran.'),
    sabotage: z
      .enum(['noticed', 'unknown', 'unnoticed'])
      .nullable()
      .describe('Whether a hook case fails with a hook that does nothing; null where that was not tried.'),
    sandbox: z
      .object({ asked: text, enforced: must(text).describe('Such as bubblewrap or none (container).') })
      .nullable(),
    inputs: z.array(text).describe("Keys of the report's inputs."),
    vault_hash: hash.nullable().describe('Of everything that the vault of its agent holds; null for every other case.'),
    reused_from: maybeText.describe('Name of the run that the result was taken over from; its times are of then.'),
    cached: z
      .boolean()
      .describe('Whether nothing of the case had changed since it passed, so that it was not run again.'),
    notices: z.array(text),
  })
  .meta({ id: 'case', description: 'One case of a report.' })

const caseLift = z
  .object({
    id: must(text).describe('Of the case with the skill.'),
    with_skill: tally,
    without_skill: tally,
    difference: number.min(-1).max(1),
    test: z.literal("Fisher's exact test, two-sided"),
    p_value: share,
    too_few: flag,
  })
  .meta({ id: 'case_lift', description: 'One case with and without the skill.' })

const lift = z
  .object({
    target: must(text),
    cases: must(count).describe('Cases that both arms have decided; the others are in none of these numbers.'),
    with_skill: rate,
    without_skill: rate,
    difference: number.min(-1).max(1).nullable().describe('Mean over the cases of the difference of their rates.'),
    better: count.describe('Cases whose rate is higher with the skill.'),
    worse: count,
    same: count,
    test: z.literal('exact sign test over cases, two-sided'),
    p_value: share.nullable().describe('null where nothing was decided, or where answers were written in advance.'),
    too_few: flag.describe('Whether the cases are too few to tell any outcome from chance.'),
    by_case: z.array(caseLift),
  })
  .meta({ id: 'lift', description: 'What a skill adds: its cases with it against the same without it.' })

const triggers = z
  .object({
    suite: must(text),
    model: maybeText.describe('The model that was planned, where several run the same queries; else null.'),
    queries: must(count).describe('Queries that are in the table; those that errored are not.'),
    true_positives: must(count),
    false_positives: must(count),
    true_negatives: must(count),
    false_negatives: must(count),
    precision: share.nullable(),
    recall: share.nullable(),
    fired_instead: z.record(text, count).describe('Other skills by runs that should have used the one under test.'),
  })
  .meta({ id: 'triggers', description: "What the runs of a suite's queries have shown together. Runs are counted." })

const summary = z
  .object({
    total: count.describe('Sum of passed, failed, errored and skipped. What ran for comparison only is in none.'),
    passed: count,
    failed: count,
    errored: count,
    skipped: count,
    pass_rate: share.nullable().describe('passed / (passed + failed), two decimals, null at 0/0.'),
    cost_usd: amount
      .nullable()
      .describe('US dollars of agents and judges, as far as they are known; null when nothing is.'),
    unknown_cost_cases: count.describe('Cases with a part of unknown cost, which is not in cost_usd.'),
    tokens: usage.nullable().describe('Of agents and judges, as far as they are known; null when nothing is.'),
  })
  .meta({ id: 'summary', description: 'Counts that are never merged.' })

const judge = z.object({
  model: maybeText,
  model_provider: maybeText,
  claims: count.describe("Statements that only the agent's own words prove."),
})

/** The schema of a report. */
export const reportSchema = z
  .object({
    version: must(z.literal(1)),
    id: text.describe('Unique run identifier.'),
    timestamp: text.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/).describe('Start of the run, ISO 8601 in UTC.'),
    duration_seconds: amount,
    status: z
      .enum(['complete', 'partial', 'interrupted', 'recovered'])
      .describe('partial: planned cases were not run. recovered: written after the run was lost.'),
    source: z
      .enum([...source.options, 'mixed'])
      .nullable()
      .describe('Where the answers came from; mixed when the cases differ, null when none ran.'),
    agent_evals_version: maybeText,
    vitest_version: maybeText,
    price_table: maybeText.describe('Where cost_usd comes from, such as `@pydantic/genai-prices 0.1.8`.'),
    plan: maybeText.describe(
      'SHA-256 of the cases of data files that the filters left: the same for all shards of a run.',
    ),
    git: z
      .object({
        commit: must(text.regex(/^[0-9a-f]{40,64}$/)),
        dirty: flag.describe('Reports and recordings do not count.'),
      })
      .nullable(),
    config: z.object({
      engine: maybeText,
      engine_version: maybeText,
      judge: maybeText,
      timeout: amount.nullable(),
    }),
    agent,
    judge,
    environment: z.object({
      os: text,
      arch: text.describe('As uname -m says it.'),
      aam_version: maybeText.describe(
        'null in our own reports: the program aam takes no part. agent_evals_version says what ran.',
      ),
      node_version: text,
      python_version: maybeText,
    }),
    package: z.object({ name: maybeText, version: maybeText }),
    summary,
    cases: must(z.array(reportCase)),
    inputs: z.record(text, input).describe('What the cases depend on: each has the keys of its own.'),
    lift: z
      .array(lift)
      .exactOptional()
      .describe('What the skill adds, for each target that was also run without it; absent where none was.'),
    against: againstSchema
      .exactOptional()
      .describe('The cases with the version before; absent where none was compared with.'),
    rejudged_from: text
      .exactOptional()
      .describe('Path from the Vitest root of the report whose runs were judged again; absent where the agent ran.'),
    triggers: z
      .array(triggers)
      .exactOptional()
      .describe('One table for each suite with trigger queries; absent where there are none.'),
    notices: z.array(text).describe('Remarks on the report as a whole.'),
  })
  .meta({
    title: 'Eval report',
    description:
      'evals/reports/<timestamp>.json: what ran, with what, and how it came out. Fields that the AAM text does not have are additions; unknown is null.',
  })

/** Report of one package and engine, `evals/reports/<timestamp>.json`. */
export type Report = Written<typeof reportSchema>
export type ReportCase = Written<typeof reportCase>
export type ReportCaseLift = Written<typeof caseLift>
export type ReportCheck = Written<typeof check>
export type ReportExpectation = Written<typeof expectation>
export type ReportGraded = Written<typeof graded>
export type ReportGrader = Written<typeof grader>
export type ReportInput = Written<typeof input>
export type ReportJudgeVerdict = Written<typeof judgeVerdict>
export type ReportLift = Written<typeof lift>
export type ReportRate = Written<typeof rate>
export type ReportRepeats = Written<typeof repeats>
export type ReportRun = Written<typeof run>
export type ReportRunVerdict = Written<typeof runVerdict>
export type ReportTurn = Written<typeof turn>
export type ReportSummary = Written<typeof summary>
export type ReportTally = Written<typeof tally>
export type ReportTrigger = Written<typeof trigger>
export type ReportTriggers = Written<typeof triggers>
export type ReportUsage = Written<typeof usage>

type Written<Schema extends z.ZodType> = Frozen<z.infer<Schema>>
type Frozen<Value> = { readonly [Key in keyof Value]: Frozen<Value[Key]> }
