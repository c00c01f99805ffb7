import { z } from 'zod'

// What the readers of Claude Code 2.1.330 accept: nothing may be missing or null that is not so here.
const text = z.string()
const number = z.number()
const grader = z.object({
  name: text,
  passed: z.boolean(),
  weight: number,
  explanation: text,
  withOnly: z.boolean(),
  scored: z.boolean().optional(),
  judgeVotes: z.array(z.boolean()).optional(),
  evidence: text.optional(),
})
const run = z.object({
  score: number,
  passed: z.boolean(),
  turns: number,
  costUsd: number,
  judgeCostUsd: number,
  durationSeconds: number.optional(),
  startedAt: text.optional(),
  error: text.nullable(),
  tracePath: text,
  skippedPaidGraders: z.boolean(),
  aborted: z.object({ server: text, tool: text, reason: text }).optional(),
  graders: z.array(grader),
})
const oneCase = z.object({
  name: text,
  dir: text,
  source: text,
  promptMarkdown: text,
  model: text.optional(),
  runsPerCase: number,
  timeoutSeconds: number,
  maxTurns: number,
  graders: z.array(
    z.object({
      name: text,
      type: text,
      weight: number,
      graderMarkdown: text.optional(),
      config: z.record(text, z.unknown()),
    }),
  ),
  arms: z.object({ with: z.array(run), without: z.array(run).optional() }),
  advisories: z.array(text).optional(),
  aggregates: z.object({
    score: number,
    passRate: number,
    scoreWithout: number.optional(),
    passRateWithout: number.optional(),
    delta: number.optional(),
  }),
})
const schema = z.object({
  schemaVersion: z.literal(1),
  claudeVersion: text,
  startedAt: text,
  durationSeconds: number,
  costUsd: number,
  partial: z.boolean(),
  partialReason: z.enum(['cost_ceiling', 'interrupted', 'auth_failed']).optional(),
  suite: z.object({
    root: text,
    ablation: z.enum(['none', 'with-without']),
    modelOverride: text.optional(),
    judgeModel: text.optional(),
    caseFilter: text.optional(),
    tagFilters: z.array(text).optional(),
    threshold: number,
    concurrency: z.int().positive().optional(),
    plugins: z.array(z.object({ name: text, version: text.optional(), path: text, problem: text.optional() })),
  }),
  cases: z.array(oneCase),
  aggregates: z.object({
    casesTotal: number,
    casesPassed: number,
    overallScore: number,
    overallPassRate: number,
    meanDelta: number.optional(),
  }),
})

/** What both runners must agree on, by name of the case. */
export type Scores = Readonly<Record<string, CaseScores>>

/** The scores of `claude plugin eval`, and its version. */
export interface VersionScores {
  readonly version: string
  readonly cases: Scores
}

/** Scores of a case, its arms and their runs; graders that count without a mark, those that do not in brackets. */
export interface CaseScores {
  readonly score: number | null
  readonly scoreWithout: number | null
  readonly delta: number | null
  /** What the case asks: name, type, weight and settings of each grader. */
  readonly graders: readonly string[]
  readonly runs: Readonly<Record<string, readonly RunScores[]>>
}

/** Score and graders of one run. */
export interface RunScores {
  readonly score: number | null
  readonly graders: string
  /** The mocked tool whose call ended the run. */
  readonly aborted?: string
}

/** Reads the scores of an `aggregate-result.json`, which `claude plugin eval` writes. */
export function readScores(content: string): VersionScores {
  const { claudeVersion, cases } = schema.parse(JSON.parse(content))
  return { version: claudeVersion, cases: Object.fromEntries(cases.map((one) => [one.name, caseScores(one)])) }
}

function caseScores({ arms: { with: own, without = [] }, aggregates, graders }: z.infer<typeof oneCase>): CaseScores {
  return {
    score: aggregates.score,
    scoreWithout: aggregates.scoreWithout ?? null,
    delta: aggregates.delta ?? null,
    graders: graders.map(({ name, type, weight, config }) => graderLine(name, type, weight, config)).toSorted(),
    runs: { with: own.map(scoresOf), without: without.map(scoresOf) },
  }
}

/** A grader as an author defines it, in one line. */
export function graderLine(
  name: string,
  type: string,
  weight: number,
  config: Readonly<Record<string, unknown>>,
): string {
  const fields = Object.entries(config).toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `${name} ${type} ${weight} ${JSON.stringify(fields)}`
}

function scoresOf({ score, graders, aborted }: z.infer<typeof run>): RunScores {
  return {
    score,
    graders: resultLine(graders),
    ...(aborted === undefined ? {} : { aborted: `${aborted.server}/${aborted.tool}` }),
  }
}

/** How the graders of a run came out, in one line. */
export function resultLine(
  graders: readonly { readonly name: string; readonly passed: boolean; readonly scored?: boolean | undefined }[],
): string {
  const words = graders.map(({ name, passed, scored }) => {
    const word = `${name}${passed ? '+' : '-'}`
    return scored === false ? `(${word})` : word
  })
  return words.toSorted().join(' ')
}
