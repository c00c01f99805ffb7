import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findIssues } from '../../../../src/cli/lint/find-issues.ts'
import { describeNothing, findProject, loadSuites, narrow } from '../../../../src/cli/find/search.ts'
import { resolveFilter } from '../../../../src/cli/find/resolve-filters.ts'

const skill = (name: string): string => `---\nname: ${name}\ndescription: Does ${name}.\n---\nDo it.\n`
const evals = (id: string): string =>
  JSON.stringify([{ id, prompt: 'Do it.', expected_skill: 'b', expectations: ['It does.'] }])
const FILES = {
  '.git/HEAD': '',
  'vitest.config.ts': '',
  'plugins/p/.claude-plugin/plugin.json': '{ "name": "p" }',
  'plugins/p/skills/a/SKILL.md': skill('a'),
  'plugins/p/skills/a/evals/evals.json': evals('one'),
  'plugins/p/skills/a/scripts/x.py': '',
  'plugins/p/skills/b/SKILL.md': skill('b'),
  'plugins/p/skills/b/evals/evals.json': evals('two'),
  'plugins/p/evals/scenarios/skills/b/evals/evals/gone.yaml': 'turns: [done]\n',
  'web/package.json': '{}',
  'web/src/x.ts': '',
  'docs/x.md': '',
}

test.for([
  ['plugins/p/skills/a/scripts', 'plugins/p'],
  ['plugins/p/skills', 'plugins/p'],
  ['plugins/p', 'plugins/p'],
  ['plugins', ''],
  ['web/src', 'web'],
  ['docs', ''],
  ['', ''],
])('the project around %s is that of the nearest package or configuration', async ([folder = '', project = '']) => {
  await using fixture = await createFixture(FILES)
  const root = fixture.path.replace(/\/$/, '')
  expect(findProject(join(root, folder))).toEqual({ root: join(root, project), within: join(root, folder) })
})

test('a folder without a checkout around it stands alone', async () => {
  await using fixture = await createFixture({ 'package.json': '{}', 'skills/a/SKILL.md': skill('a') })
  const folder = join(fixture.path, 'skills/a')
  expect(findProject(folder)).toEqual({ root: folder, within: folder })
})

test('a part of a project has its own cases, read as those of the project', async () => {
  await using fixture = await createFixture(FILES)
  const folder = join(fixture.path, 'plugins/p/skills/a')
  const { root, within } = findProject(folder)
  const loaded = await loadSuites(root)
  const part = narrow(loaded, within)
  const ids = part.suites.flatMap(({ cases, issues }) => [...cases.map(({ id }) => id), ...issues])
  // The skill beside it is known, though it is outside of the part.
  expect(ids).toEqual(['one'])
  expect(part.suites[0]?.packageRoot).toBe(root)
  expect(resolveFilter('evals.json', part).files).toEqual([join(folder, 'evals/evals.json')])
  expect(() => resolveFilter('two', part)).toThrow(/^No case, agent or file matches "two"\./)
  expect(await findIssues(loaded, within)).toMatchObject({ issues: [], cases: 1, files: 1 })
  expect((await findIssues(loaded)).issues).toMatchObject([{ code: 'scenario-without-case' }])
  const nothing = narrow(loaded, join(folder, 'scripts'))
  expect(describeNothing(nothing)).toMatch(
    /^No evals in this folder\. Its project has 2 cases; add --root \S+ for all of them\.$/,
  )
})
