import { z } from 'zod'

const grader = z.object({ name: z.string(), passed: z.boolean(), scored: z.boolean(), withOnly: z.boolean() })
const run = z.object({ score: z.number().nullable(), graders: z.array(grader), error: z.string().nullish() })
const arms = z.object({ with: z.array(run), without: z.array(run).optional() })
const aggregates = z.object({
  score: z.number().nullable(),
  passRate: z.number().nullable(),
  scoreWithout: z.number().nullish(),
  delta: z.number().nullish(),
})
const schema = z.object({
  schemaVersion: z.literal(1),
  claudeVersion: z.string(),
  cases: z.array(z.object({ name: z.string(), arms, aggregates })),
})

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
  readonly runs: Readonly<Record<string, readonly RunScores[]>>
}

interface RunScores {
  readonly score: number | null
  readonly graders: string
}

/** Reads an `aggregate-result.json`. */
export function readScores(text: string): Scores {
  const { claudeVersion, cases } = schema.parse(JSON.parse(text))
  return {
    version: claudeVersion,
    cases: Object.fromEntries(
      cases.map(({ name, arms: { with: own, without = [] }, aggregates: sums }) => [
        name,
        {
          score: sums.score,
          scoreWithout: sums.scoreWithout ?? null,
          delta: sums.delta ?? null,
          runs: { with: own.map(scoresOf), without: without.map(scoresOf) },
        },
      ]),
    ),
  }
}

function scoresOf({ score, graders }: z.infer<typeof run>): RunScores {
  const words = graders.map(({ name, passed, scored }) => {
    const word = `${name}${passed ? '+' : '-'}`
    return scored ? word : `(${word})`
  })
  return { score, graders: words.toSorted().join(' ') }
}
