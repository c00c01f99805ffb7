import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { claudeCode } from '../../../src/engines/claude-code/engine.ts'
import { importsIn } from '../../../src/packages/imports.ts'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { filePart, listPackageFiles } from '../../../src/session/inputs/package-files.ts'

// What the CLI itself loaded of such a file, in 2.1.150 and 2.1.330.
test.for([
  ['Top. @docs/a.md and text', ['docs/a.md']],
  ['@./docs/dot.md', ['./docs/dot.md']],
  ['@../docs/up.md', ['../docs/up.md']],
  [' - @docs/list.md', ['docs/list.md']],
  ['**@docs/star.md**', ['docs/star.md']],
  ['@docs/frag.md#part', ['docs/frag.md']],
  [String.raw`@docs/space\ name.md`, ['docs/space name.md']],
  ['@docs/noext', ['docs/noext']],
  ['a `@docs/code.md` b', []],
  ['```\n@docs/fence.md\n```\n', []],
  ['<!-- @docs/comment.md -->', []],
  ['mail me@docs/mail.md', []],
  ['(@docs/paren.md)', []],
  ['@~/home.md @/etc/hosts', []],
] as const)('imports in %j', ([text, expected]) => {
  expect(importsIn(text)).toEqual(expected)
})

const PROJECT = {
  'CLAUDE.md': 'See @docs/1.md and @missing.md, @docs and @../outside.md',
  'AGENTS.md': '@docs/style.md',
  'docs/1.md': '@deep/2.md',
  'docs/deep/2.md': '@3.md @2.md',
  'docs/deep/3.md': '@4.md',
  'docs/deep/4.md': '@5.md',
  'docs/deep/5.md': 'too deep',
  'docs/style.md': 'MARK',
  'docs/other.md': 'not imported',
  '.claude/rules/a.md': '@../../docs/rule.md',
  'docs/rule.md': 'R',
}
const IMPORTED = ['docs/1.md', 'docs/deep/2.md', 'docs/deep/3.md', 'docs/deep/4.md', 'docs/rule.md', 'docs/style.md']

test('a project brings what its instructions import, four files deep', async () => {
  await using fixture = await createFixture({ ...PROJECT, '.claude/skills/a/SKILL.md': SKILL })
  const pkg = await loadPackage(fixture.path.replace(/\/$/, ''))
  expect(pkg.imports?.toSorted()).toEqual(IMPORTED)
  const files = listPackageFiles(pkg).files.filter(({ path }) => path.startsWith('docs/'))
  const partOf = filePart(pkg)
  expect(files.map(({ path }) => [path, partOf(path)?.kind])).toEqual(IMPORTED.map((path) => [path, 'text']))
  expect(
    copiesOf(pkg)
      .filter((to) => to.startsWith('docs/'))
      .toSorted(),
  ).toEqual(IMPORTED)
})

test('a package brings what its AGENTS.md imports', async () => {
  await using fixture = await createFixture({ ...PROJECT, 'package.agent.json': '{"name":"a","version":"1.0.0"}' })
  const pkg = await loadPackage(fixture.path.replace(/\/$/, ''))
  expect(copiesOf(pkg)).toContain('docs/style.md')
})

const SKILL = '---\nname: a\ndescription: d\n---\nBody\n'

function copiesOf(pkg: Awaited<ReturnType<typeof loadPackage>>): readonly string[] {
  const at = '/session'
  const paths = { workspace: at, home: at, config: at, tmp: at, packageRoot: at, node: at, shim: at, hooks: at }
  const request = { package: pkg, target: null, skills: [], paths, environment: {}, network: false }
  return claudeCode.install(request).copies.map(({ to }) => to)
}
