import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createFixture, type FileTree } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { init } from '../../../../src/cli/commands/init.ts'
import { findIssues } from '../../../../src/cli/lint/find-issues.ts'
import { loadSuites } from '../../../../src/cli/find/search.ts'
import { printed } from '../../../support/printed.ts'

const HOME = process.cwd()
afterEach(() => process.chdir(HOME))

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}. Use it for ${name}.\n---\nGo.\n`
const NAMES = Array.from({ length: 30 }, (_, index) => `tool-${String(index).padStart(2, '0')}`)
const MARKETPLACE: FileTree = {
  '.claude-plugin/marketplace.json': JSON.stringify({
    name: 'market',
    plugins: NAMES.map((name) => ({ name, source: `./plugins/${name}` })),
  }),
  ...Object.fromEntries(
    NAMES.flatMap((name) => [
      [`plugins/${name}/.claude-plugin/plugin.json`, JSON.stringify({ name, version: '1.0.0' })],
      [`plugins/${name}/skills/${name}-a/SKILL.md`, skill(`${name}-a`)],
      [`plugins/${name}/skills/${name}-b/SKILL.md`, skill(`${name}-b`)],
      [`plugins/${name}/commands/go.md`, 'Go.\n'],
    ]),
  ),
}

async function open(files: FileTree): Promise<AsyncDisposable & { root: string; all(): Promise<readonly string[]> }> {
  const fixture = await createFixture(files)
  const root = fixture.path.replace(/\/$/, '')
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  process.chdir(root)
  return {
    root,
    all: async () =>
      (await readdir(root, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile() && !entry.parentPath.includes('.git/') && !entry.parentPath.endsWith('.git'))
        .map((entry) => `${entry.parentPath}/${entry.name}`.slice(root.length + 1))
        .toSorted(),
    async [Symbol.asyncDispose]() {
      process.chdir(HOME)
      await fixture.rm()
    },
  }
}

test('a marketplace: cases for its first plugin, or for the skills that are named', async () => {
  await using project = await open({
    ...MARKETPLACE,
    // In the repository, and not in the list.
    'examples/aaa/.claude-plugin/plugin.json': '{ "name": "aaa" }',
    'examples/aaa/skills/aaa/SKILL.md': skill('aaa'),
  })
  const before = await project.all()
  await expect(init.run(['--skill', 'tool-17-c'])).rejects.toThrow(
    'There is no skill "tool-17-c". Did you mean "tool-17-a"?',
  )
  const dry = await printed(init, '--dry-run')
  expect(dry).toContain(
    'For plugins/tool-00 only, the first of 31 packages. For others: --skill NAME, a folder, or --all',
  )
  expect(dry.match(/would create {2}(?!plugins\/tool-00\/|vitest)/g)).toBe(null)
  expect(await project.all()).toEqual(before)
  await printed(init, '--skill', 'tool-17-b')
  const added = (await project.all()).filter((path) => !before.includes(path))
  const elsewhere = added.filter((path) => !path.startsWith('plugins/tool-17/'))
  expect(elsewhere).toEqual(['.gitignore', 'vitest.config.mts'])
  expect(added.filter((path) => path.endsWith('triggers.json'))).toEqual([
    'plugins/tool-17/skills/tool-17-b/evals/triggers.json',
  ])
  expect((await findIssues(await loadSuites(project.root))).issues).toEqual([])
})

test('of several skills with one name the author says which', async () => {
  await using project = await open({
    ...MARKETPLACE,
    'plugins/tool-00/skills/check/SKILL.md': skill('check'),
    'plugins/tool-01/skills/check/SKILL.md': skill('check'),
  })
  const before = await project.all()
  await expect(init.run(['--skill', 'check'])).rejects.toThrow(
    'There are 2 skills "check". Write which one: tool-00:check, tool-01:check.',
  )
  expect(await printed(init, '--skill', 'tool-01:check', '--dry-run')).not.toContain('tool-00')
  expect(await project.all()).toEqual(before)
})

test('each plugin whose skill is named gets a case', async () => {
  await using project = await open(MARKETPLACE)
  const output = await printed(init, '--skill', 'tool-17-b,tool-03-a')
  expect((await project.all()).filter((path) => path.includes('/cases/'))).toEqual([
    'plugins/tool-03/evals/cases/skill-tool-03-a.yaml',
    'plugins/tool-17/evals/cases/skill-tool-17-b.yaml',
  ])
  // Whoever has named what to begin with is not asked for more.
  expect(output).not.toContain('--all')
})

test('all of a marketplace lints clean, and is written with progress', async () => {
  await using project = await open(MARKETPLACE)
  // Each look at the clock is six seconds later, so that every skill is due.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 6000))
  const said: string[] = []
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => said.push(String(text)) > 0)
  await printed(init, '--all')
  vi.restoreAllMocks()
  expect([said.length, said[0], said.at(-1)]).toEqual([
    60,
    'Written for skills: 1 of 60\n',
    'Written for skills: 60 of 60\n',
  ])
  expect((await findIssues(await loadSuites(project.root))).issues).toEqual([])
})

test('--dry-run names the files and writes none', async () => {
  await using project = await open({ 'skills/one/SKILL.md': skill('one') })
  const before = await project.all()
  const output = await printed(init, '--dry-run')
  expect(await project.all()).toEqual(before)
  expect(output).toContain('would create  evals/cases/skill-one.yaml')
  expect(output).toContain('would create  skills/one/evals/triggers.json')
  expect(output).toContain('would add    node_modules/, .vitest/, **/evals/reports/ to .gitignore')
})

test('a configuration that cannot be loaded is named, and keeps nobody from beginning', async () => {
  const config = "import { agentEvals } from 'vitest-agent-evals'\nexport default { plugins: [agentEvals()] }\n"
  await using project = await open({
    'skills/one/SKILL.md': skill('one'),
    'vitest.config.ts': `${config}throw new Error('boom')\n`,
  })
  const output = await printed(init)
  expect(output).toMatch(/^Note: Cannot load vitest\.config\.ts: .* Until then scenarios are for claude-code\.$/m)
  const written = JSON.parse(await readFile(join(project.root, 'evals/eval-config.json'), 'utf8')) as object
  expect(written).toMatchObject({ engine: 'claude-code' })
})

test('a .gitignore that hides the evals is named with the line that shows them', async () => {
  await using _ = await open({ 'skills/one/SKILL.md': skill('one'), '.gitignore': '# mine\nevals/\n' })
  const output = await printed(init)
  // Five files of two folders, with the scenarios of queries, whose folder has the name too.
  expect(output).toMatch(
    /Ignored {2}\.gitignore:2: "evals\/" hides \S+ and 7 more from git.* Add the line !\*\*\/evals\/ below it/,
  )
  expect(output).toContain('added    node_modules/, .vitest/, **/evals/reports/ to .gitignore')
})

test('a plugin of a repository gets no configuration of its own, and the command runs where it was started', async () => {
  await using project = await open({ ...MARKETPLACE, 'package.json': '{}' })
  const output = await printed(init, 'plugins/tool-03')
  expect((await project.all()).filter((path) => /vitest\.config|gitignore/.test(path))).toEqual([
    '.gitignore',
    'vitest.config.mts',
  ])
  expect(output).toContain('Next: npx vitest-agent-evals run plugins/tool-03/')
})

test.each([
  ['a folder of evals', 'evals', '/evals/'],
  ['.gitignore', '.gitignore', '.gitignore'],
])('%s that leads out of the repository is not written through', async (_, link, named) => {
  await using outside = await createFixture({ 'kept.txt': 'as it was\n' })
  const files = { 'package.agent.json': '{ "name": "sample", "version": "1.0.0" }', 'hooks/hooks.json': '{}' }
  await using project = await open(files)
  await symlink(link === 'evals' ? outside.path : outside.getPath('kept.txt'), join(project.root, link))
  await expect(init.run([])).rejects.toMatchObject({
    code: 'report-unwritable',
    message: expect.stringContaining(named),
  })
  expect(await readdir(outside.path)).toEqual(['kept.txt'])
  expect(await readFile(outside.getPath('kept.txt'), 'utf8')).toBe('as it was\n')
})

test('a link that stays in the repository is written through, such as that of skills to another folder', async () => {
  await using project = await open({ 'shared/skills/notes/SKILL.md': skill('notes') })
  await mkdir(join(project.root, '.claude'))
  await symlink('../shared/skills', join(project.root, '.claude/skills'))
  await printed(init, '--eval-skill')
  expect((await project.all()).filter((path) => path.startsWith('shared/')).length).toBeGreaterThan(1)
})
