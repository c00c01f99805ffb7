import { z } from 'zod'
import { documentAt, errorAt, type ReadDocument } from '../../../documents/document.ts'
import { suggestName } from '../../../documents/nearest-name.ts'
import { forbidden, listAssertions, testName, validateTest, wanted } from './test-fields.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { AgentPackage } from '../../../packages/package.ts'
import type { CommandTest } from '../../tests/test-suite.ts'
import type { ParsedTest } from './skill-test.ts'

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
      contains: wanted.optional(),
      'not-contains': forbidden.optional(),
      'error-contains': wanted.optional(),
    })
    .optional(),
})

/** Reads one test of a command and looks up what it names in the package. */
export function parseCommandTest(document: ReadDocument, agentPackage: AgentPackage): ParsedTest<CommandTest> {
  const { value, issues } = validateTest(document, commandTestSchema)
  if (value === null) return { test: null, issues }

  const input = documentAt(document, ['input'])
  const variables = Object.entries(value.input.variables ?? {}).map(([name, text]) => [name, String(text)] as const)
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
  const known = command.variables.map(({ name }) => name)
  return Object.keys(test.variables)
    .filter((name) => !known.includes(name))
    .map((name) => {
      const hint = suggestName(name, known) || ` It has ${known.join(', ') || 'none'}.`
      const issue = errorAt(input, ['variables', name], 'unknown-variable', `not a variable of the command.${hint}`)
      return { ...issue, ...input.keyPositionOf(['variables', name]) }
    })
}
