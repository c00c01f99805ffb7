import type { ErrorCode } from '../errors.ts'
import type { MeterReading } from '../gateway/leases/lease.ts'
import type { Scenario } from '../gateway/sources/scenario-file.ts'
import type { JudgePart } from './judgement.ts'

/** The judge that was asked. */
export interface AskedJudge {
  readonly model: string
  /** Where its answers are written; `null` for a model. */
  readonly scenario: Pick<Scenario, 'file' | 'judge'> | null
  /** What is wrong with answers that it had to be asked again for. */
  readonly malformed: readonly string[]
}

/** Says why a judge could not be asked; `null` when it could. What the gateway knows comes first: it has the API's own words. */
export function describeProblem(
  { problems, requests }: MeterReading,
  problem: string | null,
  judge: AskedJudge,
): JudgePart['error'] {
  const known = problems.at(-1)
  if (known === undefined) return problem === null ? null : { code: 'judge-failed', message: problem }
  // It was asked, and what it made of that is the judge's own to say.
  if (OF_ANSWERS.has(known.code) && problem !== null) return { code: 'judge-failed', message: problem }
  if (known.code === 'scenario-exhausted' && judge.scenario !== null)
    return { code: known.code, message: tooFewAnswers(judge.scenario, requests - 1, judge.malformed) }
  return { code: codeOf(known.code), message: `The judge ${judge.model} could not be asked: ${known.message}` }
}

function tooFewAnswers(
  { file, judge }: Pick<Scenario, 'file' | 'judge'>,
  given: number,
  malformed: readonly string[],
): string {
  const [first] = malformed
  // There is one answer, so it is the one to correct.
  if (first !== undefined && given === 1)
    return `${file}:${judge[0]?.line ?? 1}: the answer for the judge cannot be used: ${first}. Correct it.`
  const wrong = first === undefined ? '' : ` ${malformed.length} of them cannot be used: ${malformed.join('; ')}.`
  return `${file}: the judge was asked more often than \`judge\` has answers (${given}).${wrong} Add one for each vote, and one more for each answer that cannot be used.`
}

function codeOf(code: ErrorCode): ErrorCode {
  return code === 'upstream-failed' || code === 'unexpected-request' || OF_ANSWERS.has(code) ? 'judge-failed' : code
}

/** Codes of what is wrong with an answer that came. */
const OF_ANSWERS: ReadonlySet<ErrorCode> = new Set(['max-tokens', 'model-refused'])
