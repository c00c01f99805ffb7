import { z } from 'zod'
import { pathSchema } from '../../checks/schemas.ts'
import { documentAt, errorAt, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { processText, validate } from '../../lib/documents/validate.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Assertion, CommandTest, SkillTest, TextAssertion } from './test-suite.ts'

/** `expected` as written, of all free tests together. */
interface ExpectedFields {
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
export const testPath: z.ZodType<string> = pathSchema(z)

const text = z.string().min(1, 'must not be empty: every output contains it')

/** Texts that must occur. */
const required: z.ZodType<readonly string[]> = z.array(text)

/** Texts that must not occur. */
const forbidden: z.ZodType<readonly string[]> = z.array(text)

/** What a process is expected to do. */
export const processExpectations = z.strictObject({
  'exit-code': z.number().int('must be a whole number').min(0).max(255).optional(),
  'stdout-contains': required.optional(),
  'stderr-contains': required.optional(),
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

/**
 * `commands/tests/cases/*.yaml` as written. The format names the folder but no fields, so these follow the other two:
 * `input` says what is rendered, `expected` what the text must and must not hold. `error-contains` is for a rendering
 * that must be refused, such as one without a required variable.
 */
const commandTestSchema = z.strictObject({
  name: testName,
  description: z.string().optional(),
  input: z.strictObject({
    command: z.string().min(1),
    variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
  expected: z
    .strictObject({
      contains: required.optional(),
      'not-contains': forbidden.optional(),
      'error-contains': required.optional(),
    })
    .optional(),
})

/** Reads one test of a command and looks up what it names in the package. */
export function parseCommandTest(document: ReadDocument, agentPackage: AgentPackage): ParsedTest<CommandTest> {
  const { value, issues } = validate(document, commandTestSchema)
  if (value === null) return { test: null, issues }

  const input = documentAt(document, ['input'])
  const variables = Object.entries(value.input.variables ?? {}).map(
    ([name, written]) => [name, String(written)] as const,
  )
  const test: CommandTest = {
    kind: 'command',
    id: value.name,
    name: value.name,
    description: value.description ?? null,
    command: value.input.command,
    variables: Object.fromEntries(variables),
    assertions: listAssertions(value.expected, document),
    at: document.positionOf(['name']),
    runAt: input.positionOf(['command']),
  }
  return { test, issues: [...issues, ...checkNames(test, input, agentPackage)] }
}

function checkNames(test: CommandTest, input: ReadDocument, agentPackage: AgentPackage): readonly Issue[] {
  const command = agentPackage.commands.find(({ name }) => name === test.command)
  if (command === undefined) {
    const names = agentPackage.commands.map(({ name }) => name)
    const hint = suggestName(test.command, names) || (names.length === 0 ? '' : ` It has ${names.join(', ')}.`)
    const message = `the package has no command ${JSON.stringify(test.command)} in working order.${hint}`
    return [errorAt(input, ['command'], 'unknown-command', message)]
  }
  const variables = command.variables.map(({ name }) => name)
  return Object.keys(test.variables)
    .filter((name) => !variables.includes(name))
    .map((name) => {
      const hint = suggestName(name, variables) || ` It has ${variables.join(', ') || 'none'}.`
      const issue = errorAt(input, ['variables', name], 'unknown-variable', `not a variable of the command.${hint}`)
      return { ...issue, ...input.keyPositionOf(['variables', name]) }
    })
}

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
    command: processText(z.string()),
    stdin: z.string().nullable().optional(),
    files: z.array(testPath).optional(),
  }),
  expected: processExpectations.optional(),
})

/** Reads one test of a skill. Pure: whether its files exist is seen when it runs. */
export function parseSkillTest(document: ReadDocument): ParsedTest<SkillTest> {
  const { value, issues } = validate(document, skillTestSchema)
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
