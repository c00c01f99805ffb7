import { sumOf } from '../../lists.ts'
import type { Decided } from '../decide-verdict.ts'
import type { RubricAnswer } from './rubric-form.ts'
import type { RubricQuestion } from './rubric-question.ts'
import type { DimensionScore, FactCheck, RubricScores } from './rubric-scores.ts'

/** Reckons what an answer comes to by the rubric and the test. */
export function scoreAnswer(
  answer: RubricAnswer,
  { rubric, golden }: Pick<RubricQuestion, 'golden' | 'rubric'>,
): RubricScores {
  const facts = answer.facts.map((fact): FactCheck => ({
    claim: fact.claim,
    stated: fact.stated_in_response,
    correct: fact.value_correct,
    cited: fact.cited,
  }))
  const dimensions = rubric.dimensions.map(({ name, weight }): DimensionScore => {
    const { score, justification } = answer.scores[name] ?? { score: null, justification: '' }
    const given = name === FACTS && facts.length > 0 && score === null ? scoreFacts(facts) : score
    // Some judges give a 5 to what they say does not apply.
    const applies = given !== null && (given !== score || !NOT_APPLICABLE.test(justification))
    if (!applies) return { dimension: name, weight, score: null, justification }
    const clamped = Math.min(5, Math.max(1, given))
    return {
      dimension: name,
      weight,
      score: clamped,
      justification,
      ...(clamped === given ? {} : { clampedFrom: given }),
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

/** A hard fail fails whatever the score; else the pass criteria of the test and the threshold of the rubric decide. */
export function decideScores({ weighted, threshold, hardFails, missed, justification }: RubricScores): Decided {
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
