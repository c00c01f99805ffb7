import { mkdir, readdir, readFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { expect, test, vi } from 'vitest'
import { lint } from '../../src/cli/commands/lint.ts'
import { list } from '../../src/cli/commands/list.ts'
import { AgentEvalsError } from '../../src/lib/errors.ts'
import type { Command } from '../../src/cli/flags.ts'
import { outputOf } from '../support/command.ts'
import { copyProject } from '../support/copy-project.ts'
import { printed } from '../support/printed.ts'
import { CACHE, REPOSITORY } from '../support/repository.ts'

const INPUTS = join(import.meta.dirname, 'inputs')
const groups = (await readdir(INPUTS)).map((file) => basename(file, '.json'))

test.for(groups)('list and lint read %s as before', { timeout: 240_000 }, async (group) => {
  const projects = JSON.parse(await readFile(join(INPUTS, `${group}.json`), 'utf8')) as Record<string, FileTree>
  const readings: string[] = []
  for (const [name, tree] of Object.entries(projects)) {
    await using project = await createFixture(tree)
    readings.push(`# ${name}`, ...(await readingOf(project.path)), '')
  }
  await expect(readings.join('\n')).toMatchFileSnapshot(join(import.meta.dirname, `readings/${group}.txt`))
})

const suites = ['bmad-product-brief', 'atomic-caldwell', 'aam-spec-examples']
/** Projects as they lie in this repository and beside it. */
const folders = [
  'example-package',
  'example-plugin',
  'test/fixtures/plugins',
  ...suites.map((name) => `../shared/suites/${name}`),
]

test.for(folders)('list and lint read the project %s as before', { timeout: 240_000 }, async (path, { skip }) => {
  const folder = join(REPOSITORY, path)
  skip(!existsSync(folder), 'the folder is not beside this repository')
  // Below the repository, where the configuration of an example finds the package.
  await mkdir(CACHE, { recursive: true })
  await using place = await createFixture({}, { tempDir: CACHE })
  const copy = place.getPath(basename(folder))
  await copyProject(folder, copy)
  await outputOf('git', ['init', '--quiet'], { cwd: copy })
  const reading = await readingOf(copy)
  await expect(`${reading.join('\n')}\n`).toMatchFileSnapshot(
    join(import.meta.dirname, `readings/of-${basename(folder)}.txt`),
  )
})

/** One line for each case, note and finding, and the exit codes. */
async function readingOf(folder: string): Promise<readonly string[]> {
  process.chdir(folder)
  const [listed, linted] = [await jsonOf(list, '--root', '.'), await jsonOf(lint, '.', '--no-config')]
  const root = process.cwd()
  process.chdir(REPOSITORY)
  const { cases = [], notes = [], totals = null } = listed.json
  const { issues = [], no_effect: harmless = [] } = linted.json
  return [
    ...lines('case', cases),
    ...lines('note', notes),
    ...lines('totals', [totals]),
    ...lines('list', [listed.end]),
    ...lines('finding', issues),
    ...lines('no effect', harmless),
    ...lines('lint', [linted.end]),
  ].map((line) => line.replaceAll(root, '<root>'))
}

interface Output {
  readonly json: Readonly<Record<string, readonly unknown[] | undefined>>
  readonly end: unknown
}

async function jsonOf(command: Command, ...argv: readonly string[]): Promise<Output> {
  // What the machine sets, such as a key or `CI`, decides what a case would be answered by.
  for (const name of ['CI', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) vi.stubEnv(name, '')
  try {
    return { json: JSON.parse(await printed(command, ...argv, '--json')) as Output['json'], end: null }
  } catch (error) {
    if (!(error instanceof AgentEvalsError)) throw error
    return { json: {}, end: { code: error.code, message: error.message } }
  } finally {
    vi.unstubAllEnvs()
  }
}

function lines(label: string, values: readonly unknown[]): readonly string[] {
  return values.filter((value) => value !== null).map((value) => `${label} ${JSON.stringify(value)}`)
}
