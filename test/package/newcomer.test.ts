// @module-tag slow
import { execFileSync } from 'node:child_process'
import { cp, readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { createFixture, type FileTree, type FsFixture } from 'fs-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { docPages } from '../support/doc-blocks.ts'
import { docFiles } from '../support/doc-files.ts'
import { REPOSITORY } from '../support/repository.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { packedTarball } from '../support/tarball.ts'

/** The lines of the README's quick start. */
const [install = '', ...others] = await quickStart()

const SKILL = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name} things: all of them\n---\nDo it.\n`

const SKILLS: FileTree = Object.fromEntries(
  ['brainstorm', 'changelog', 'debug', 'draw', 'plan', 'review', 'test'].map((name) => [
    `skills/${name}/SKILL.md`,
    SKILL(name),
  ]),
)

const MONOREPO: FileTree = {
  'packages/app/package.json': '{ "name": "app", "version": "1.0.0", "type": "module" }\n',
  'packages/app/src/index.js': 'export const answer = 42\n',
  'packages/agent-kit/package.json': '{ "name": "agent-kit", "version": "1.0.0" }\n',
  'packages/agent-kit/skills/plan/SKILL.md': SKILL('plan'),
  '.claude/settings.json': JSON.stringify({
    hooks: { PreToolUse: [{ matcher: 'Write', hooks: [{ type: 'command', command: 'node tools/check.mjs' }] }] },
  }),
  'tools/check.mjs': 'process.exit(0)\n',
}

const REPOSITORIES: readonly (readonly [name: string, files: FileTree, plugin: string | null, passed: number])[] = [
  ['a skills repository', SKILLS, null, 21],
  ['a plugin', {}, 'review-kit', 7],
  ['a monorepo', MONOREPO, null, 1],
]

// `consumer.test.ts` installs the package for the newer Node, too.
describe("a newcomer's way", () => {
  let first: FsFixture
  beforeAll(async () => {
    first = await createFixture()
    const tarball = await packedTarball()
    const words = install.split(' ').map((word) => (word.endsWith('.tgz') ? tarball : word))
    await expectGreen(shell(words.join(' '), first.path))
  }, 600_000)
  afterAll(() => first?.rm())

  test('an empty folder', { timeout: 600_000 }, async () => {
    const printed = await walk(first.path)
    expect(printed).toMatch(/Agent Evals {2}1 passed/)
    const page = (await docPages()).find((one) => one.page === 'docs/getting-started.md')
    const outputs = page?.blocks.filter(({ isOutput }) => isOutput) ?? []
    expect(outputs).toHaveLength(2)
    // What was printed is read without the blanks around it.
    for (const { text } of outputs) expect(printed).toContain(text.trim())
    for (const [path, text] of Object.entries(await docFiles('docs/getting-started.md')))
      expect(await readFile(join(first.path, path), 'utf8')).toBe(text)

    const file = 'evals/cases/first-case.yaml'
    const lines = (await first.readFile(file, 'utf8')).replace('    - Friday', '    - Monday').split('\n')
    await first.writeFile(file, lines.join('\n'))
    const broken = await shell(others.at(-1) ?? '', first.path)
    expect(broken.exitCode, broken.all).toBe(1)
    expect(broken.all).toContain(`${file}:${lines.indexOf('    - Monday') + 1}`)
    expect(broken.all).toContain('The release moves to Friday')
  })

  test.for(REPOSITORIES)('%s', { timeout: 600_000 }, async ([, files, plugin, passed]) => {
    await using folder = await createFixture(files)
    if (plugin !== null) await cp(join(REPOSITORY, 'test/fixtures/plugins', plugin), folder.path, { recursive: true })
    git(folder.path)
    // As installed in the empty folder: the CLI alone has hundreds of megabytes.
    for (const name of ['package.json', 'node_modules'])
      execFileSync('cp', ['-al', first.getPath(name), folder.getPath(name)])
    expect(await walk(folder.path)).toMatch(new RegExp(`Agent Evals {2}${passed} passed`))
  })
})

/** Runs the quick start's further lines, and its `init` once more; returns what the lines printed. */
async function walk(folder: string): Promise<string> {
  const printed: string[] = []
  for (const line of others) printed.push(await expectGreen(shell(line, folder)))
  expect(printed.at(-1)).toContain('no model called')
  const again = others.find((line) => line.endsWith(' init')) ?? ''
  expect(await expectGreen(shell(again, folder))).not.toContain('created')
  return printed.join('\n')
}

async function expectGreen(running: Promise<FinishedProcess>): Promise<string> {
  const { exitCode, all } = await running
  expect(exitCode, all).toBe(0)
  return all
}

/** A line as a newcomer types it: nothing but this Node, npm and the programs of the machine. */
function shell(line: string, folder: string): Promise<FinishedProcess> {
  const env = {
    PATH: `${dirname(process.execPath)}:${(process.env['PATH'] ?? '').split(':').filter(isForeign).join(':')}`,
    HOME: folder,
    NO_COLOR: '1',
    // What the machine says about registries and certificates.
    ...(process.env['NODE_EXTRA_CA_CERTS'] === undefined
      ? {}
      : { NODE_EXTRA_CA_CERTS: process.env['NODE_EXTRA_CA_CERTS'] }),
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    npm_config_prefer_offline: 'true',
  }
  return startProcess('sh', ['-c', line], { cwd: folder, env, merged: true }).finished
}

function isForeign(folder: string): boolean {
  return !folder.includes('node_modules') && basename(folder) !== ''
}

function git(folder: string): void {
  execFileSync('git', ['init', '--quiet'], { cwd: folder })
}

async function quickStart(): Promise<readonly string[]> {
  const [readme] = await docPages()
  const block = readme?.blocks.find(({ language, text }) => language === 'sh' && text.includes('npm install'))
  return (block?.text ?? '').trim().split('\n')
}
