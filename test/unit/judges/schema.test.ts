import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { readReply, type ReadAnswer } from '../../../src/judges/ask.ts'
import { VERDICTS_SCHEMA, readVerdicts, writeVerdicts } from '../../../src/judges/methods/verdicts.ts'
import type { JudgeAnswer } from '../../../src/judges/method.ts'

const readText = (text: string): ReadAnswer<JudgeAnswer> =>
  readReply({ read: (value) => readVerdicts(value, [1, 2]) }, { kind: 'text', text }, 'n1')
const one = { statement: 1, reason: 'r', evidence: [{ item: 'm1', quote: 'q' }], looked_for: [], verdict: 'pass' }
const two = { ...one, statement: 2, verdict: 'fail' }
const answer = { nonce: 'n1', verdicts: [one, two], orders: '' }

test('reads one verdict for each statement, in any order', () => {
  expect(readText(` ${JSON.stringify({ ...answer, verdicts: [two, one] })}\n`)).toEqual({
    answer: { verdicts: [one, two], orders: '' },
  })
})

const malformed: readonly (readonly [name: string, text: string])[] = [
  ['nothing', ''],
  ['prose', 'Both statements pass.'],
  ['null', 'null'],
  ['a list', '[]'],
  ['truncated JSON', JSON.stringify(answer).slice(0, 50)],
  ['broken JSON', '{"nonce": n1}'],
  ['fenced JSON', `\`\`\`json\n${JSON.stringify(answer)}\n\`\`\``],
  ['JSON in prose', `Here it is: ${JSON.stringify(answer)}`],
  ['two answers', JSON.stringify(answer).repeat(2)],
  ['no nonce', JSON.stringify({ ...answer, nonce: undefined })],
  ['another nonce', JSON.stringify({ ...answer, nonce: 'n2' })],
  ['a missing statement', JSON.stringify({ ...answer, verdicts: [one] })],
  ['an extra statement', JSON.stringify({ ...answer, verdicts: [one, two, { ...one, statement: 3 }] })],
  ['a duplicate statement', JSON.stringify({ ...answer, verdicts: [one, two, two] })],
  ['statement 0', JSON.stringify({ ...answer, verdicts: [{ ...one, statement: 0 }, one, two] })],
  ['a verdict null', JSON.stringify({ ...answer, verdicts: [one, null] })],
  ['a verdict of another word', JSON.stringify({ ...answer, verdicts: [one, { ...two, verdict: 'PASS' }] })],
  ['a verdict true', JSON.stringify({ ...answer, verdicts: [one, { ...two, verdict: true }] })],
  ['no reason', JSON.stringify({ ...answer, verdicts: [one, { ...two, reason: undefined }] })],
  ['no quote', JSON.stringify({ ...answer, verdicts: [one, { ...two, evidence: [{ item: 'm1', quote: null }] }] })],
  ['another field', JSON.stringify({ ...answer, overall: 'pass' })],
  ['verdicts as text', JSON.stringify({ ...answer, verdicts: '1: pass' })],
]

test('J5: whatever is not exactly an answer is malformed, and says why', () => {
  const problems = malformed.map(([name, text]) => {
    const read = readText(text)
    return `${name}: ${'malformed' in read ? read.malformed : 'was read'}`
  })
  expect(problems).toMatchInlineSnapshot(`
    [
      "nothing: the answer is empty",
      "prose: the answer is not JSON",
      "null: the answer: Invalid input: expected object, received null",
      "a list: the answer: Invalid input: expected object, received array",
      "truncated JSON: the answer is not valid JSON, or breaks off",
      "broken JSON: the answer is not valid JSON, or breaks off",
      "fenced JSON: the answer is in a code fence",
      "JSON in prose: the answer is not JSON",
      "two answers: the answer is not valid JSON, or breaks off",
      "no nonce: "nonce": Invalid input: expected string, received undefined",
      "another nonce: the nonce is not that of the request",
      "a missing statement: 1 verdict for 2 statements: none on statement 2",
      "an extra statement: 3 verdicts for 2 statements: statement 3 does not exist",
      "a duplicate statement: there are several verdicts on statement 2",
      "statement 0: 3 verdicts for 2 statements: statement 0 does not exist",
      "a verdict null: "verdicts.1": Invalid input: expected object, received null",
      "a verdict of another word: "verdicts.1.verdict": Invalid option: expected one of "pass"|"fail"|"unscored"",
      "a verdict true: "verdicts.1.verdict": Invalid option: expected one of "pass"|"fail"|"unscored"",
      "no reason: "verdicts.1.reason": Invalid input: expected string, received undefined",
      "no quote: "verdicts.1.evidence.0.quote": Invalid input: expected string, received null",
      "another field: it has fields that were not asked for",
      "verdicts as text: "verdicts": Invalid input: expected array, received string",
    ]
  `)
})

test('answers that a scenario writes fit the schema, which Claude Code enforces', () => {
  const fits = new Ajv2020({ strict: true }).compile(VERDICTS_SCHEMA)
  const verdict = { verdict: 'pass', reason: 'r', quote: 'q', weak: '' } as const
  expect([fits(writeVerdicts([verdict, { ...verdict, quote: '' }])), fits.errors]).toEqual([true, null])
})
