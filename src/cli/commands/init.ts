import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { isFolder } from '../../lib/files.ts'
import { plural } from '../../lib/text.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { ownFile } from '../../own-folder.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { createCounter, painter, print } from '../../report/summary/terminal.ts'
import { readOptions } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { writeAll, type Written } from '../init/new-files.ts'
import { MAX_SKILLS, planEvals, writeEvals, type PlannedEvals } from '../init/plan-evals.ts'
import { addIgnored, configFolder, findConfig, linesToIgnore, newConfig, probeMachine } from '../init/project-files.ts'
import { surveyRepository, type Survey } from '../init/survey.ts'

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
    const named = values.skill?.flatMap((names) => names.split(/[\s,]+/)).filter((name) => name !== '') ?? null
    const all = named !== null || values.all === true
    const survey = await surveyRepository({ root, named, all })
    const home = configFolder(root)
    const config = findConfig(home)
    const options = await optionsOf(home, config?.isSet === true)
    const plan = await planEvals(root, survey, { all, engine: options.engine })
    const files = config === null ? [newConfig(home)] : []
    const ignored = linesToIgnore(home)
    const isDry = values['dry-run'] === true
    const count = createCounter(plan.triggers.length, 'Written for skills')
    const written = isDry
      ? [...plan.files, ...plan.triggers.map(({ file }) => file), ...files].map(({ file }) => {
          return { file, isNew: !existsSync(file) }
        })
      : [...(await writeEvals(root, plan, count)), ...writeAll(home, files)]
    if (!isDry) addIgnored(home, ignored)

    printWritten(root, written, isDry ? 'would create' : 'created')
    const place = join(shownFolder(home), '.gitignore')
    if (ignored.length > 0)
      print(`  ${painter()('green', isDry ? 'would add' : 'added')}    ${ignored.join(', ')} to ${place}`)
    if (isDry && plan.triggers.length > 0) print('  and a scenario for each query')
    if (!all) printLeftOut(root, survey, plan)
    if (config?.isSet === false)
      print([
        '',
        `Add the plugin to ${join(shownFolder(home), config.name)}:`,
        '',
        "  import { agentEvals } from 'vitest-agent-evals'",
        '  export default defineConfig({ plugins: [agentEvals()] })',
      ])
    if (!isDry) printNext(root, home, await probeMachine(root, plan.engineNames, options))
    return 0
  },
}

const SKILL_PATH = '.claude/skills/eval/SKILL.md'

// Beside `dist` in the package.
const SKILL = ownFile('../skills/eval/SKILL.md')

function readFolder([folder = '.', ...more]: readonly string[]): string {
  if (more.length > 0) throw new AgentEvalsError('invalid-options', `Expected one folder, got ${more.length + 1}.`)
  const root = resolve(folder)
  if (isFolder(root)) return root
  throw new AgentEvalsError('no-match', `${root} is not a folder.`)
}

// Only the engine is taken from the configuration: one that cannot be loaded keeps nobody from beginning.
function optionsOf(home: string, isSet: boolean): Promise<ResolvedOptions> {
  return readOptions(home, process.env, { config: isSet }).catch((error: unknown) => {
    if (!isSet) throw error
    print(`${painter()('yellow', 'Note:')} ${messageOf(error)} Until then scenarios are for ${DEFAULT_ENGINE}.\n`)
    return readOptions(home, process.env, { config: false })
  })
}

function printWritten(root: string, written: readonly Written[], word = 'created'): void {
  const paint = painter()
  print([
    ...written.slice(0, MOST_SHOWN).map(({ file, isNew }) => {
      const path = join(shownFolder(root), relative(root, file))
      return `  ${isNew ? paint('green', word) : paint('dim', 'exists '.padEnd(word.length))}  ${path}`
    }),
    ...(written.length > MOST_SHOWN ? [`  and ${written.length - MOST_SHOWN} more files`] : []),
  ])
}

const MOST_SHOWN = 100

function printLeftOut(root: string, { found, packages: [first] }: Survey, { leftOut }: PlannedEvals): void {
  if (found > 1) {
    const whose =
      first === undefined || first.root === root
        ? `this package only; ${plural(found - 1, 'package')} below it:`
        : `${shownFolder(first.root)} only, the first of ${found} packages. For others:`
    print(`\nFor ${whose} --skill NAME, a folder, or --all`)
  }
  if (leftOut > 0) print(`\nNo trigger queries for ${plural(leftOut, 'more skill')}: npx vitest-agent-evals init --all`)
}

function printNext(root: string, home: string, { engines, sandbox }: Awaited<ReturnType<typeof probeMachine>>): void {
  const paint = painter()
  // No shell has `&&` in all its versions: the folder is an argument.
  const words = [
    ...(shownFolder(home) === '' ? [] : ['--root', shownFolder(home)]),
    ...(root === home ? [] : [`${relative(home, root)}/`]),
  ]
  print([
    '',
    ...engines.map(({ text, isFound }) => ` Engine  ${isFound ? text : paint('red', text)}`),
    `Sandbox  ${sandbox}`,
    '',
    `Next: ${paint('cyan', ['npx vitest-agent-evals run', ...words].join(' '))}`,
  ])
}

function shownFolder(root: string): string {
  return relative(process.cwd(), root)
}
