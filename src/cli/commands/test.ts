import { resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { discoverTests } from '../../suites/discover.ts'
import { flagHelp, readFlags } from '../flags.ts'
import { selectTests, type TestSelection } from '../find/select-tests.ts'
import { isFolder } from '../../files.ts'
import type { Command } from '../command.ts'

const FLAGS = {
  skill: { type: 'string', value: 'NAME', help: 'only tests of this skill' },
  hooks: { type: 'boolean', help: 'only tests of hooks' },
  event: { type: 'string', value: 'EVENT', help: 'only tests of hooks for this event, such as pre-tool-use' },
  commands: { type: 'boolean', help: 'only tests of commands' },
  case: {
    type: 'string',
    value: 'FILE-STEM',
    help: 'only the case in this file, without its extension, such as 01-basic',
  },
  watch: { type: 'boolean', help: 'run affected tests again when a file is saved' },
} as const

/** The free tests of a package, without a vitest.config.ts. */
export const testCommand: Command = {
  name: 'test',
  usage: '[--skill NAME] [--hooks] [--event EVENT] [--commands] [--case FILE-STEM] [package] [-- vitest options]',
  summary: 'Run the free tests of skills, hooks and commands, without a model.',
  details: flagHelp(FLAGS),
  async run(argv) {
    const { selection, watch, packageFolder, rest } = readArguments(argv)
    const root = resolve(packageFolder)
    if (!isFolder(root)) throw refuse(`${root} is not a folder.`)
    const { ours } = await discoverTests(root)
    if (ours.length === 0)
      throw refuse(`There are no tests in skills/*/tests, hooks/tests or commands/tests below ${root}.`)

    const files = await selectTests(ours, selection)
    const { startVitestCommand } = await import('../../vitest/command/start-evals.ts')
    const { readVitestArguments } = await import('../../vitest/command/vitest-arguments.ts')
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
  const { values, positionals } = readFlags(FLAGS, end === -1 ? argv : argv.slice(0, end))
  if (positionals.length > 1) throw refuse(`Expected one package, got ${positionals.join(' ')}.`)
  const { skill = null, event = null, case: stem = null, hooks = false, commands = false, watch = false } = values
  return {
    selection: { skill, event, stem, hooks, commands },
    watch,
    packageFolder: positionals[0] ?? '.',
    rest: end === -1 ? [] : argv.slice(end + 1),
  }
}

function refuse(message: string): AgentEvalsError {
  return new AgentEvalsError('invalid-options', message)
}
