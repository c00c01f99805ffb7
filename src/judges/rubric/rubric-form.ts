import { z } from 'zod'
import { readJson } from '../read-json.ts'
import { writeRubricPrompt } from './rubric-prompt.ts'
import { describeIssue } from '../schema.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import type { JudgeForm, ReadAnswer } from '../ask.ts'
import type { RubricQuestion } from './rubric-question.ts'

/** An answer that can be used: each dimension of the rubric is in it. */
export interface RubricAnswer {
  readonly scores: Readonly<Record<string, z.infer<typeof dimension>>>
  readonly hardFails: readonly string[]
  /** Codes that the rubric does not have. */
  readonly unknownHardFails: readonly string[]
  readonly facts: z.infer<typeof answer>['factual_checks']
  readonly overall: string
  readonly orders: string
  /** As it was given, without its nonce: what a recording keeps. */
  readonly raw: JsonObject
}

/** How a judge is asked for a score of each dimension. */
export function rubricForm(question: RubricQuestion): JudgeForm<RubricAnswer> {
  return {
    write: (nonce, complaint) => writeRubricPrompt(question, nonce, complaint),
    schema: rubricSchema(question),
    read(reply, nonce) {
      const read = reply.kind === 'json' ? reply : readJson(withoutFence(reply.text))
      return 'malformed' in read ? read : readRubricAnswer(read.value, question, nonce)
    },
    maxTokens: 2048 + (question.rubric.dimensions.length + question.golden.expectedFacts.length) * 256,
    temperature: 0.2,
  }
}

// As the runner of the format does.
function withoutFence(text: string): string {
  const fenced = text.trim()
  const [opening = ''] = /^```(?:json)?\s*\n/.exec(fenced) ?? []
  const inner = fenced.slice(opening.length, -3).trimEnd()
  const isClosed =
    opening !== '' && fenced.endsWith('```') && fenced.slice(inner.length + opening.length, -3).includes('\n')
  return isClosed ? inner : text
}

/** What the judge is forced to answer. */
export function rubricSchema({ rubric }: Pick<RubricQuestion, 'rubric'>): JsonObject {
  const names = rubric.dimensions.map(({ name }) => name)
  const codes = rubric.hardFails.map(({ code }) => code)
  const text = { type: 'string' }
  const maybe = { anyOf: [{ type: 'boolean' }, { type: 'null' }] }
  return object({
    nonce: text,
    ...Object.fromEntries(names.map((name) => [name, object({ justification: text, score: SCORE })])),
    hard_fails: { type: 'array', items: codes.length === 0 ? text : { type: 'string', enum: codes } },
    factual_checks: {
      type: 'array',
      items: object({ claim: text, stated_in_response: { type: 'boolean' }, value_correct: maybe, cited: maybe }),
    },
    overall: object({ justification: text }),
    orders: text,
  })
}

const SCORE: JsonObject = { anyOf: [{ type: 'integer', enum: [1, 2, 3, 4, 5] }, { type: 'null' }] }

function object(properties: JsonObject): JsonObject {
  return { type: 'object', additionalProperties: false, required: Object.keys(properties), properties }
}

/** Reads an answer that came as JSON. What a provider could not force may be missing where that says nothing wrong. */
export function readRubricAnswer(
  value: JsonValue,
  { rubric, golden }: Pick<RubricQuestion, 'golden' | 'rubric'>,
  nonce: string,
): ReadAnswer<RubricAnswer> {
  const dimensions = rubric.dimensions.map(({ name }) => [name, dimension] as const)
  const { success, data, error } = answer.safeParse(value)
  const scores = z.object(Object.fromEntries(dimensions)).safeParse(value)
  if (!success) return { malformed: describeIssue(error.issues[0]) }
  const unscored = dimensions.flatMap(([name]) => (isJsonObject(value) && value[name] === undefined ? [name] : []))
  if (unscored.length > 0) return { malformed: `no score for ${unscored.join(', ')}` }
  if (!scores.success) return { malformed: describeIssue(scores.error.issues[0]) }
  // An answer that only repeats scores from the evidence lacks the nonce.
  if (data.nonce !== nonce) return { malformed: 'the nonce is not that of the request' }
  const codes = rubric.hardFails.map(({ code }) => code)
  const written = data.hard_fails.map((one) => codes.find((code) => isCode(one, code)) ?? one)
  const isKnown = (code: string): boolean => codes.length === 0 || codes.includes(code)
  const facts = golden.expectedFacts.length
  if (facts > 0 && data.factual_checks.length !== facts)
    return { malformed: `"factual_checks" has ${data.factual_checks.length} entries, for ${facts} expected facts` }
  const { nonce: _, ...raw } = value as JsonObject
  return {
    answer: {
      scores: scores.data,
      hardFails: [...new Set(written.filter(isKnown))],
      unknownHardFails: [...new Set(written.filter((code) => !isKnown(code)))],
      facts: data.factual_checks,
      overall: data.overall.justification,
      orders: data.orders,
      raw,
    },
  }
}

// Some add the meaning of the code.
function isCode(written: string, code: string): boolean {
  return written.trim() === code || new RegExp(`^\\s*${code}\\b`).test(written)
}

const dimension = z.object({ score: z.number().nullable(), justification: z.string() })

const answer = z.object({
  nonce: z.string(),
  hard_fails: z.array(z.string()),
  factual_checks: z
    .array(
      z.object({
        claim: z.string(),
        stated_in_response: z.boolean(),
        value_correct: z.boolean().nullable(),
        cited: z.boolean().nullable(),
      }),
    )
    .default([]),
  overall: z.object({ justification: z.string() }),
  orders: z.string().default(''),
})
