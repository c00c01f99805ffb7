import { createFixture, type FsFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createAffectedFinder, type AffectedFinder } from '../../../../src/vitest/watch/affected-cases.ts'
import { createPlanner } from '../../../../src/vitest/plugin/case-planner.ts'
import { resolveOptions } from '../../../../src/options/resolve-options.ts'
import { createSuiteStore } from '../../../../src/vitest/modules/suite-store.ts'

const skill = (name: string, description: string, body = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`
const queries = (...texts: readonly string[]): string =>
  JSON.stringify(texts.map((query) => ({ query, should_trigger: true })))

const FILES = {
  'package.agent.json': '{ "name": "sample", "version": "1.0.0" }',
  'skills/notes/SKILL.md': skill('notes', 'Notes.'),
  'skills/notes/evals/triggers.json': queries('one', 'two'),
  'skills/letters/SKILL.md': skill('letters', 'Letters.'),
  'skills/letters/evals/triggers.json': queries('three'),
  'evals/cases/all.yaml': 'name: all\ninput:\n  prompt: Go.\njudge:\n  criteria: It goes.\n',
}

async function create(
  more: Readonly<Record<string, string>> = {},
): Promise<{ fixture: FsFixture; finder: AffectedFinder; find: Find }> {
  const fixture = await createFixture({ ...FILES, ...more })
  const root = fixture.path.replace(/\/$/, '')
  const store = createSuiteStore(root)
  const planner = createPlanner(store, resolveOptions({}, {}))
  const settings = { root, scenarios: null, engine: { environment: null, option: null } }
  const finder = createAffectedFinder({ store, planner, settings })
  const find: Find = async (...paths) => {
    const { suites } = await finder.find(paths.map((path) => `${root}/${path}`))
    const below = (file: string): string => file.slice(root.length + 1)
    return {
      suites: Object.fromEntries([...suites].map(([file, ids]) => [below(file), ids?.size ?? 'all'])),
    }
  }
  return { fixture, finder, find }
}

type Find = (...paths: readonly string[]) => Promise<object>

test('an edited skill concerns its own cases and those of the whole package, its description too', async () => {
  const { fixture, finder, find } = await create()
  await using _ = fixture
  await finder.remember()
  await fixture.writeFile('skills/notes/SKILL.md', skill('notes', 'Notes.', 'More.'))
  const ofNotes = { suites: { 'evals/cases/all.yaml': 1, 'skills/notes/evals/triggers.json': 2 } }
  expect(await find('skills/notes/SKILL.md')).toEqual(ofNotes)

  await fixture.writeFile('skills/notes/SKILL.md', skill('notes', 'Many notes.', 'More.'))
  expect(await find('skills/notes/SKILL.md')).toEqual(ofNotes)
  await finder.remember()
  expect(await find('skills/notes/SKILL.md')).toEqual(ofNotes)
})

test('an edited suite makes the cases due that are others now, and all of them when none is', async () => {
  const { fixture, finder, find } = await create()
  await using _ = fixture
  await finder.remember()
  const file = 'skills/notes/evals/triggers.json'
  await fixture.writeFile(file, `\n\n${queries('one', 'five')}`)
  expect(await find(file)).toEqual({ suites: { [file]: 1 } })
  await fixture.writeFile(file, `\n${queries('one', 'two')}`)
  expect(await find(file)).toEqual({ suites: { [file]: 'all' } })
})

test('an edited suite that could not be read in between has the cases due that are others than before that', async () => {
  const { fixture, finder, find } = await create()
  await using _ = fixture
  await finder.remember()
  const file = 'skills/notes/evals/triggers.json'
  await fixture.writeFile(file, '')
  expect(await find(file)).toEqual({ suites: { [file]: 'all' } })
  await finder.remember()
  await fixture.writeFile(file, queries('one', 'five'))
  expect(await find(file)).toEqual({ suites: { [file]: 1 } })
  await fixture.writeFile(file, queries('one', 'two'))
  expect(await find(file)).toEqual({ suites: { [file]: 'all' } })
})

test('a skill that a case has used is its own, and a file of nothing concerns nobody', async () => {
  const { fixture, finder, find } = await create()
  await using _ = fixture
  finder.noteSkills('skills/letters/evals/triggers.json#t-none', ['notes'])
  expect(await find('skills/letters/send.sh')).toMatchObject({
    suites: { 'evals/cases/all.yaml': 1, 'skills/letters/evals/triggers.json': 1 },
  })
  expect(await find('docs/x.md', 'evals/reports/a.json')).toEqual({
    suites: { 'evals/cases/all.yaml': 1 },
  })
})

test('a suite that is new, moved or removed is found, for the skills too', async () => {
  const { fixture, finder, find } = await create()
  await using _ = fixture
  await finder.remember()
  await fixture.writeFile(
    'skills/letters/evals/evals.json',
    JSON.stringify([{ id: 'e', prompt: 'Do.', expectations: ['Done'] }]),
  )
  const root = fixture.path.replace(/\/$/, '')
  expect(await find('skills/letters/evals/evals.json')).toMatchObject({
    suites: { 'skills/letters/evals/evals.json': 'all' },
  })
  await finder.remember()
  await fixture.rm('skills/letters/evals/evals.json')
  const file = `${root}/skills/letters/evals/evals.json`
  expect(await finder.find([file])).toMatchObject({ suites: new Map(), added: [], gone: [file] })
})

const PLUGIN_CASE = {
  'plug/.claude-plugin/plugin.json': '{ "name": "plug", "version": "1.0.0" }',
  'plug/evals/one/prompt.md': '---\nruns: 1\n---\nGreet.\n',
  'plug/evals/one/graders/says.md': '---\ntype: regex\n---\nHello\n',
}

test.for([true, false])(
  'a case that cannot be read without its grader is due for it, remembered: %s',
  async (isRemembered) => {
    const { fixture, finder, find } = await create(PLUGIN_CASE)
    await using _ = fixture
    if (isRemembered) await finder.remember()
    const due = { 'plug/evals/one/prompt.md': 'all' }
    await fixture.writeFile('plug/evals/one/graders/says.md', '')
    expect(await find('plug/evals/one/graders/says.md')).toMatchObject({ suites: due })
    await fixture.rm('plug/evals/one/graders/says.md')
    expect(await find('plug/evals/one/graders/says.md')).toMatchObject({ suites: due })
    await finder.remember()
    expect(await find('docs/x.md')).toMatchObject({ suites: { 'evals/cases/all.yaml': 1 } })
  },
)

test('what changes between a look and its memory is found by the next look', async () => {
  const { fixture, finder, find } = await create(PLUGIN_CASE)
  await using _ = fixture
  await finder.remember()
  await find('skills/notes/SKILL.md')
  await fixture.writeFile('plug/evals/one/graders/says.md', '')
  await finder.remember()
  expect(await find('plug/evals/one/graders/says.md')).toMatchObject({ suites: { 'plug/evals/one/prompt.md': 'all' } })
})
