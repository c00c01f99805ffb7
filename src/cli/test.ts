import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentEvalsError } from '../errors.ts'
import { discoverTests } from '../suites/discover.ts'
import { formatOptions } from './help.ts'
import { selectTests, type TestSelection } from './select-tests.ts'
import type { Command } from './command.ts'

/** The free tests of a package, without a vitest.config.ts. */
export const testCommand: Command = {
  name: 'test',
  usage: '[--skill NAME] [--hooks] [--event EVENT] [--commands] [--case FILE-STEM] [package] [-- vitest options]',
  summary: 'Run the free tests of skills, hooks and commands, without a model.',
  details: formatOptions([
    ['--skill NAME', 'only tests of this skill'],
    ['--hooks', 'only tests of hooks'],
    ['--event EVENT', 'only tests of hooks for this event, such as pre-tool-use'],
    ['--commands', 'only tests of commands'],
    ['--case FILE-STEM', 'only the case in this file, without its extension, such as 01-basic'],
    ['--watch', 'run affected tests again when a file is saved'],
  ]),
  async run(argv) {
    const { selection, watch, packageFolder, rest } = readArguments(argv)
    const root = resolve(packageFolder)
    if (!existsSync(root) || !statSync(root).isDirectory()) throw refuse(`${root} is not a folder.`)
    const { ours } = await discoverTests(root)
    if (ours.length === 0)
      throw refuse(`There are no tests in skills/*/tests, hooks/tests or commands/tests below ${root}.`)

    const files = await selectTests(ours, selection)
    const { startVitestCommand } = await import('../vitest/command/start-evals.ts')
    const { readVitestArguments } = await import('../vitest/command/vitest-arguments.ts')
    const { filters, options } = readVitestArguments(rest)
    const named = files.length === ours.length ? [] : files
    return startVitestCommand('assert', {
      filters: [...named, ...filters],
      options: { ...options, root, ...(watch ? { watch, run: false } : {}) },
    })
  },
}

interface TestArguments {
  readonly selection: TestSelection
  readonly watch: boolean
  readonly packageFolder: string
  /** For Vitest. */
  readonly rest: readonly string[]
}

function readArguments(argv: readonly string[]): TestArguments {
  const end = argv.indexOf('--')
  const { values, positionals } = parse(end === -1 ? argv : argv.slice(0, end))
  if (positionals.length > 1) throw refuse(`Expected one package, got ${positionals.join(' ')}.`)
  const { skill = null, event = null, case: stem = null, hooks = false, commands = false, watch = false } = values
  return {
    selection: { skill, event, stem, hooks, commands },
    watch,
    packageFolder: positionals[0] ?? '.',
    rest: end === -1 ? [] : argv.slice(end + 1),
  }
}

function parse(
  args: readonly string[],
): ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>> {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  } catch (error) {
    throw refuse(error instanceof Error ? error.message : String(error))
  }
}

const OPTIONS = {
  skill: { type: 'string' },
  hooks: { type: 'boolean' },
  event: { type: 'string' },
  commands: { type: 'boolean' },
  case: { type: 'string' },
  watch: { type: 'boolean' },
} as const

function refuse(message: string): AgentEvalsError {
  return new AgentEvalsError('invalid-options', message)
}
