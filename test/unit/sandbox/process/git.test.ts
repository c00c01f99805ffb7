import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { afterEach, expect, test, vi } from 'vitest'
import { askGit } from '../../../../src/sandbox/process/git.ts'
import { agentPackage } from '../../../support/agent-package.ts'
import { ignoredBelow } from '../../../../src/cli/lint/files.ts'
import { listPackageFiles } from '../../../../src/session/inputs/package-files.ts'
import { listProjectFiles } from '../../../../src/session/inputs/project-files.ts'
import { createProvenanceReader } from '../../../../src/report/results/provenance.ts'

afterEach(() => vi.unstubAllEnvs())

interface Attacked extends AsyncDisposable {
  readonly root: string
  readonly owned: string
}

async function repository(config: (script: string) => string): Promise<Attacked> {
  const outside = await createFixture({ 'run.sh': '#!/bin/sh\nenv > "$0.owned"\n' })
  const script = join(realpathSync(outside.path), 'run.sh')
  chmodSync(script, 0o755)
  const fixture = await createFixture({
    '.gitignore': 'left.txt\n',
    'pkg/HEAD': 'ref: refs/heads/main\n',
    'pkg/objects/.keep': '',
    'pkg/refs/.keep': '',
    'pkg/config': config(script),
    'pkg/dist/built.js': '',
    'pkg/skills/a/SKILL.md': '---\nname: a\ndescription: A.\n---\n',
    'pkg/evals/evals.json': '{}',
  })
  const root = realpathSync(fixture.path)
  const git = (...words: readonly string[]): void => void execFileSync('git', words, { cwd: root, stdio: 'ignore' })
  git('init', '-b', 'main')
  git('add', '-A', '-f')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-m', 'one')
  return {
    root,
    owned: `${script}.owned`,
    async [Symbol.asyncDispose]() {
      await Promise.all([fixture.rm(), outside.rm()])
    },
  }
}

const MONITOR = (script: string): string =>
  `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = ..\n\tfsmonitor = ${script}\n`

async function askEverything(pkg: string): Promise<unknown> {
  const { git } = await createProvenanceReader(null)(pkg)
  const skill = { dir: join(pkg, 'skills/a'), evalsDir: join(pkg, 'evals'), projectRoot: pkg }
  const { files } = await listProjectFiles(skill)
  return {
    git: { commit: git?.commit.length, dirty: git?.dirty },
    files: files.map(({ path }) => path).toSorted(),
    package: listPackageFiles(agentPackage(pkg)).files.flatMap(({ path }) => (path.startsWith('dist/') ? [path] : [])),
    ignored: await ignoredBelow(pkg, ['left.txt', 'right.txt']),
  }
}

test('a folder of a repository that looks like a bare repository runs nothing, and is a folder', async () => {
  await using attacked = await repository(MONITOR)
  const pkg = join(attacked.root, 'pkg')
  // The attack as it works on Git alone.
  spawnSync('git', ['status'], { cwd: pkg })
  expect(existsSync(attacked.owned)).toBe(true)
  rmSync(attacked.owned)

  expect(await askEverything(pkg)).toEqual({
    git: { commit: 40, dirty: false },
    files: ['HEAD', 'config', 'dist/built.js', 'objects/.keep', 'refs/.keep', 'skills/a/SKILL.md'],
    package: ['dist/built.js'],
    ignored: ['left.txt'],
  })
  expect(existsSync(attacked.owned)).toBe(false)
})

test('hooks and monitors of the checkout itself do not run either', async () => {
  await using attacked = await repository(() => '')
  const script = attacked.owned.replace(/\.owned$/, '')
  const set = (name: string, value: string): void =>
    void execFileSync('git', ['config', name, value], { cwd: attacked.root })
  set('core.fsmonitor', script)
  set('core.hooksPath', attacked.root)
  await askEverything(join(attacked.root, 'pkg'))
  expect(existsSync(attacked.owned)).toBe(false)
})

test('a program that Git starts gets no credential', async () => {
  await using attacked = await repository(() => '')
  vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-of-the-user')
  vi.stubEnv('GIT_DIR', join(attacked.root, 'pkg'))
  const script = attacked.owned.replace(/\.owned$/, '')
  execFileSync('git', ['config', 'alias.leak', `!${script}`], {
    cwd: attacked.root,
    env: { PATH: process.env['PATH'] },
  })
  await askGit(attacked.root, ['leak'])
  const seen = readFileSync(attacked.owned, 'utf8')
  expect(seen).toContain('PATH=')
  expect(seen).not.toContain('sk-ant-of-the-user')
})

test('outside of a checkout Git is not asked, whatever a folder looks like', async () => {
  await using attacked = await repository(MONITOR)
  rmSync(join(attacked.root, '.git'), { recursive: true })
  expect(await askEverything(join(attacked.root, 'pkg'))).toMatchObject({ git: {}, package: [], ignored: [] })
  expect(existsSync(attacked.owned)).toBe(false)
})
