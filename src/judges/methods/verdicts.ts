import { z } from 'zod'
import { NONCE_PLACEHOLDER } from '../../gateway/sources/nonce.ts'
import { decideVerdict } from '../decide-verdict.ts'
import { describeIssue, EVIDENCE_FIELDS, evidenceFields, objectOf, textOf } from '../json-answer.ts'
import type { ScenarioJudgement } from '../../gateway/sources/scenario-file.ts'
import type { JsonObject, JsonValue } from '../../json.ts'
import type { ReadAnswer } from '../ask.ts'
import type { JudgeAnswer, JudgeMethod } from '../method.ts'

/** A list of verdicts, as a judge is forced to answer it. */
export const VERDICTS_SCHEMA: JsonObject = objectOf({
  nonce: textOf('The nonce of the request.'),
  verdicts: {
    type: 'array',
    items: objectOf({
      statement: { type: 'integer' },
      reason: textOf('One or two sentences.'),
      ...EVIDENCE_FIELDS,
      verdict: { type: 'string', enum: ['pass', 'fail', 'unscored'] },
      weak: textOf('Why the statement itself proves little, one sentence; else empty.'),
    }),
  },
  orders: textOf('What in the evidence told the judge how to judge, verbatim; else empty.'),
})

const answerSchema = z.strictObject({
  nonce: z.string(),
  verdicts: z.array(
    z.strictObject({
      statement: z.int(),
      reason: z.string(),
      ...evidenceFields,
      verdict: z.enum(['pass', 'fail', 'unscored']),
      weak: z.string().optional(),
    }),
  ),
  orders: z.string(),
})

/** Reads one verdict on each statement of these numbers. */
export function readVerdicts(value: JsonValue, wanted: readonly number[]): ReadAnswer<JudgeAnswer> {
  const { success, data, error } = answerSchema.safeParse(value)
  if (!success) return { malformed: describeIssue(error.issues[0]) }
  const numbers = data.verdicts.map(({ statement }) => statement)
  const missing = wanted.filter((number) => !numbers.includes(number))
  const extra = numbers.filter((number) => !wanted.includes(number))
  const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
  const counts = `${countOf(numbers.length, 'verdict')} for ${countOf(wanted.length, 'statement')}`
  if (missing.length > 0) return { malformed: `${counts}: none on statement ${missing.join(', ')}` }
  if (extra.length > 0) return { malformed: `${counts}: statement ${extra.join(', ')} does not exist` }
  if (twice.length > 0)
    return { malformed: `there are several verdicts on statement ${[...new Set(twice)].join(', ')}` }
  return { answer: { verdicts: data.verdicts.toSorted((a, b) => a.statement - b.statement), orders: data.orders } }
}

function countOf(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}

/** What is the same for every method that asks for one verdict on each statement. */
export function verdictsOn(
  statements: readonly string[],
): Pick<JudgeMethod<JudgeAnswer>, 'decide' | 'scenario' | 'statements' | 'toJson'> {
  return {
    statements,
    decide: (judged) => ({ ...decideVerdict(judged), statements: judged, notices: [] }),
    toJson: ({ verdicts, orders }) => ({
      verdicts: verdicts.map(({ evidence, looked_for, ...verdict }): JsonObject => {
        return { ...verdict, evidence: evidence.map((quote) => ({ ...quote })), looked_for: [...looked_for] }
      }),
      orders,
    }),
    scenario: {
      misfit: 'scores',
      write: ({ verdicts }) => (verdicts === null ? null : writeVerdicts(verdicts)),
      describeMissing(file) {
        const list = statements.map((text) => `# ${text}\n    - { verdict: pass, reason: ..., quote: ... }`)
        return `${file} has no answers for the judge. Add \`judge\`, one list with a verdict for each statement:\njudge:\n  - ${list.join('\n    ')}`
      },
    },
  }
}

/** Writes verdicts of a scenario as the judge has to answer them. */
export function writeVerdicts(verdicts: NonNullable<ScenarioJudgement['verdicts']>): JsonObject {
  return {
    nonce: NONCE_PLACEHOLDER,
    verdicts: verdicts.map(({ verdict, reason, quote, weak }, index) => {
      // As the schema has it: Claude Code refuses every other answer.
      const evidence = quote === '' ? [] : [{ item: '', quote }]
      return { statement: index + 1, reason, evidence, looked_for: [], verdict, weak }
    }),
    orders: '',
  }
}
