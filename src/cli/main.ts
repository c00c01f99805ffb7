#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { AgentEvalsError } from '../errors.ts'
import { ownFile } from '../own-folder.ts'
import { toPrintable } from '../results/printable.ts'
import { suggestName } from '../documents/nearest-name.ts'
import { audit } from './audit.ts'
import { costs } from './costs.ts'
import { diff } from './diff.ts'
import { EXPLAINED_ERRORS } from './explained-errors.ts'
import { formatCommandHelp, formatHelp } from './help.ts'
import { init } from './init.ts'
import { lint } from './lint.ts'
import { list } from './list.ts'
import { merge } from './merge.ts'
import { requireManifest } from './require-manifest.ts'
import { rejudge } from './rejudge.ts'
import { run } from './run.ts'
import { show } from './show.ts'
import { painter, print } from './terminal.ts'
import { testCommand } from './test.ts'
import { triggers } from './triggers.ts'
import { view } from './view.ts'
import type { Command } from './command.ts'

/** One file each. */
const COMMANDS: readonly Command[] = [
  run,
  testCommand,
  triggers,
  list,
  lint,
  show,
  view,
  diff,
  merge,
  rejudge,
  init,
  costs,
  audit,
]

/** Wrong arguments, or nothing to run. */
const USAGE = 2

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

process.exitCode = await main(process.argv.slice(2))

async function main([name = '--help', ...argv]: readonly string[]): Promise<number> {
  if (isHelp(name) || name === 'help') return showHelp(argv[0])
  if (name === '--version' || name === '-v') return showVersion()

  const command = findCommand(name)
  if (command === undefined) return refuse(name)
  // As the AAM text has it: `eval diff <report-a> <report-b>`.
  return name === 'eval' && argv[0] === 'diff' ? perform(diff, argv.slice(1)) : perform(command, argv)
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
    console.error(`${prefix} ${toPrintable(shown ?? messageOf(error))}`)
    return USAGE
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function showHelp(name: string | undefined): number {
  const command = name === undefined ? undefined : findCommand(name)
  if (command === undefined && name !== undefined && isErrorCode(name)) return showError(name)
  print(command === undefined ? formatHelp(COMMANDS, painter()) : formatCommandHelp(command, painter()))
  return 0
}

function isErrorCode(name: string): name is keyof typeof EXPLAINED_ERRORS {
  return Object.hasOwn(EXPLAINED_ERRORS, name)
}

function showError(code: keyof typeof EXPLAINED_ERRORS): number {
  const { meaning, fix } = EXPLAINED_ERRORS[code]
  print([`${painter()('bold', code)}: ${meaning}`, '', `Fix: ${fix}`])
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
  const names = COMMANDS.flatMap((command) => [command.name, ...(command.aliases ?? [])])
  const hint = suggestName(name, names)
  console.error(`agent-evals: unknown command ${JSON.stringify(name)}.${hint} See npx vitest-agent-evals --help.`)
  return USAGE
}

function findCommand(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name || command.aliases?.includes(name))
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}
