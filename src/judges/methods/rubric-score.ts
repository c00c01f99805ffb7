import { sumOf } from '../../lists.ts'
import type { DimensionScore, FactCheck, JudgedStatement, RubricScores } from '../judgement.ts'
import type { AnsweredVerdict, Decision, JudgeAnswer } from '../method.ts'
import type { GoldenTest, Rubric } from '../../suites/golden.ts'
import type { JsonObject } from '../../json.ts'

/** An answer that can be used: each dimension of the rubric is in it. */
export interface RubricAnswer extends JudgeAnswer {
  readonly verdicts: readonly (AnsweredVerdict & { readonly score: number | null })[]
  readonly hardFails: readonly string[]
  /** Codes that the rubric does not have. */
  readonly unknownHardFails: readonly string[]
  readonly facts: readonly {
    readonly claim: string
    readonly stated_in_response: boolean
    readonly value_correct: boolean | null
    readonly cited: boolean | null
  }[]
  readonly overall: string
  /** As it was given, without its nonce. */
  readonly raw: JsonObject
}

/** What scores are weighed by. */
export interface RubricOfTest {
  readonly rubric: Pick<Rubric, 'dimensions' | 'hardFails' | 'threshold'>
  readonly golden: Pick<GoldenTest, 'expectedFacts' | 'required'>
}

function scoreAnswer(
  answer: RubricAnswer,
  judged: readonly JudgedStatement[],
  { rubric, golden }: RubricOfTest,
): RubricScores {
  const facts = answer.facts.map((fact): FactCheck => ({
    claim: fact.claim,
    stated: fact.stated_in_response,
    correct: fact.value_correct,
    cited: fact.cited,
  }))
  const dimensions = rubric.dimensions.map(({ name, weight }, index): DimensionScore => {
    const one = answer.verdicts.find(({ statement }) => statement === index + 1)
    const { score = null, reason: justification = '' } = one ?? {}
    const byFacts = name === FACTS && facts.length > 0 && score === null ? scoreFacts(facts) : null
    const given = byFacts ?? (isNotApplicable(score, justification) ? null : score)
    if (given === null) return { dimension: name, weight, score: null, justification }
    const { evidence, rests } = judged[index] ?? {}
    const clamped = Math.min(5, Math.max(1, given))
    return {
      dimension: name,
      weight,
      score: clamped,
      justification,
      ...(clamped === given ? {} : { clampedFrom: given }),
      ...(evidence === undefined || byFacts !== null ? {} : { evidence }),
      ...(rests === undefined ? {} : { rests }),
    }
  })
  const weighted = weightedScore(dimensions)
  return {
    dimensions,
    weighted,
    threshold: rubric.threshold,
    hardFails: answer.hardFails,
    justification: answer.overall,
    facts,
    missed: golden.required.flatMap(({ dimension, least }) => {
      const score =
        dimension === null ? weighted : (dimensions.find((one) => one.dimension === dimension)?.score ?? null)
      const what = dimension ?? 'the weighted score'
      return score === null || score >= least ? [] : [`${what} is ${score}, and the test asks for ${least}`]
    }),
  }
}

/** Whether a dimension does not apply. Some judges give a 5 to what they say does not. */
export function isNotApplicable(score: number | null, justification: string): boolean {
  return score === null || NOT_APPLICABLE.test(justification)
}

const NOT_APPLICABLE = /^\s*n\s*\/?\s*a\b/i
const FACTS = 'factual_accuracy'

// Right and with its source counts whole, right without it half. Halves go to the even number, as the format has it.
function scoreFacts(facts: readonly FactCheck[]): number {
  const points = sumOf(facts, ({ correct, cited }) => (correct === true ? (cited === true ? 1 : 0.5) : 0))
  const exact = (5 * points) / facts.length
  const down = Math.floor(exact)
  const rounded = exact - down === 0.5 ? down + (down % 2) : Math.round(exact)
  return Math.max(1, rounded)
}

function weightedScore(dimensions: readonly DimensionScore[]): number | null {
  const counted = dimensions.filter(({ score }) => score !== null)
  const weights = sumOf(counted, ({ weight }) => weight)
  if (weights === 0) return null
  const total = sumOf(counted, ({ score, weight }) => (score ?? 0) * weight)
  return Math.round((total / weights + Number.EPSILON) * 100) / 100
}

/**
 * What an answer comes to by the rubric and the test. A hard fail fails whatever the score; else a score without evidence
 * leaves it undecided; else the pass criteria of the test and the threshold of the rubric decide.
 */
export function decideScores(
  judged: readonly JudgedStatement[],
  answer: RubricAnswer | undefined,
  question: RubricOfTest,
): Decision {
  if (answer === undefined) return { result: 'errored', reason: judged[0]?.reason ?? '', statements: [], notices: [] }
  const rubric = scoreAnswer(answer, judged, question)
  const unknown = answer.unknownHardFails.length === 0 ? [] : [describeUnknownCodes(answer, question)]
  const notices = unknown.map((codes) => `The judge named a hard fail that does not count: ${codes}.`)
  const open = judged.find(({ verdict }) => verdict === 'unscored')
  const decided = rubric.hardFails.length > 0 || open === undefined ? weigh(rubric) : undecided(open)
  return { ...decided, rubric, statements: [], notices }
}

function undecided({ text, reason }: JudgedStatement): Pick<Decision, 'reason' | 'result'> {
  return { result: 'errored', reason: `The score of "${text}" does not count: ${reason}` }
}

/** Names the hard fails of an answer that the rubric does not have. */
export function describeUnknownCodes(
  { unknownHardFails }: Pick<RubricAnswer, 'unknownHardFails'>,
  { rubric }: Pick<RubricOfTest, 'rubric'>,
): string {
  const known = rubric.hardFails.map(({ code }) => code).join(', ')
  return `${unknownHardFails.join(', ')} is not in the rubric (${known})`
}

function weigh({
  weighted,
  threshold,
  hardFails,
  missed,
  justification,
}: RubricScores): Pick<Decision, 'reason' | 'result'> {
  const score = weighted === null ? 'no dimension applies' : `score ${weighted.toFixed(2)}`
  const why = justification.trim() === '' ? '' : `: ${justification.trim()}`
  if (hardFails.length > 0)
    return {
      result: 'failed',
      reason: `Hard fail ${hardFails.join(', ')} (${score}, which does not count)${why}`,
    }
  if (weighted === null)
    return { result: 'errored', reason: `The judge says that no dimension of the rubric applies${why}` }
  if (weighted < threshold) return { result: 'failed', reason: `The ${score} is below ${threshold.toFixed(2)}${why}` }
  const [first] = missed
  if (first !== undefined) {
    const more = missed.length === 1 ? '' : ` (and ${missed.length - 1} more)`
    return { result: 'failed', reason: `${first}${more}; ${score}${why}` }
  }
  return { result: 'passed', reason: `${score}${why}`.replace(/^s/, 'S') }
}
