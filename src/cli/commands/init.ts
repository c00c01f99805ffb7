import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { ownFile } from '../../own-folder.ts'
import { checkHookCases } from '../init/check-hooks.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { addIgnored, configFolder, findConfig, linesToIgnore, newConfig, probeMachine } from '../init/project-files.ts'
import {
  MAX_SKILLS,
  planEvals,
  surveyRepository,
  writeAll,
  writeEvals,
  type ChosenSurvey,
  type PlannedEvals,
  type Written,
} from '../init/write-evals.ts'
import { triggerFile } from '../init/cases.ts'
import { findIgnoredEvals } from '../lint/files.ts'
import { readOptions } from '../find/search.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { createCounter, painter, print } from '../../report/summary/terminal.ts'
import { isFolder } from '../../lib/files.ts'
import { plural } from '../../lib/text.ts'

const FLAGS = {
  skill: {
    type: 'string',
    multiple: true,
    value: 'NAME',
    help: 'cases for these skills only; several as NAME,NAME, or repeated',
  },
  all: { type: 'boolean', help: 'cases for every package, and trigger queries for every skill' },
  'dry-run': { type: 'boolean', help: 'show what would be written, write nothing' },
  'eval-skill': {
    type: 'boolean',
    help: 'write the Claude Code skill `eval` instead, which runs the golden tests of agents',
  },
} as const

/** `agent-evals init`: first cases that fit the repository and run without a key. */
export const init: Command = {
  name: 'init',
  usage: '[folder] [options]',
  details: [
    `One case of each kind, and the trigger queries of at most ${MAX_SKILLS} skills, for the package in`,
    'this folder, or the first below it.',
    'Each has a scenario, so that it runs without a key.',
    'Existing files stay unchanged.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const root = readFolder(positionals)
    if (values['eval-skill'] === true) {
      printWritten(root, writeAll(root, [{ file: join(root, SKILL_PATH), text: readFileSync(SKILL, 'utf8') }]))
      return 0
    }
    const survey = await surveyRepository({
      root,
      named: values.skill?.join(',') ?? null,
      all: values.all === true,
    })
    const home = configFolder(root)
    const config = findConfig(home)
    const options = await optionsOf(home, config?.isSet === true)
    const plan = await planEvals(root, survey, { all: survey.isAll, engine: options.engine })
    const files = config === null ? [newConfig(home)] : []
    const ignored = linesToIgnore(home)
    const isDry = values['dry-run'] === true
    const count = createCounter(plan.askedSkills.length, 'Written for skills')
    const written = isDry
      ? [...plan.files, ...plan.askedSkills.map(triggerFile), ...files].map(({ file }) => ({
          file,
          isNew: !existsSync(file),
        }))
      : [...(await writeEvals(root, plan, count)), ...writeAll(home, files)]
    if (!isDry) addIgnored(home, ignored)

    printWritten(root, written, isDry ? 'would create' : 'created')
    const place = join(shownFolder(home), '.gitignore')
    if (ignored.length > 0)
      print(`  ${painter()('green', isDry ? 'would add' : 'added')}    ${ignored.join(', ')} to ${place}`)
    if (isDry && plan.askedSkills.length > 0) print('  and a scenario for each query')
    printLeftOut(root, survey, plan)
    const issues = await findIgnoredEvals(
      home,
      written.map(({ file }) => file),
    )
    for (const { message, file, line } of issues)
      print(`\n${painter()('yellow', 'Ignored')}  ${relative(process.cwd(), file)}:${line}: ${message}`)
    if (config?.isSet === false)
      print([
        '',
        `Add the plugin to ${join(shownFolder(home), config.name)}:`,
        '',
        ...(config.isCommonJs ? COMMON_JS_PLUGIN : PLUGIN),
      ])
    if (isDry) return 0
    const isReady = await printMachine(root, plan, options)
    const isNew = new Set(written.flatMap((one) => (one.isNew ? [one.file] : [])))
    const canRun = isReady && config?.isSet !== false
    if (canRun)
      await printChecked(
        home,
        plan.hookCases.filter((file) => isNew.has(file)),
      )
    printNext(root, home)
    return 0
  },
}

const SKILL_PATH = '.claude/skills/eval/SKILL.md'

// Beside `dist` in the package.
const SKILL = ownFile('../skills/eval/SKILL.md')

const PLUGIN = [
  "  import { agentEvals } from 'vitest-agent-evals'",
  '  export default defineConfig({ plugins: [agentEvals()] })',
]

const COMMON_JS_PLUGIN = [
  "  const { agentEvals } = require('vitest-agent-evals')",
  '  module.exports = defineConfig({ plugins: [agentEvals()] })',
]

function readFolder([folder = '.', ...more]: readonly string[]): string {
  if (more.length > 0) throw new AgentEvalsError('invalid-options', `Expected one folder, got ${more.length + 1}.`)
  const root = resolve(folder)
  if (isFolder(root)) return root
  throw new AgentEvalsError('no-match', `${root} is not a folder.`)
}

function printWritten(root: string, written: readonly Written[], word = 'created'): void {
  const paint = painter()
  const shown = written.length > MOST_SHOWN ? written.slice(0, MOST_SHOWN) : written
  print([
    ...shown.map(({ file, isNew }) => {
      const path = join(shownFolder(root), relative(root, file))
      return `  ${isNew ? paint('green', word) : paint('dim', 'exists '.padEnd(word.length))}  ${path}`
    }),
    ...(shown.length === written.length ? [] : [`  and ${written.length - shown.length} more files`]),
  ])
}

const MOST_SHOWN = 100

// Only the engine is taken from the configuration: one that cannot be loaded keeps nobody from beginning.
function optionsOf(home: string, isSet: boolean): Promise<ResolvedOptions> {
  return readOptions(home, process.env, { config: isSet }).catch((error: unknown) => {
    if (!isSet) throw error
    print(`${painter()('yellow', 'Note:')} ${messageOf(error)} Until then scenarios are for ${DEFAULT_ENGINE}.\n`)
    return readOptions(home, process.env, { config: false })
  })
}

function printLeftOut(root: string, { found, isAll, packages }: ChosenSurvey, { leftOut }: PlannedEvals): void {
  if (isAll) return
  const [first] = packages
  const others = found - 1
  if (first !== undefined && first.root !== root && others > 0)
    print(
      `\nFor ${shownFolder(first.root)} only, the first of ${found} packages. For others: --skill NAME, a folder, or --all`,
    )
  else if (others > 0)
    print(`\nFor this package only; ${plural(others, 'package')} below it: --skill NAME, a folder, or --all`)
  if (leftOut > 0) print(`\nNo trigger queries for ${plural(leftOut, 'more skill')}: npx vitest-agent-evals init --all`)
}

async function printMachine(
  root: string,
  { engineNames }: Pick<PlannedEvals, 'engineNames'>,
  options: ResolvedOptions,
): Promise<boolean> {
  const paint = painter()
  const { engines, sandbox, isReady } = await probeMachine(root, engineNames, options)
  const lines = engines.map(({ text, isFound }) => ` Engine  ${isFound ? text : paint('red', text)}`)
  print(['', ...lines, `Sandbox  ${sandbox}`])
  return isReady
}

async function printChecked(home: string, files: readonly string[]): Promise<void> {
  const paint = painter()
  for (const { file, says, isGood } of await checkHookCases(home, files))
    print(` ${paint(isGood ? 'green' : 'yellow', 'Tested')}  ${shownFolder(file)}: ${says}`)
}

function printNext(root: string, home: string): void {
  // No shell has `&&` in all its versions: the folder is an argument.
  const words = [
    ...(shownFolder(home) === '' ? [] : ['--root', shownFolder(home)]),
    ...(root === home ? [] : [`${relative(home, root)}/`]),
  ]
  print(['', `Next: ${painter()('cyan', ['npx vitest-agent-evals run', ...words].join(' '))}`])
}

function shownFolder(root: string): string {
  return relative(process.cwd(), root)
}
