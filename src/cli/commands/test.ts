import { basename, extname, resolve } from 'node:path'
import { discoverTests } from '../../formats/discover.ts'
import { loadTestSuite } from '../../formats/free-tests/load-test-suite.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { testFoldersOf } from '../../formats/places.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isFolder } from '../../lib/files.ts'
import { UNIVERSAL_EVENT_NAMES, findHookEvent } from '../../packages/hook-events.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'

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

/** Which free tests are meant; all conditions must hold. */
export interface TestSelection {
  readonly skill: string | null
  readonly hooks: boolean
  /** Universal name. */
  readonly event: string | null
  readonly commands: boolean
  /** File name without its extension. */
  readonly stem: string | null
}

/**
 * Chooses from the files of free tests.
 *
 * @throws {AgentEvalsError} `invalid-options` when none is meant, with the nearest name.
 */
export async function selectTests(files: readonly string[], selection: TestSelection): Promise<readonly string[]> {
  const { skill, hooks, event, commands, stem } = selection
  if (skill !== null && (hooks || commands || event !== null))
    throw refuse('--skill excludes --hooks, --event and --commands')
  if (commands && (hooks || event !== null)) throw refuse('--commands excludes --hooks and --event')

  const ofPart = files.filter((file) => isOfPart(file, selection))
  if (ofPart.length === 0) throw refuse(noPart(files, selection))
  const ofEvent = event === null ? ofPart : await filterByEvent(ofPart, event)
  const chosen = stem === null ? ofEvent : ofEvent.filter((file) => stemOf(file) === stem)
  if (chosen.length > 0 || stem === null) return chosen
  const stems = ofEvent.map(stemOf)
  throw refuse(`no case file is called ${JSON.stringify(stem)}.${suggestName(stem, stems) || listed(stems)}`)
}

function isOfPart(file: string, { skill, hooks, event, commands }: TestSelection): boolean {
  const folders = testFoldersOf(file)
  if (skill !== null) return folders?.format === 'skill-test' && basename(folders.partDir) === skill
  if (hooks || event !== null) return folders?.format === 'hook-test'
  return commands ? folders?.format === 'command-test' : true
}

function noPart(files: readonly string[], { skill, commands }: TestSelection): string {
  if (skill === null) return `there are no tests of ${commands ? 'commands' : 'hooks'}`
  const skills = files.flatMap((file) => {
    const folders = testFoldersOf(file)
    return folders?.format === 'skill-test' ? [basename(folders.partDir)] : []
  })
  return `no skill ${JSON.stringify(skill)} has tests.${suggestName(skill, skills) || listed(skills)}`
}

async function filterByEvent(files: readonly string[], event: string): Promise<readonly string[]> {
  const hookEvent = findHookEvent(event)
  if (hookEvent === null) {
    throw refuse(
      `${JSON.stringify(event)} is not a hook event.${suggestName(event, UNIVERSAL_EVENT_NAMES) || listed(UNIVERSAL_EVENT_NAMES)}`,
    )
  }
  const cache = createSuiteCache()
  const chosen: string[] = []
  const events = new Set<string>()
  for (const file of files) {
    const { cases, issues } = await loadTestSuite(file, { cache })
    // A file that cannot be read may be one of them: it is run, and says what is wrong.
    if (cases.length === 0 && issues.some(({ severity }) => severity === 'error')) chosen.push(file)
    for (const one of cases) {
      if (one.kind !== 'hook') continue
      events.add(one.event)
      if (one.event === hookEvent.name) chosen.push(file)
    }
  }
  if (chosen.length === 0) throw refuse(`no test is for the event ${JSON.stringify(event)}.${listed([...events])}`)
  return chosen
}

function stemOf(file: string): string {
  return basename(file, extname(file))
}

function listed(names: readonly string[]): string {
  const unique = [...new Set(names)]
  return unique.length === 0 ? '' : ` There is ${unique.slice(0, 20).join(', ')}${unique.length > 20 ? ', …' : ''}.`
}
