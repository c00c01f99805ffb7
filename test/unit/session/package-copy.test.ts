import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture, type FsFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { createPackageCopies, type PackageCopies } from '../../../src/session/package-copy.ts'
import type { AgentPackage } from '../../../src/packages/package.ts'

const FILES = {
  'package.agent.json': '{"name": "p", "version": "1.0.0"}',
  'skills/s/SKILL.md': '---\nname: s\ndescription: S.\n---\n',
  'skills/s/run.sh': 'echo 1',
  'skills/s/tests/cases/a.yaml': 'name: a',
  'skills/s/tests/fixtures/a.txt': 'a',
  'evals/cases/a.yaml': 'name: a',
  'node_modules/dep/index.js': '1',
}

interface Setup extends AsyncDisposable {
  readonly fixture: FsFixture
  readonly pkg: AgentPackage
  readonly copies: PackageCopies
}

async function setUp(): Promise<Setup> {
  const fixture = await createFixture({ package: FILES, copies: {} })
  const pkg = await loadPackage(fixture.getPath('package'))
  const copies = createPackageCopies(fixture.getPath('copies'))
  return { fixture, pkg, copies, [Symbol.asyncDispose]: () => fixture.rm() }
}

test('holds fixtures and dependencies, but no cases and no evals', async () => {
  await using setup = await setUp()
  using copy = setup.copies.take(setup.pkg)
  expect(readFileSync(join(copy.root, 'skills/s/tests/fixtures/a.txt'), 'utf8')).toBe('a')
  expect(readFileSync(join(copy.root, 'node_modules/dep/index.js'), 'utf8')).toBe('1')
  expect(existsSync(join(copy.root, 'skills/s/tests/cases'))).toBe(false)
  expect(existsSync(join(copy.root, 'evals'))).toBe(false)
  expect(readFileSync(copy.transcript, 'utf8')).toBe('')
})

test('one that was left as it was serves the next case; two at once are two', async () => {
  await using setup = await setUp()
  const { pkg, copies } = setup
  const first = copies.take(pkg)
  const second = copies.take(pkg)
  expect(second.root).not.toBe(first.root)
  first[Symbol.dispose]()
  using third = copies.take(pkg)
  expect(third.root).toBe(first.root)
  second[Symbol.dispose]()
})

test.for<[string, (root: string, home: string) => void]>([
  ['a file', (root) => writeFileSync(join(root, 'new.txt'), '')],
  ['an empty folder', (root) => mkdirSync(join(root, 'skills/new'))],
  ['a change of the same length at once', (root) => writeFileSync(join(root, 'skills/s/run.sh'), 'echo 2')],
  ['a removal', (root) => rmSync(join(root, 'skills/s/run.sh'))],
  ['a file in its home', (_, home) => writeFileSync(join(home, '.rc'), '')],
])('%s is not seen by the next case', async ([, change]) => {
  await using setup = await setUp()
  const { pkg, copies } = setup
  const first = copies.take(pkg)
  change(first.root, first.home)
  first[Symbol.dispose]()
  using second = copies.take(pkg)
  expect(second.root).not.toBe(first.root)
  expect(readFileSync(join(second.root, 'skills/s/run.sh'), 'utf8')).toBe('echo 1')
})

test('a saved script is in the next copy', async () => {
  await using setup = await setUp()
  const { pkg, copies, fixture } = setup
  copies.take(pkg)[Symbol.dispose]()
  await fixture.writeFile('package/skills/s/run.sh', 'echo 3')
  using copy = copies.take(pkg)
  expect(readFileSync(join(copy.root, 'skills/s/run.sh'), 'utf8')).toBe('echo 3')
})
