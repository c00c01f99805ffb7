import type { ErrorCode } from '../errors.ts'
import type { MeterReading } from '../gateway/lease.ts'
import type { JudgePart } from './judgement.ts'

/** Says why a judge could not be asked; `null` when it could. What the gateway knows comes first: it has the API's own words. */
export function describeProblem(
  { problems, requests }: MeterReading,
  problem: string | null,
  judge: { readonly model: string; readonly scenarioFile: string | null },
): JudgePart['error'] {
  const known = problems.at(-1)
  if (known === undefined) return problem === null ? null : { code: 'judge-failed', message: problem }
  // It was asked, and what it made of that is the judge's own to say.
  if (known.code === 'model-refused' && problem !== null) return { code: 'judge-failed', message: problem }
  if (known.code === 'scenario-exhausted' && judge.scenarioFile !== null)
    return { code: known.code, message: tooFewAnswers(judge.scenarioFile, requests - 1) }
  return { code: codeOf(known.code), message: `The judge ${judge.model} could not be asked: ${known.message}` }
}

/** Says what to write into a scenario that has nothing for the judge. */
export function describeNoAnswers(file: string, statements: readonly string[]): string {
  const list = statements.map((text) => `# ${text}\n    - { verdict: pass, reason: ..., quote: ... }`).join('\n    ')
  return `${file} has no answers for the judge. Add \`judge\`, one list with a verdict for each statement:\njudge:\n  - ${list}`
}

function tooFewAnswers(file: string, given: number): string {
  return `${file}: the judge was asked more often than \`judge\` has answers (${given}). Add one for each vote, and one more for each answer that cannot be used.`
}

function codeOf(code: ErrorCode): ErrorCode {
  return code === 'upstream-failed' || code === 'unexpected-request' || code === 'model-refused' ? 'judge-failed' : code
}
