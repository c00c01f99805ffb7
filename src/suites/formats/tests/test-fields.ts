import { z } from 'zod'
import { documentAt, errorAt, type ReadDocument } from '../../../documents/document.ts'
import { checkRelativePath } from '../../../documents/relative-path.ts'
import { validate, type Validated } from '../../../documents/validate.ts'
import type { JsonObject } from '../../../json.ts'
import type { Assertion, TextAssertion } from '../../tests/test-suite.ts'

/** `expected` as written, of all free tests together. */
export interface ExpectedFields {
  readonly 'exit-code'?: number | undefined
  readonly 'stdout-json'?: JsonObject | undefined
  readonly 'stdout-contains'?: readonly string[] | undefined
  readonly 'stderr-contains'?: readonly string[] | undefined
  readonly contains?: readonly string[] | undefined
  readonly 'not-contains'?: readonly string[] | undefined
  readonly 'error-contains'?: readonly string[] | undefined
}

/** A case's name. */
export const testName: z.ZodType<string> = z
  .string()
  .regex(/^[a-z0-9-]{1,64}$/, { error: 'must be 1 to 64 characters of a-z, 0-9 and -' })

/** A path below a folder. */
export const testPath: z.ZodType<string> = z.string().check(({ value, issues }) => {
  const problem = checkRelativePath(value)
  if (problem === null) return
  issues.push({ code: 'custom', input: value, message: `the path ${problem}`, params: { code: 'unsafe-path' } })
})

const text = z.string().min(1, 'must not be empty: every output contains it')

/** Texts that must occur. */
export const wanted: z.ZodType<readonly string[]> = z.array(text)

/** Texts that must not occur. */
export const forbidden: z.ZodType<readonly string[]> = z.array(text)

/** What a process is expected to do. */
export const processExpectations = z.strictObject({
  'exit-code': z.number().int('must be a whole number').min(0).max(255).optional(),
  'stdout-contains': wanted.optional(),
  'stderr-contains': wanted.optional(),
  'not-contains': forbidden.optional(),
  'stdout-json': z.record(z.string(), z.json()).optional(),
})

/** Expectations as a list in the order of the file. */
export function listAssertions(expected: ExpectedFields | undefined, document: ReadDocument): readonly Assertion[] {
  if (expected === undefined) return []
  const written = documentAt(document, ['expected'])
  const code = expected['exit-code']
  const json = expected['stdout-json']
  const assertions: readonly Assertion[] = [
    ...(code === undefined ? [] : [{ kind: 'exit-code' as const, value: code, at: written.positionOf(['exit-code']) }]),
    ...(json === undefined
      ? []
      : [{ kind: 'stdout-json' as const, value: json, at: written.keyPositionOf(['stdout-json']) }]),
    ...TEXT_ASSERTIONS.flatMap((kind) =>
      (expected[kind] ?? []).map((value, index) => ({ kind, value, at: written.positionOf([kind, index]) })),
    ),
  ]
  return assertions.toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
}

const TEXT_ASSERTIONS: readonly TextAssertion[] = [
  'stdout-contains',
  'stderr-contains',
  'contains',
  'not-contains',
  'error-contains',
]

/** Checks a file with one case. */
export function validateTest<T>(document: ReadDocument, schema: z.ZodType<T>): Validated<T> {
  if (!Array.isArray(document.value)) return validate(document, schema)
  const issue = errorAt(document, [], 'wrong-type', 'expected one case, got a list; write one file per case')
  return { value: null, issues: [issue] }
}
