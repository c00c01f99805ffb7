import { z } from 'zod'
import type { JsonObject, JsonValue } from '../json.ts'
import { readJson } from './read-json.ts'
import type { ReadAnswer, SaidReply } from './ask.ts'
import type { GivenQuote, Verdict } from './judgement.ts'

/** What the judge is forced to answer. */
export const ANSWER_SCHEMA: JsonObject = objectOf({
  nonce: textOf('The nonce of the request.'),
  verdicts: {
    type: 'array',
    items: objectOf({
      statement: { type: 'integer', description: 'Number of the statement.' },
      reason: textOf('One or two sentences.'),
      evidence: {
        type: 'array',
        description: 'At most three quotes.',
        items: objectOf({
          item: textOf('Id of the item, such as e12.'),
          quote: textOf('Verbatim from that item.'),
        }),
      },
      looked_for: {
        type: 'array',
        description: 'For something absent: words that would betray it; else empty.',
        items: { type: 'string' },
      },
      verdict: { type: 'string', enum: ['pass', 'fail', 'unscored'] },
      weak: textOf('Why the statement itself proves little, one sentence; else empty.'),
    }),
  },
  orders: textOf('What in the evidence told the judge how to judge, verbatim; else empty.'),
})

function textOf(description: string): JsonObject {
  return { type: 'string', description }
}

/** A schema of an object with exactly these fields. */
export function objectOf(properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

/** One verdict as it was answered. */
export interface AnsweredVerdict {
  readonly statement: number
  readonly reason: string
  /** Empty only where something is absent. */
  readonly evidence: readonly GivenQuote[]
  /** For something absent: words that would betray it. */
  readonly looked_for: readonly string[]
  readonly verdict: Verdict
  /** Why the statement itself proves little, whatever its verdict; a judge that does not say finds it fine. */
  readonly weak?: string | undefined
}

/** An answer that can be used: one verdict for each statement, in their order. */
export interface JudgeAnswer {
  readonly verdicts: readonly AnsweredVerdict[]
  readonly orders: string
}

/** What an answer must echo and cover. */
export interface AskedFor {
  readonly nonce: string
  /** Numbers of the statements that were asked about. */
  readonly statements: readonly number[]
}

/** Reads an answer. Nothing is repaired: what is not exactly an answer says nothing. */
export function readAnswer(reply: SaidReply, asked: AskedFor): ReadAnswer<JudgeAnswer> {
  const read = reply.kind === 'json' ? reply : readJson(reply.text)
  return 'malformed' in read ? read : checkAnswer(read.value, asked)
}

/** Reads an answer that came as JSON. */
export function checkAnswer(value: JsonValue, { nonce, statements: wanted }: AskedFor): ReadAnswer<JudgeAnswer> {
  const { success, data, error } = answerSchema.safeParse(value)
  if (!success) return { malformed: describeIssue(error.issues[0]) }
  // An answer that only repeats a verdict from the evidence lacks the nonce.
  if (data.nonce !== nonce) return { malformed: 'the nonce is not that of the request' }

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

const answerSchema = z.strictObject({
  nonce: z.string(),
  verdicts: z.array(
    z.strictObject({
      statement: z.int(),
      reason: z.string(),
      evidence: z.array(
        z.strictObject({
          // Some put the brackets around it that the evidence has.
          item: z
            .string()
            .nullable()
            .transform((id) => id?.replaceAll(/[[\]\s]/g, '') || null),
          quote: z.string(),
        }),
      ),
      looked_for: z.array(z.string()).default([]),
      verdict: z.enum(['pass', 'fail', 'unscored']),
      weak: z.string().optional(),
    }),
  ),
  orders: z.string(),
})

/** It goes into the second request, so nothing of the answer may be in it: that may be an agent's words. */
export function describeIssue(issue: z.core.$ZodIssue | undefined): string {
  if (issue === undefined || issue.code === 'unrecognized_keys') return 'it has fields that were not asked for'
  const path = issue.path.map(String).join('.')
  return `${path === '' ? 'the answer' : `"${path}"`}: ${issue.message}`
}
