import { expect, test } from 'vitest'
import { z } from 'zod'
import { documentAt } from '../../../../src/lib/documents/document.ts'
import { readDocument } from '../../../../src/lib/documents/read-document.ts'
import { validate } from '../../../../src/lib/documents/validate.ts'

interface Sample {
  name: string
  input: { prompt: string; files?: string[] | undefined }
  mixed?: (string | { path: string })[] | undefined
  kind?: 'a' | 'b' | undefined
  ratio?: number | undefined
  env?: Record<string, string> | undefined
}

const schema: z.ZodType<Sample> = z.strictObject({
  name: z.string().min(1, 'give it a name'),
  input: z.strictObject({ prompt: z.string(), files: z.array(z.string()).optional() }),
  mixed: z.array(z.union([z.string(), z.strictObject({ path: z.string() })])).optional(),
  kind: z.enum(['a', 'b']).optional(),
  ratio: z.number().min(0).max(1).optional(),
  env: z.record(z.string(), z.string()).optional(),
})

const check = (text: string): readonly string[] =>
  validate(readDocument(text, { kind: 'yaml', file: '/f' }), schema).issues.map(
    ({ line, column, severity, code, field, message }) => `${line}:${column} ${severity} ${code} ${field}: ${message}`,
  )

test('all mistakes at once, each at its field, in the order of the file', () => {
  const text = `name: ""
input:
  promt: x
  files: [a, 2]
mixed: [3, {path: 1}, {path: a, pth: b}]
kind: c
ratio: 1.5
env: {A: 1}
extra: 1`
  expect(check(text)).toMatchInlineSnapshot(`
    [
      "1:7 error out-of-range name: give it a name",
      "2:1 error missing-field input.prompt: missing; expected a string",
      "3:3 error unknown-field input.promt: unknown field. Did you mean "prompt"?",
      "4:14 error wrong-type input.files.1: expected a string, got a number; put it in quotes",
      "5:9 error wrong-type mixed.0: expected a string or an object, got a number; put it in quotes",
      "5:19 error wrong-type mixed.1.path: expected a string, got a number; put it in quotes",
      "5:33 error unknown-field mixed.2.pth: unknown field. Did you mean "path"?",
      "6:7 error invalid-value kind: expected "a" or "b", got "c"",
      "7:8 error out-of-range ratio: must be at most 1",
      "8:10 error wrong-type env.A: expected a string, got a number; put it in quotes",
      "9:1 warning unknown-field extra: unknown field. It is ignored.",
    ]
  `)
})

test('what to write instead is said where it is plain', () => {
  const strict: z.ZodType = z.strictObject({
    version: z.literal(1).optional(),
    text: z.string().optional(),
    list: z.array(z.string()).optional(),
    flag: z.boolean().optional(),
    seconds: z.number().positive().optional(),
    threshold_pass: z.number().optional(),
    'stdout-contains': z.array(z.string()).optional(),
  })
  const messagesOf = (text: string): readonly string[] =>
    validate(readDocument(text, { kind: 'yaml', file: '/f' }), strict).issues.map(({ message }) => message)
  expect(
    [
      'version: 2',
      'version: "1"',
      'text: 7',
      'text: true',
      'text:',
      'text: [a]',
      'list: fixtures/a.txt',
      `list: ${'x'.repeat(80)}`,
      'flag: yes',
      'flag: "off"',
      'flag: maybe',
      'seconds: "30"',
      'seconds: 30s',
      'seconds: soon',
      'seconds: 0',
      'pass_threshold: 4',
      'contains: [a]',
    ].flatMap(messagesOf),
  ).toMatchInlineSnapshot(`
    [
      "expected 1, got 2",
      "expected 1, got "1"; remove the quotes",
      "expected a string, got a number; put it in quotes",
      "expected a string, got true or false; put it in quotes",
      "expected a string, got nothing (null); give it a value, or remove it",
      "expected a string, got a list",
      "expected a list, got a string; write a list: ["fixtures/a.txt"]",
      "expected a list, got a string; write it as an item of a list",
      "expected true or false, got a string; write true",
      "expected true or false, got a string; write false",
      "expected true or false, got a string",
      "expected a number, got a string; remove the quotes",
      "expected a number, got a string; write the number alone",
      "expected a number, got a string",
      "must be more than 0",
      "unknown field. Did you mean "threshold_pass"?",
      "unknown field. Did you mean "stdout-contains"?",
    ]
  `)
})

test('an unknown field that resembles nothing is a warning, and left out of the value', () => {
  const document = readDocument('name: a\ninput: {prompt: x, color: red}\nextra: 1', { kind: 'yaml', file: '/f' })
  const { value, issues } = validate(document, schema)
  expect(value).toEqual({ name: 'a', input: { prompt: 'x' } })
  expect(issues.map(({ severity, field }) => `${severity} ${field}`)).toEqual(['warning input.color', 'warning extra'])
})

test('C8 constructor and prototype are errors', () => {
  expect(check('name: a\ninput: {prompt: x}\nconstructor: 1\nprototype: 2')).toEqual([
    '3:1 error unknown-field constructor: unknown field. Remove it.',
    '4:1 error unknown-field prototype: unknown field. Remove it.',
  ])
})

test('a root of another type', () => {
  expect(check('- a')).toEqual(['1:1 error wrong-type : expected an object, got a list'])
  expect(check('a')).toEqual(['1:1 error wrong-type : expected an object, got a string'])
  expect(check('null')).toEqual([
    '1:1 error wrong-type : expected an object, got nothing (null); give it a value, or remove it',
  ])
})

test('thousands of unknown fields are one issue', () => {
  const text = Array.from({ length: 5000 }, (_, index) => `key${index}: v`).join('\n')
  expect(check(text)).toEqual(['1:1 error unknown-field : 5000 unknown fields, so this is another kind of file'])
})

test('a part of a document names whole paths and places', () => {
  const document = readDocument('a:\n  b:\n    name: 1', { kind: 'yaml', file: '/f' })
  const part = documentAt(document, ['a', 'b'])
  const { issues } = validate(part, z.strictObject({ name: z.string() }))
  expect(issues.map(({ line, column, field }) => `${line}:${column} ${field}`)).toEqual(['3:11 a.b.name'])
})
