import { z } from 'zod'
import { documentAt, type ReadDocument } from '../../../documents/document.ts'
import { normalizeRelativePath } from '../../../documents/relative-path.ts'
import { listAssertions, processExpectations, testName, testPath, validateTest } from './test-fields.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { SkillTest } from '../../tests/test-suite.ts'

/** What a parser of free tests hands back. */
export interface ParsedTest<T> {
  readonly test: T | null
  readonly issues: readonly Issue[]
}

/** `skills/<name>/tests/cases/*.yaml` as written. */
const skillTestSchema = z.strictObject({
  name: testName,
  description: z.string().optional(),
  input: z.strictObject({
    command: z
      .string()
      .refine((value) => value.trim() !== '', 'must not be empty')
      .refine((value) => !value.includes('\0'), 'must not contain a NUL character'),
    stdin: z.string().nullable().optional(),
    files: z.array(testPath).optional(),
  }),
  expected: processExpectations.optional(),
})

/** Reads one test of a skill. Pure: whether its files exist is seen when it runs. */
export function parseSkillTest(document: ReadDocument): ParsedTest<SkillTest> {
  const { value, issues } = validateTest(document, skillTestSchema)
  if (value === null) return { test: null, issues }

  const input = documentAt(document, ['input'])
  const runAt = input.positionOf(['command'])
  const assertions = listAssertions(value.expected, document)
  const test: SkillTest = {
    kind: 'skill',
    id: value.name,
    name: value.name,
    description: value.description ?? null,
    command: value.input.command,
    stdin: value.input.stdin ?? null,
    files: (value.input.files ?? []).map((path, index) => ({
      path: normalizeRelativePath(path),
      at: input.positionOf(['files', index]),
    })),
    // A script that says nothing of its exit code is expected to succeed.
    assertions:
      value.expected?.['exit-code'] === undefined
        ? [{ kind: 'exit-code', value: 0, at: runAt }, ...assertions]
        : assertions,
    at: document.positionOf(['name']),
    runAt,
  }
  return { test, issues }
}
