#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { suggestName } from '../lib/documents/nearest-name.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import { toPrintable } from '../lib/text.ts'
import { ownFile } from '../own-folder.ts'
import { missingPeer, requireManifest } from './find/require-install.ts'
import { formatCommandHelp, formatHelp, type Command } from './flags.ts'
import { painter, print, printError } from '../report/summary/terminal.ts'

/** One file each. Only that of the command is loaded: all of them take longer than most commands. */
const COMMANDS: Readonly<Record<string, readonly [summary: string, load: () => Promise<Command>]>> = {
  run: [
    'Run all evals, or those that match a case name, an agent or a path.',
    async () => (await import('./commands/run.ts')).run,
  ],
  test: [
    'Run the free tests of skills, hooks and commands, without a model.',
    async () => (await import('./commands/test.ts')).testCommand,
  ],
  triggers: [
    'Ask every trigger query beside all skills of the repository; show which skill takes which query.',
    async () => (await import('./commands/triggers.ts')).triggers,
  ],
  list: [
    'List cases with their estimated runs, calls, time and cost.',
    async () => (await import('./commands/list.ts')).list,
  ],
  lint: [
    'Find mistakes in cases, packages, scenarios and recordings, without a model.',
    async () => (await import('./commands/lint.ts')).lint,
  ],
  show: [
    'Show a report: each case with its reason, or everything about one case.',
    async () => (await import('./commands/show.ts')).show,
  ],
  view: ['Write a report as one HTML file and open it.', async () => (await import('./commands/view.ts')).view],
  gate: [
    'Fail if a report is worse than another by more than noise, or beyond a limit.',
    async () => (await import('./commands/gate.ts')).gate,
  ],
  diff: [
    'Compare two reports: which results changed, and which inputs changed.',
    async () => (await import('./commands/diff.ts')).diff,
  ],
  merge: [
    'Merge run folders from several machines into one report.',
    async () => (await import('./commands/merge.ts')).merge,
  ],
  rejudge: [
    'Judge the stored runs of a report again, without running the agent.',
    async () => (await import('./commands/rejudge.ts')).rejudge,
  ],
  init: [
    'Write first cases for the skills, hooks, agents and commands of this repository.',
    async () => (await import('./commands/init.ts')).init,
  ],
  costs: [
    "Show the cost of agents' own work, their helpers and their golden tests, by month.",
    async () => (await import('./commands/costs.ts')).costs,
  ],
  audit: [
    "Review a sample of a judge's decisions: agree or disagree with each.",
    async () => (await import('./commands/audit.ts')).audit,
  ],
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
  const ownArguments = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv
  if (ownArguments.some(isHelp)) return showHelp(command.name)
  try {
    requireManifest(process.cwd())
    return await command.run(argv)
  } catch (error) {
    const prefix = painter(process.stderr)('red', `agent-evals ${command.name}:`)
    // What is not our own, such as a configuration that cannot be loaded, is reported in full.
    const shown = error instanceof AgentEvalsError || !(error instanceof Error) ? messageOf(error) : error.stack
    printError(`${prefix} ${toPrintable(missingPeer(error) ?? shown ?? messageOf(error))}`)
    return USAGE
  }
}

async function showHelp(name: string | undefined): Promise<number> {
  const command = name === undefined ? null : await findCommand(name)
  if (command !== null) print(formatCommandHelp(command, COMMANDS[command.name]?.[0] ?? '', painter()))
  else if (name !== undefined && !isHelp(name)) return showError(name)
  else {
    const summaries = Object.entries(COMMANDS).map(([one, [summary]]) => [one, summary] as const)
    print(formatHelp(summaries, ALIASES, painter()))
  }
  return 0
}

async function showError(code: string): Promise<number> {
  const { EXPLAINED_ERRORS } = await import('./explained-errors.ts')
  const explained = Object.entries(EXPLAINED_ERRORS).find(([one]) => one === code)?.[1]
  if (explained === undefined) {
    const hint = suggestName(code, [...Object.keys(EXPLAINED_ERRORS), ...Object.keys(COMMANDS)])
    printError(`agent-evals help: there is no command or error code ${JSON.stringify(code)}.${hint}`)
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
  printError(`agent-evals: unknown command ${JSON.stringify(name)}.${hint} See npx vitest-agent-evals --help.`)
  return USAGE
}

async function findCommand(name: string): Promise<Command | null> {
  const resolved = Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name
  return Object.hasOwn(COMMANDS, resolved) ? ((await COMMANDS[resolved]?.[1]()) ?? null) : null
}

function isHelp(argument: string): boolean {
  return argument === '--help' || argument === '-h'
}
