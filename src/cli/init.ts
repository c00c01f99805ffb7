import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentEvalsError } from '../errors.ts'
import { ownFile } from '../own-folder.ts'
import { createFile } from '../write-atomically.ts'
import { FIRST_FILES, VITEST_CONFIG } from './first-files.ts'
import { formatOptions } from './help.ts'
import { parseOwn } from './parse-own.ts'
import { painter, print } from './terminal.ts'
import type { Command } from './command.ts'

/** `agent-evals init`: a first case that runs, and the files around it. */
export const init: Command = {
  name: 'init',
  usage: '[folder] [options]',
  summary: 'Write a first case with a scenario, its configuration and a vitest.config.ts.',
  details: [
    'What is there already is left as it is.',
    '',
    ...formatOptions([
      ['--skill', 'write the Claude Code skill `eval` instead, which runs the golden tests of agents'],
    ]),
  ],
  async run(argv) {
    const { values, positionals } = parseOwn(() =>
      parseArgs({ args: [...argv], allowPositionals: true, options: { skill: { type: 'boolean' } } }),
    )
    const [folder = '.', ...more] = positionals
    if (more.length > 0)
      throw new AgentEvalsError('invalid-options', `It takes one folder, and was given ${more.length + 1}.`)
    const root = resolve(folder)
    if (statSync(root, { throwIfNoEntry: false })?.isDirectory() !== true)
      throw new AgentEvalsError('no-match', `${root} is not a folder.`)

    const paint = painter()
    if (values.skill === true) {
      const isNew = write(join(root, SKILL_PATH), readFileSync(SKILL, 'utf8'))
      print(
        `  ${isNew ? paint('green', 'created') : paint('dim', 'is there')}  ${join(relative(process.cwd(), root), SKILL_PATH)}`,
      )
      return 0
    }
    const written = FIRST_FILES.map(({ path, text }) => ({ path, isNew: write(join(root, path), text(root)) }))
    const config = CONFIGS.find((name) => existsSync(join(root, name)))
    const isSet = config !== undefined && readFileSync(join(root, config), 'utf8').includes('vitest-agent-evals')
    if (config === undefined)
      written.push({ path: VITEST_CONFIG.path, isNew: write(join(root, VITEST_CONFIG.path), VITEST_CONFIG.text(root)) })

    const place = relative(process.cwd(), root)
    print([
      ...written.map(
        ({ path, isNew }) => `  ${isNew ? paint('green', 'created') : paint('dim', 'is there')}  ${join(place, path)}`,
      ),
      ...(config === undefined || isSet
        ? []
        : [
            '',
            `Add the plugin to ${join(place, config)}:`,
            '',
            "  import { agentEvals } from 'vitest-agent-evals'",
            '  export default defineConfig({ plugins: [agentEvals()] })',
          ]),
      '',
      `Next: ${paint('cyan', `${place === '' ? '' : `cd ${place} && `}npx agent-evals run`)}`,
    ])
    return 0
  },
}

const SKILL_PATH = '.claude/skills/eval/SKILL.md'

// Beside `dist` in the package.
const SKILL = ownFile('../skills/eval/SKILL.md')

// Atomic, and never over a file that is there, also when it came to be a moment ago.
function write(file: string, text: string): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true })
    return createFile(file, text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new AgentEvalsError('report-unwritable', `Cannot write ${file}: ${reason}`, { cause: error })
  }
}

const CONFIGS = ['vitest.config', 'vite.config'].flatMap((name) =>
  ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs'].map((extension) => `${name}.${extension}`),
)
