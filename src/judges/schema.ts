import { z } from 'zod'
import type { JsonObject, JsonValue } from '../json.ts'
import { readJson } from './read-json.ts'
import type { ReadAnswer, SaidReply } from './ask.ts'
import type { Verdict } from './judgement.ts'

/** What the judge is forced to answer. */
export const ANSWER_SCHEMA: JsonObject = {
  type: 'object',
  additionalProperties: false,
  required: ['nonce', 'verdicts', 'orders'],
  properties: {
    nonce: { type: 'string', description: 'The nonce of the request.' },
    verdicts: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['statement', 'reason', 'quote', 'verdict', 'weak'],
        properties: {
          statement: { type: 'integer', description: 'Number of the statement, from 1.' },
          reason: { type: 'string', description: 'One or two sentences.' },
          quote: { type: 'string', description: 'Verbatim from the evidence.' },
          verdict: { type: 'string', enum: ['pass', 'fail', 'unscored'] },
          weak: { type: 'string', description: 'Why the statement itself proves little, one sentence; else empty.' },
        },
      },
    },
    orders: { type: 'string', description: 'What in the evidence told the judge how to judge, verbatim; else empty.' },
  },
}

/** One verdict as it was answered. */
export interface AnsweredVerdict {
  readonly statement: number
  readonly reason: string
  readonly quote: string
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
  /** Number of statements. */
  readonly statements: number
}

/** Reads an answer. Nothing is repaired: what is not exactly an answer says nothing. */
export function readAnswer(reply: SaidReply, asked: AskedFor): ReadAnswer<JudgeAnswer> {
  const read = reply.kind === 'json' ? reply : readJson(reply.text)
  return 'malformed' in read ? read : checkAnswer(read.value, asked)
}

/** Reads an answer that came as JSON. */
export function checkAnswer(value: JsonValue, { nonce, statements }: AskedFor): ReadAnswer<JudgeAnswer> {
  const { success, data, error } = answerSchema.safeParse(value)
  if (!success) return { malformed: describeIssue(error.issues[0]) }
  // An answer that only repeats a verdict from the evidence lacks the nonce.
  if (data.nonce !== nonce) return { malformed: 'the nonce is not that of the request' }

  const numbers = data.verdicts.map(({ statement }) => statement)
  const wanted = Array.from({ length: statements }, (_, index) => index + 1)
  const missing = wanted.filter((number) => !numbers.includes(number))
  const extra = numbers.filter((number) => !wanted.includes(number))
  const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index)
  if (missing.length > 0)
    return {
      malformed: `${countOf(numbers.length)} for ${countStatements(statements)}: none on statement ${missing.join(', ')}`,
    }
  if (extra.length > 0)
    return {
      malformed: `${countOf(numbers.length)} for ${countStatements(statements)}: statement ${extra.join(', ')} does not exist`,
    }
  if (twice.length > 0)
    return { malformed: `there are several verdicts on statement ${[...new Set(twice)].join(', ')}` }
  return { answer: { verdicts: data.verdicts.toSorted((a, b) => a.statement - b.statement), orders: data.orders } }
}

function countOf(verdicts: number): string {
  return verdicts === 1 ? '1 verdict' : `${verdicts} verdicts`
}

function countStatements(statements: number): string {
  return statements === 1 ? '1 statement' : `${statements} statements`
}

const answerSchema = z.strictObject({
  nonce: z.string(),
  verdicts: z.array(
    z.strictObject({
      statement: z.int(),
      reason: z.string(),
      quote: z.string(),
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
