import { parseArgs } from 'node:util'
import { similarName } from '../lib/documents/nearest-name.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import type { Paint } from '../report/summary/terminal.ts'

/** A flag of one command. Its parser and its line of help both come from this entry. */
interface Flag {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** Whether it may be there several times. */
  readonly multiple?: true
  /** Name of the value in the help, such as `FILE`. */
  readonly value?: string
  readonly help: string
}

/** The flags of one command by their names. */
type Flags = Readonly<Record<string, Flag>>

/** A command line without the program and the command. */
interface Parsed<F extends Flags> {
  readonly values: { readonly [Name in keyof F]?: ValueOf<F[Name]> }
  readonly positionals: readonly string[]
}

type ValueOf<F extends Flag> = F['type'] extends 'boolean'
  ? boolean
  : F extends { readonly multiple: true }
    ? readonly string[]
    : string

/**
 * Parses the arguments of a command that accepts these flags only.
 *
 * @throws {AgentEvalsError} `invalid-options`
 */
export function readFlags<const F extends Flags>(flags: F, argv: readonly string[]): Parsed<F> {
  try {
    const { values, positionals } = parseArgs({ args: [...argv], allowPositionals: true, options: { ...flags } })
    return { values, positionals }
  } catch (error) {
    const message = messageOf(error)
    // Node adds two lines about arguments that begin with a dash.
    const unknown = /^Unknown option '([^']+)'/.exec(message)?.[1]
    const near = unknown === undefined ? null : similarName(unknown.replace(/^-+/, ''), Object.keys(flags))
    const hint = near === null ? '' : ` Did you mean --${near}?`
    const reason = unknown === undefined ? message : `${unknown} is unknown.${hint} --help shows all options.`
    throw new AgentEvalsError('invalid-options', reason, { cause: error })
  }
}

/** The help of flags, in two columns. */
export function flagHelp(flags: Flags): readonly string[] {
  return formatOptions(
    Object.entries(flags).map(([name, { short, value = '', help }]) => [
      `${short === undefined ? `--${name}` : `-${short}`} ${value}`.trimEnd(),
      help,
    ]),
  )
}

/** One command of `agent-evals`. */
export interface Command {
  readonly name: string
  /** What follows the name, such as `[filter...]`. */
  readonly usage: string
  /** The rest of its help. */
  readonly details: readonly string[]
  /** Runs it; resolves to the exit code. Throws {@link AgentEvalsError} for what the user can fix. */
  run(argv: readonly string[]): Promise<number>
}

/** The help of the program: one line per command. */
export function formatHelp(
  commands: readonly (readonly [name: string, summary: string])[],
  aliases: Readonly<Record<string, string>>,
  paint: Paint,
): readonly string[] {
  const named = commands.map(([name, summary]) => {
    const names = [name, ...Object.keys(aliases).filter((alias) => aliases[alias] === name)]
    return [names.join(', '), summary] as const
  })
  const width = Math.max(...named.map(([names]) => names.length))
  return [
    'Run the agent-eval files of a repository with Vitest, and work with their reports.',
    '',
    `${paint('bold', 'Usage')}  npx vitest-agent-evals <command> [options]`,
    '',
    paint('bold', 'Commands'),
    ...named.map(([names, summary]) => `  ${paint('cyan', names.padEnd(width))}  ${summary}`),
    '',
    paint('dim', 'npx vitest-agent-evals <command> --help shows the options of a command.'),
  ]
}

/** The help of one command. */
export function formatCommandHelp(command: Command, summary: string, paint: Paint): readonly string[] {
  return [
    summary,
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
