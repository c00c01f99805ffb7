import { z } from 'zod'
import { pathSchema } from '../../checks/schemas.ts'
import { documentAt, errorAt, type Issue, type Position, type ReadDocument } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { processText, validate, type Validated } from '../../lib/documents/validate.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Assertion, CommandTest, SharedFields, SkillTest } from './test-suite.ts'

/** The fields that say which test it is. */
export const identity = {
  name: z.string().regex(/^[a-z0-9-]{1,64}$/, { error: 'must be 1 to 64 characters of a-z, 0-9 and -' }),
  description: z.string().optional(),
}

/** A path below a folder. */
export const testPath: z.ZodType<string> = pathSchema(z)

const texts = z.array(z.string().min(1, 'must not be empty: every output contains it')).optional()

/** What a process is expected to do. */
export const processExpectations = z.strictObject({
  'exit-code': z.number().int('must be a whole number').min(0).max(255).optional(),
  'stdout-contains': texts,
  'stderr-contains': texts,
  'not-contains': texts,
  'stdout-json': z.record(z.string(), z.json()).optional(),
})

/** Fields of every free test; `runAt`: where the part that is run is written. */
export function sharedPart(
  { name, description, expected = {} }: Written,
  document: ReadDocument,
  runAt: Position,
): SharedFields {
  return {
    id: name,
    name,
    description: description ?? null,
    assertions: listAssertions(expected, documentAt(document, ['expected'])),
    at: document.positionOf(['name']),
    runAt,
  }
}

/** A free test as written, as far as all have the same fields. */
interface Written {
  readonly name: string
  readonly description?: string | undefined
  readonly expected?: object | undefined
}

// Expectations as a list in the order of the file.
function listAssertions(expected: object, document: ReadDocument): readonly Assertion[] {
  const assertions = Object.entries(expected).flatMap(([kind, value]: readonly [string, unknown]) => {
    const placeOf = kind === 'stdout-json' ? document.keyPositionOf : document.positionOf
    return Array.isArray(value)
      ? value.map((text: unknown, index) => ({ kind, value: text, at: placeOf([kind, index]) }))
      : [{ kind, value, at: placeOf([kind]) }]
  })
  return (assertions as readonly Assertion[]).toSorted((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
}

/**
 * `commands/tests/cases/*.yaml` as written. The format names the folder but no fields, so these follow the other two:
 * `input` says what is rendered, `expected` what the text must and must not hold. `error-contains` is for a rendering
 * that must be refused, such as one without a required variable.
 */
const commandTestSchema = z.strictObject({
  ...identity,
  input: z.strictObject({
    command: z.string().min(1),
    variables: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)).default({}),
  }),
  expected: z.strictObject({ contains: texts, 'not-contains': texts, 'error-contains': texts }).optional(),
})

/** Reads one test of a command and looks up what it names in the package. */
export function parseCommandTest(document: ReadDocument, agentPackage: AgentPackage): Validated<CommandTest> {
  const { value, issues } = validate(document, commandTestSchema)
  if (value === null) return { value, issues }
  const input = documentAt(document, ['input'])
  const test: CommandTest = {
    kind: 'command',
    ...sharedPart(value, document, input.positionOf(['command'])),
    ...value.input,
  }
  return { value: test, issues: [...issues, ...checkNames(test, input, agentPackage)] }
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

/** `skills/<name>/tests/cases/*.yaml` as written. A script that says nothing of its exit code is expected to succeed. */
const skillTestSchema = z.strictObject({
  ...identity,
  input: z.strictObject({
    command: processText(z.string()),
    stdin: z.string().nullable().default(null),
    files: z.array(testPath).default([]),
  }),
  expected: processExpectations.optional(),
})

/** Reads one test of a skill. Pure: whether its files exist is seen when it runs. */
export function parseSkillTest(document: ReadDocument): Validated<SkillTest> {
  const { value, issues } = validate(document, skillTestSchema)
  if (value === null) return { value, issues }
  const input = documentAt(document, ['input'])
  const runAt = input.positionOf(['command'])
  const shared = sharedPart(value, document, runAt)
  const succeeds: readonly Assertion[] =
    value.expected?.['exit-code'] === undefined ? [{ kind: 'exit-code', value: 0, at: runAt }] : []
  const test: SkillTest = {
    kind: 'skill',
    ...shared,
    command: value.input.command,
    stdin: value.input.stdin,
    files: value.input.files.map((path, index) => ({
      path: normalizeRelativePath(path),
      at: input.positionOf(['files', index]),
    })),
    assertions: [...succeeds, ...shared.assertions],
  }
  return { value: test, issues }
}
