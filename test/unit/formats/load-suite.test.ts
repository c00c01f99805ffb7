import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { createSuiteCache, findDuplicateNames, loadSuite } from '../../../src/formats/load-suite.ts'
import { CASE, createPackage, PACKAGE, issueLines } from '../../support/aam-fixture.ts'

const SPEC = fileURLToPath(new URL('../../../../shared/suites/aam-spec-examples', import.meta.url))

describe.skipIf(!existsSync(SPEC))(
  'the examples of the format (absent outside of the workspace they were collected in)',
  () => {
    test('the hook case is read without a mistake', async () => {
      const { cases, issues, config } = await loadSuite(`${SPEC}/evals/cases/hook-blocks-protected-write.yaml`, {
        root: SPEC,
      })
      expect(issues).toEqual([])
      expect(config.writablePaths).toEqual(['src', 'output'])
      expect(cases[0]?.target).toEqual({ kind: 'hook', name: 'pre-tool-use' })
      expect(cases[0]?.checks.map(({ kind, value, at }) => [kind, value, at.line])).toEqual([
        ['not-contains', 'Successfully wrote', 10],
        ['agent-blocked', true, 11],
      ])
    })

    test('the skill case misses what the examples leave out', async () => {
      const { issues } = await loadSuite(`${SPEC}/evals/cases/pdf-extraction-e2e.yaml`, { root: SPEC })
      expect(issues.map(({ line, field, code }) => `${line} ${field} ${code}`)).toEqual([
        '3 target unknown-target',
        '7 input.files.0 file-missing',
      ])
    })
  },
)

test('C13 one name in two files: both places, each naming the other', async () => {
  await using fixture = await createPackage(CASE, {
    'evals/cases/b.yaml': `# the same\n${CASE}`,
    'evals/cases/c.yaml': CASE.replace('name: a', 'name: c'),
  })
  const root = fixture.path.replace(/\/$/, '')
  const files = ['a', 'b', 'c'].map((name) => fixture.getPath(`evals/cases/${name}.yaml`))
  const suites = await Promise.all(files.map((file) => loadSuite(file, { root })))
  const issues = findDuplicateNames(suites)
  expect(issues.map(({ file }) => file)).toEqual(files.slice(0, 2))
  expect(issueLines({ issues }, fixture)).toEqual([
    '1:7 error duplicate-name name: "a" is also the name of the case at evals/cases/b.yaml:2:7; rename one',
    '2:7 error duplicate-name name: "a" is also the name of the case at evals/cases/a.yaml:1:7; rename one',
  ])
})

test('the same name in two packages is none of their business', async () => {
  const other = Object.fromEntries(Object.entries(PACKAGE).map(([path, text]) => [`other/${path}`, text]))
  await using fixture = await createPackage(CASE, { ...other, 'other/evals/cases/a.yaml': CASE })
  const root = fixture.path.replace(/\/$/, '')
  const files = ['evals/cases/a.yaml', 'other/evals/cases/a.yaml'].map((file) => fixture.getPath(file))
  expect(findDuplicateNames(await Promise.all(files.map((file) => loadSuite(file, { root }))))).toEqual([])
})

test('cases of two formats whose recordings would share a folder: each names the other', async () => {
  const found = { 'graders/hi.md': '---\ntype: regex\n---\nhi\n', 'prompt.md': 'Say hi.\n' }
  const caseAt = (folder: string): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(found).map(([path, text]) => [`evals/${folder}/${path}`, text]))
  const list = { skill_name: 'x', evals: [{ id: 'one', prompt: 'Hi', expectations: ['It greets.'] }] }
  await using fixture = await createPackage(CASE, {
    ...caseAt('cases/deeper/a'),
    ...caseAt('cases/a'),
    ...caseAt('one'),
    ...caseAt('two'),
    'evals/evals.json': JSON.stringify(list),
  })
  const root = fixture.path.replace(/\/$/, '')
  const names = [
    'cases/a.yaml',
    'cases/a/prompt.md',
    'cases/deeper/a/prompt.md',
    'evals.json',
    'one/prompt.md',
    'two/prompt.md',
  ]
  const suites = await Promise.all(names.map((name) => loadSuite(fixture.getPath(`evals/${name}`), { root })))
  expect(suites.map(({ format }) => format)).toEqual([
    'aam',
    'plugin-eval',
    'plugin-eval',
    'skill-evals',
    'plugin-eval',
    'plugin-eval',
  ])
  const issues = findDuplicateNames(suites)
  const shared = (folder: string, other: string): string =>
    `error shared-recordings name: its recordings would be in evals/recordings/${folder}, like those of the case at evals/${other}; rename one, or its folder`
  expect(issueLines({ issues }, fixture)).toEqual([
    `1:7 ${shared('cases/a', 'cases/a/prompt.md:1:1')}`,
    `1:1 ${shared('cases/a', 'cases/a.yaml:1:7')}`,
    '1:1 warning duplicate-name name: "a" is also the name of the case at evals/cases/a/prompt.md:1:1; --case selects both, and reports show the name',
    `1:34 ${shared('evals/one', 'one/prompt.md:1:1')}`,
    `1:1 ${shared('evals/one', 'evals.json:1:34')}`,
  ])
})

describe('the cache', () => {
  test('reads a package once while nothing changes', async () => {
    await using fixture = await createFixture({ ...PACKAGE })
    const cache = createSuiteCache()
    const first = await cache.packageOf(fixture.path)
    await setImmediate()
    expect(await cache.packageOf(fixture.path)).toBe(first)
  })

  test.each([
    ['a changed skill', 'skills/pdf-tools/SKILL.md', '---\nname: pdf-tools\ndescription: Changed it.\n---\n'],
    ['a new skill', 'skills/second/SKILL.md', '---\nname: second\ndescription: New.\n---\n'],
    ['a first rule', 'rules/style/RULE.md', 'Rule'],
    ['a changed manifest', 'package.agent.json', '{"name": "renamed", "version": "2.0.0"}'],
  ])('reads it again after %s', async (_, path, text) => {
    await using fixture = await createFixture({ ...PACKAGE })
    const cache = createSuiteCache()
    const first = await cache.packageOf(fixture.path)
    await setImmediate()
    await mkdir(dirname(fixture.getPath(path)), { recursive: true })
    await fixture.writeFile(path, text)
    const second = await cache.packageOf(fixture.path)
    expect(second).not.toEqual(first)
  })

  test('reads the configuration again', async () => {
    await using fixture = await createPackage(CASE)
    const cache = createSuiteCache()
    const file = fixture.getPath('evals/cases/a.yaml')
    expect((await loadSuite(file, { root: fixture.path, cache })).config.engine).toBe('claude-code')
    await setImmediate()
    await fixture.writeFile('evals/eval-config.json', '{"version": 1, "engine": "codex"}')
    expect((await loadSuite(file, { root: fixture.path, cache })).config.engine).toBe('codex')
  })
})
