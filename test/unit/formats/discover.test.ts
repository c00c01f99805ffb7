import { symlink } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findSuitesOf } from '../../support/find-suites.ts'
import { formats } from '../../../src/formats/registry.ts'
import { packageRootOf } from '../../../src/packages/package-root.ts'
import { CASE } from '../../support/aam-fixture.ts'

const discover = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> => {
  await using fixture = await createFixture({ ...files })
  const root = fixture.path.replace(/\/$/, '')
  return (await findSuitesOf('aam', root)).map((file) => file.slice(root.length + 1))
}

test('finds cases of the root and of packages below, in order', async () => {
  expect(
    await discover({
      'evals/eval-config.json': '{}',
      'evals/cases/b.yaml': CASE,
      'evals/cases/a.yml': CASE,
      'evals/cases/notes.md': '',
      'evals/cases/deeper/c.yaml': CASE,
      'packages/x/package.agent.json': '{}',
      'packages/x/evals/cases/x.yaml': 'broken: [',
      '.claude/skills/y/SKILL.md': '',
      '.claude/skills/y/evals/cases/y.yaml': CASE,
    }),
  ).toEqual([
    '.claude/skills/y/evals/cases/y.yaml',
    'evals/cases/a.yml',
    'evals/cases/b.yaml',
    'packages/x/evals/cases/x.yaml',
  ])
})

test("somebody else's files at the same place are left alone", async () => {
  expect(
    await discover({
      'a/evals/cases/other.yaml': 'vars: {x: 1}\nassert: []\n',
      'a/evals/cases/broken.yaml': 'a: [',
      'a/evals/cases/list.yaml': '- name: a\n',
      'a/evals/cases/ours.yaml': 'name: A B\ninput: {prompt: x}\n',
    }),
  ).toEqual(['a/evals/cases/ours.yaml'])
})

test.each(['reports', 'recordings', 'scenarios', 'runs', 'results', 'baselines', 'node_modules', '.git'])(
  'never below %s',
  async (folder) => {
    expect(
      await discover({ [`${folder}/p/evals/eval-config.json`]: '{}', [`${folder}/p/evals/cases/a.yaml`]: CASE }),
    ).toEqual([])
  },
)

test('a root that itself lies below such a folder', async () => {
  await using fixture = await createFixture({ 'results/p/evals/cases/a.yaml': CASE })
  const root = fixture.getPath('results/p')
  expect(await findSuitesOf('aam', root)).toEqual([`${root}/evals/cases/a.yaml`])
  const isPlace = (path: string): boolean | undefined => formats['aam']?.files?.isPlace?.(path)
  expect(isPlace('evals/cases/a.yaml')).toBe(true)
  expect(isPlace('runs/evals/cases/a.yaml')).toBe(false)
  expect(isPlace('evals/cases/a.json')).toBe(false)
})

test.each(['with space', 'émoji 🎉', '[id]', '(group)', '{a,b}', '!not', "it's", '*', '$x'])(
  'a folder called %s',
  async (name) => {
    expect(await discover({ [`${name}/evals/cases/a.yaml`]: CASE })).toEqual([`${name}/evals/cases/a.yaml`])
    await using fixture = await createFixture({ [`${name}/evals/cases/a.yaml`]: CASE })
    expect(await findSuitesOf('aam', fixture.getPath(name))).toEqual([fixture.getPath(`${name}/evals/cases/a.yaml`)])
  },
)

test('linked folders are not followed, loops included', async () => {
  await using fixture = await createFixture({ 'real/evals/cases/a.yaml': CASE })
  await symlink(fixture.getPath('real'), fixture.getPath('linked'))
  await symlink(fixture.getPath('.'), fixture.getPath('real/loop'))
  expect(await findSuitesOf('aam', fixture.path)).toEqual([fixture.getPath('real/evals/cases/a.yaml')])
})

test('the package of a file', async () => {
  await using fixture = await createFixture({
    'a/package.agent.json': '{}',
    'a/skills/s/evals/cases/x.yaml': '',
    'b/.claude-plugin/plugin.json': '{}',
    'c/skills/s/SKILL.md': '',
    'd/evals/cases/x.yaml': '',
  })
  const root = fixture.path.replace(/\/$/, '')
  const packageOf = (file: string): string => packageRootOf(`${root}/${file}`, root).slice(root.length)
  expect(
    ['a/skills/s/evals/cases/x.yaml', 'b/evals/cases/x.yaml', 'c/evals/cases/x.yaml', 'd/evals/cases/x.yaml'].map(
      packageOf,
    ),
  ).toEqual(['/a', '/b', '/c', ''])
})
