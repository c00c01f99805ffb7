import type { Command } from './flags.ts'
import type { Paint } from '../report/summary/terminal.ts'

/** The help of the program: one line per command. */
export function formatHelp(
  commands: readonly Command[],
  aliases: Readonly<Record<string, string>>,
  paint: Paint,
): readonly string[] {
  const nameOf = ({ name }: Command): string =>
    [name, ...Object.keys(aliases).filter((alias) => aliases[alias] === name)].join(', ')
  const width = Math.max(...commands.map((command) => nameOf(command).length))
  return [
    'Run the agent-eval files of a repository with Vitest, and work with their reports.',
    '',
    `${paint('bold', 'Usage')}  npx vitest-agent-evals <command> [options]`,
    '',
    paint('bold', 'Commands'),
    ...commands.map((command) => `  ${paint('cyan', nameOf(command).padEnd(width))}  ${command.summary}`),
    '',
    paint('dim', 'npx vitest-agent-evals <command> --help shows the options of a command.'),
  ]
}

/** The help of one command. */
export function formatCommandHelp(command: Command, paint: Paint): readonly string[] {
  return [
    command.summary,
    '',
    `${paint('bold', 'Usage')}  npx vitest-agent-evals ${command.name} ${command.usage}`.trimEnd(),
    ...(command.details.length === 0 ? [] : ['', ...command.details]),
  ]
}

/** Options in two columns. */
export function formatOptions(options: readonly (readonly [name: string, meaning: string])[]): readonly string[] {
  const width = Math.max(...options.map(([name]) => name.length))
  return options.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`)
}
