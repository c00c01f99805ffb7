import { existsSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { findEngine } from '../../engines/find.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { isFolder } from '../../lib/files.ts'
import { plural } from '../../lib/text.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import { ownFile } from '../../own-folder.ts'
import { createCounter, painter, print } from '../../report/summary/terminal.ts'
import { decideSandbox } from '../../sandbox/decide.ts'
import { readOptions } from '../find/search.ts'
import { flagHelp, readFlags, type Command } from '../flags.ts'
import { checkHookCases } from '../init/check-hooks.ts'
import {
  addIgnored,
  configFolder,
  findConfig,
  linesToIgnore,
  newConfig,
  writeAll,
  type Written,
} from '../init/project-files.ts'
import { surveyRepository, type Survey } from '../init/survey.ts'
import { MAX_SKILLS, planEvals, writeEvals, type PlannedEvals } from '../init/write-evals.ts'
import { findIgnoredEvals } from '../lint/files.ts'

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
      printWritten(writeAll(root, [{ file: join(root, SKILL_PATH), text: readFileSync(SKILL, 'utf8') }]))
      return 0
    }
    const all = values.all === true || values.skill !== undefined
    const survey = await surveyRepository({ root, named: values.skill?.join(',') ?? null, all })
    const home = configFolder(root)
    const config = findConfig(home)
    const options = await optionsOf(home, config?.isSet === true)
    const plan = await planEvals(root, survey, { all, engine: options.engine })
    const configFiles = config === null ? [newConfig(home)] : []
    const ignored = linesToIgnore(home)
    const isDry = values['dry-run'] === true
    const count = createCounter(plan.triggers.length, 'Written for skills')
    const written = isDry
      ? [...plan.files, ...plan.triggers, ...configFiles].map((one) => ({ ...one, isNew: !existsSync(one.file) }))
      : [...(await writeEvals(root, plan, count)), ...writeAll(home, configFiles)]
    if (!isDry) addIgnored(home, ignored)

    printWritten(written, isDry ? 'would create' : 'created')
    const ignoreFile = join(shownPath(home), '.gitignore')
    if (ignored.length > 0)
      print(`  ${painter()('green', isDry ? 'would add' : 'added')}    ${ignored.join(', ')} to ${ignoreFile}`)
    if (isDry && plan.triggers.length > 0) print('  and a scenario for each query')
    if (!all) printLeftOut(root, survey, plan)
    const files = written.map(({ file }) => file)
    for (const { message, file, line } of await findIgnoredEvals(home, files))
      print(`\n${painter()('yellow', 'Ignored')}  ${shownPath(file)}:${line}: ${message}`)
    if (config?.isSet === false) printPlugin(join(shownPath(home), config.name), config.isCommonJs)
    if (isDry) return 0
    const isReady = await printMachine(root, plan.engineNames, options)
    const hookCases = written.flatMap(({ file, isNew, isHookCase }) => (isNew && isHookCase === true ? [file] : []))
    const checked = isReady && config?.isSet !== false ? await checkHookCases(home, hookCases) : []
    for (const { file, says, isGood } of checked)
      print(` ${painter()(isGood ? 'green' : 'yellow', 'Tested')}  ${shownPath(file)}: ${says}`)
    printNext(root, home)
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

function printWritten(written: readonly Written[], word = 'created'): void {
  const paint = painter()
  const lines = written.map(({ file, isNew }) => {
    const said = isNew ? paint('green', word) : paint('dim', 'exists '.padEnd(word.length))
    return `  ${said}  ${shownPath(file)}`
  })
  const more = lines.length > MOST_SHOWN ? [`  and ${lines.length - MOST_SHOWN} more files`] : []
  print([...lines.slice(0, MOST_SHOWN), ...more])
}

const MOST_SHOWN = 100

function printLeftOut(root: string, { packages, found }: Survey, { leftOut }: PlannedEvals): void {
  const first = packages[0]?.root ?? root
  const flags = '--skill NAME, a folder, or --all'
  if (found > 1 && first === root) print(`\nFor this package only; ${plural(found - 1, 'package')} below it: ${flags}`)
  else if (found > 1) print(`\nFor ${shownPath(first)} only, the first of ${found} packages. For others: ${flags}`)
  if (leftOut > 0) print(`\nNo trigger queries for ${plural(leftOut, 'more skill')}: npx vitest-agent-evals init --all`)
}

function printPlugin(file: string, isCommonJs: boolean): void {
  const [load, save] = isCommonJs
    ? ["const { agentEvals } = require('vitest-agent-evals')", 'module.exports =']
    : ["import { agentEvals } from 'vitest-agent-evals'", 'export default']
  print(['', `Add the plugin to ${file}:`, '', `  ${load}`, `  ${save} defineConfig({ plugins: [agentEvals()] })`])
}

// Looks for the engines and tries the sandbox, as a run does. Resolves to whether all engines are there.
async function printMachine(
  root: string,
  names: ReadonlySet<string>,
  { engines: paths, engineModules }: ResolvedOptions,
): Promise<boolean> {
  const environment = process.env
  const engines = await Promise.allSettled(
    Array.from(names, async (name) => {
      if (Object.hasOwn(engineModules, name)) return `${name} (your own)`
      const { version } = await findEngine(name, { option: paths[name], environment, root })
      return `${name} ${version ?? '(unknown version)'}`
    }),
  )
  const found = engines.map((one) => (one.status === 'fulfilled' ? one.value : painter()('red', messageOf(one.reason))))
  const sandbox = await decideSandbox('auto', { environment, root }).then(
    ({ enforced, notice }) => notice ?? enforced,
    messageOf,
  )
  print(['', ...found.map((text) => ` Engine  ${text}`), `Sandbox  ${sandbox}`])
  return engines.every(({ status }) => status === 'fulfilled')
}

function printNext(root: string, home: string): void {
  // No shell has `&&` in all its versions: the folder is an argument.
  const words = [
    ...(shownPath(home) === '' ? [] : ['--root', shownPath(home)]),
    ...(root === home ? [] : [`${relative(home, root)}/`]),
  ]
  print(['', `Next: ${painter()('cyan', ['npx vitest-agent-evals run', ...words].join(' '))}`])
}

function shownPath(path: string): string {
  return relative(process.cwd(), path)
}
