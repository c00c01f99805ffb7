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
  // What a run that has no score in this project is marked by.
  agentEvals: z.object({ score: z.null() }).optional(),
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

/** An `aggregate-result.json`, as its readers see it. */
export type Aggregate = z.infer<typeof schema>

/** Reads an `aggregate-result.json` as Claude Code's own readers do. */
export function readAggregate(content: string): Aggregate {
  return schema.parse(JSON.parse(content))
}

/** A result of the format, reduced to what both runners must agree on. */
export interface Scores {
  readonly version: string
  readonly cases: Readonly<Record<string, CaseScores>>
}

/** Scores of a case, its arms and their runs; graders that count without a mark, those that do not in brackets. */
export interface CaseScores {
  readonly score: number | null
  readonly scoreWithout: number | null
  readonly delta: number | null
  /** What the case asks, as the result repeats it. */
  readonly graders: readonly string[]
  readonly runs: Readonly<Record<string, readonly RunScores[]>>
}

interface RunScores {
  readonly score: number | null
  readonly graders: string
  /** The mocked tool whose call ended the run. */
  readonly aborted?: string
}

/** Reads the scores of an `aggregate-result.json`. */
export function readScores(content: string): Scores {
  const { claudeVersion, cases } = readAggregate(content)
  return { version: claudeVersion, cases: Object.fromEntries(cases.map((one) => [one.name, caseScores(one)])) }
}

function caseScores({
  arms: { with: own, without = [] },
  aggregates,
  graders,
}: Aggregate['cases'][number]): CaseScores {
  return {
    score: aggregates.score,
    scoreWithout: aggregates.scoreWithout ?? null,
    delta: aggregates.delta ?? null,
    graders: graders.map(({ name, type, weight, config }) => `${name} ${type} ${weight} ${sorted(config)}`).toSorted(),
    runs: { with: own.map(scoresOf), without: without.map(scoresOf) },
  }
}

function sorted(config: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.entries(config).toSorted(([one], [other]) => (one < other ? -1 : 1)))
}

function scoresOf({ score, graders, aborted, agentEvals }: z.infer<typeof run>): RunScores {
  const words = graders.map(({ name, passed, scored }) => {
    const word = `${name}${passed ? '+' : '-'}`
    return scored === false ? `(${word})` : word
  })
  return {
    score: agentEvals === undefined ? score : null,
    graders: words.toSorted().join(' '),
    ...(aborted === undefined ? {} : { aborted: `${aborted.server}/${aborted.tool}` }),
  }
}
