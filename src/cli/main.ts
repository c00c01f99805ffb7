#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { suggestName } from '../lib/documents/nearest-name.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import { toPrintable } from '../lib/text.ts'
import { ownFile } from '../own-folder.ts'
import { missingPeer, requireManifest } from './find/require-install.ts'
import { formatCommandHelp, formatHelp, type Command } from './flags.ts'
import { painter, print } from '../report/summary/terminal.ts'

/** One file each. Only that of the command is loaded: all of them take longer than most commands. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  run: async () => (await import('./commands/run.ts')).run,
  test: async () => (await import('./commands/test.ts')).testCommand,
  triggers: async () => (await import('./commands/triggers.ts')).triggers,
  list: async () => (await import('./commands/list.ts')).list,
  lint: async () => (await import('./commands/lint.ts')).lint,
  show: async () => (await import('./commands/show.ts')).show,
  view: async () => (await import('./commands/view.ts')).view,
  gate: async () => (await import('./commands/gate.ts')).gate,
  diff: async () => (await import('./commands/diff.ts')).diff,
  merge: async () => (await import('./commands/merge.ts')).merge,
  rejudge: async () => (await import('./commands/rejudge.ts')).rejudge,
  init: async () => (await import('./commands/init.ts')).init,
  costs: async () => (await import('./commands/costs.ts')).costs,
  audit: async () => (await import('./commands/audit.ts')).audit,
}

/** Other names of commands. */
const ALIASES: Readonly<Record<string, string>> = { eval: 'run' }

/** Wrong arguments, or nothing to run. */
const USAGE = 2

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

// Not awaited here: modules of commands import this one where the bundler has put what they share into it.
void main(process.argv.slice(2)).then((code) => (process.exitCode = code))

async function main([name = '--help', ...argv]: readonly string[]): Promise<number> {
  if (isHelp(name) || name === 'help') return showHelp(argv[0])
  if (name === '--version' || name === '-v') return showVersion()

  // As the AAM text has it: `eval diff <report-a> <report-b>`.
  if (name === 'eval' && argv[0] === 'diff') return main(argv)
  const command = await findCommand(name)
  return command === null ? refuse(name) : perform(command, argv)
}

async function perform(command: Command, argv: readonly string[]): Promise<number> {
  const own = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  if (own.some(isHelp)) return showHelp(command.name)
  try {
    requireManifest(process.cwd())
    return await command.run(argv)
  } catch (error) {
    const prefix = painter(process.stderr)('red', `agent-evals ${command.name}:`)
    // What is not our own, such as a configuration that cannot be loaded, is reported in full.
    const shown = error instanceof AgentEvalsError || !(error instanceof Error) ? messageOf(error) : error.stack
    console.error(`${prefix} ${toPrintable(missingPeer(error) ?? shown ?? messageOf(error))}`)
    return USAGE
  }
}

async function showHelp(name: string | undefined): Promise<number> {
  const command = name === undefined ? null : await findCommand(name)
  if (command !== null) print(formatCommandHelp(command, painter()))
  else if (name !== undefined && !isHelp(name)) return showError(name)
  else {
    const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()))
    print(formatHelp(commands, ALIASES, painter()))
  }
  return 0
}

async function showError(code: string): Promise<number> {
  const { EXPLAINED_ERRORS } = await import('./explained-errors.ts')
  const explained = Object.entries(EXPLAINED_ERRORS).find(([known]) => known === code)?.[1]
  if (explained === undefined) {
    const hint = suggestName(code, [...Object.keys(EXPLAINED_ERRORS), ...Object.keys(COMMANDS)])
    console.error(`agent-evals help: there is no command or error code ${JSON.stringify(code)}.${hint}`)
    return USAGE
  }
  print([`${painter()('bold', code)}: ${explained.meaning}`, '', `Fix: ${explained.fix}`])
  return 0
}

function showVersion(): number {
  const { version } = JSON.parse(readFileSync(ownFile('../package.json'), 'utf8')) as {
    version: string
  }
  print(version)
  return 0
}

function refuse(name: string): number {
  const hint = suggestName(name, [...Object.keys(COMMANDS), ...Object.keys(ALIASES)])
  console.error(`agent-evals: unknown command ${JSON.stringify(name)}.${hint} See npx vitest-agent-evals --help.`)
  return USAGE
}

async function findCommand(name: string): Promise<Command | null> {
  const own = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name
  return Object.hasOwn(COMMANDS, own) ? ((await COMMANDS[own]?.()) ?? null) : null
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}
