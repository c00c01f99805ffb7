import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { ownFile } from '../../own-folder.ts'
import { flagHelp, readFlags } from '../flags.ts'
import { probeMachine } from '../init/probe.ts'
import { findConfig, ignoreReports, newConfig } from '../init/project-files.ts'
import { surveyRepository } from '../init/survey.ts'
import { MAX_SKILLS, writeAll, writeEvals, type Written } from '../init/write-evals.ts'
import { painter, print } from '../output/terminal.ts'
import { isFolder } from '../../files.ts'
import type { Command } from '../command.ts'

const FLAGS = {
  all: { type: 'boolean', help: 'cases for every package, and trigger queries for every skill' },
  skill: { type: 'boolean', help: 'write the Claude Code skill `eval` instead, which runs the golden tests of agents' },
} as const

/** `agent-evals init`: first cases that fit the repository and run without a key. */
export const init: Command = {
  name: 'init',
  usage: '[folder] [options]',
  summary: 'Write first cases for the skills, hooks, agents and commands of this repository.',
  details: [
    `One case of each kind, and the trigger queries of at most ${MAX_SKILLS} skills.`,
    'Each has a scenario, so that it runs without a key.',
    'Existing files stay unchanged.',
    '',
    ...flagHelp(FLAGS),
  ],
  async run(argv) {
    const { values, positionals } = readFlags(FLAGS, argv)
    const root = readFolder(positionals)
    if (values.skill === true) {
      printWritten(root, writeAll([{ file: join(root, SKILL_PATH), text: readFileSync(SKILL, 'utf8') }]))
      return 0
    }
    const survey = await surveyRepository(root)
    const { written, leftOut } = await writeEvals(root, survey, { all: values.all === true })
    const config = findConfig(root)
    const configured = config === null ? writeAll([newConfig(root)]) : []
    const ignored = ignoreReports(root)

    printWritten(root, [...written, ...configured])
    if (ignored.length > 0) print(`  ${painter()('green', 'added')}    ${ignored.join(', ')} to .gitignore`)
    if (leftOut > 0) print(`\n${leftOut} more skills or packages: npx vitest-agent-evals init --all`)
    if (config?.isSet === false)
      print([
        '',
        `Add the plugin to ${join(shownFolder(root), config.name)}:`,
        '',
        ...(config.isCommonJs ? COMMON_JS_PLUGIN : PLUGIN),
      ])
    await printNext(root)
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

function printWritten(root: string, written: readonly Written[]): void {
  const paint = painter()
  print(
    written.map(({ file, isNew }) => {
      const path = join(shownFolder(root), relative(root, file))
      return `  ${isNew ? paint('green', 'created') : paint('dim', 'exists ')}  ${path}`
    }),
  )
}

async function printNext(root: string): Promise<void> {
  const paint = painter()
  const { engine, sandbox, isReady } = await probeMachine(root)
  const folder = shownFolder(root)
  print([
    '',
    ` Engine  ${isReady ? engine : paint('red', engine)}`,
    `Sandbox  ${sandbox}`,
    '',
    `Next: ${paint('cyan', `${folder === '' ? '' : `cd ${folder} && `}npx vitest-agent-evals run`)}`,
  ])
}

function shownFolder(root: string): string {
  return relative(process.cwd(), root)
}
