import { AgentEvalsError } from '../errors.ts'
import { renderCommand } from './render-command.ts'
import type { Performed } from './perform.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { CommandTest } from '../suites/tests/test-suite.ts'

/** Renders a command's template. */
export function performCommandTest(test: CommandTest, pkg: AgentPackage): Performed {
  const command = pkg.commands.find(({ name }) => name === test.command)
  if (command === undefined) {
    throw new AgentEvalsError(
      'missing-input',
      `The package has no command ${JSON.stringify(test.command)} any more. Run again.`,
    )
  }
  const { text, problems } = renderCommand(command, test.variables)
  const output = { exitCode: null, signal: null, stdout: text ?? '', stderr: problems.join('\n'), json: undefined }
  const isRefusalWanted = test.assertions.some(({ kind }) => kind === 'error-contains')
  if (text !== null || isRefusalWanted) return { kind: 'ended', output }
  return {
    kind: 'broken',
    message: `expected the command to be rendered but ${problems.join('; ')}`,
    expected: 'a rendered text',
    actual: problems.join('\n'),
    output: null,
  }
}
