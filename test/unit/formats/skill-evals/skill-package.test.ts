import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createSuiteCache } from '../../../../src/formats/load-suite.ts'
import { findSkills } from '../../../../src/formats/skill-evals/skill-index.ts'

const text = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nBody.\n`

test('a query of a trial sees the skills of the trial, others their siblings', async () => {
  await using files = await createFixture({
    'skills/notes/SKILL.md': text('notes', 'Old.'),
    'skills/letters/SKILL.md': text('letters', 'Letters.'),
    'plugins/post/skills/stamps/SKILL.md': text('stamps', 'Stamps.'),
    'other/notes/SKILL.md': text('notes', 'New.'),
    'test/fixtures/copy/SKILL.md': text('copy', 'Is no skill that is worked on.'),
  })
  const root = files.path.replace(/\/$/, '')
  const skill = {
    name: 'notes',
    dir: `${root}/skills/notes`,
    projectRoot: root,
    evalsDir: `${root}/skills/notes/evals`,
  }
  const suite = { packageRoot: root, skill }
  const query = {
    kind: 'trigger' as const,
    trigger: { skill: 'notes', shouldTrigger: true, runs: null, threshold: null },
  }
  const seen = async (cache = createSuiteCache(), evalCase = query): Promise<readonly string[]> =>
    (await cache.packageFor(suite, evalCase)).skills.map(({ name, description }) => `${name}: ${description}`)
  expect(await seen()).toEqual(['letters: Letters.', 'notes: Old.'])

  const { skills: found } = await findSkills(root)
  expect(found.map(({ name }) => name)).toEqual(['letters', 'notes', 'stamps'])
  const skills = found.map((one) => (one.name === 'notes' ? { ...one, dir: `${root}/other/notes` } : one))
  const trial = createSuiteCache({ trial: { skills } })
  expect(await seen(trial)).toEqual(['letters: Letters.', 'notes: New.', 'stamps: Stamps.'])
  expect((await trial.packageFor(suite, { kind: 'task' })).skills.map(({ description }) => description)).toContain(
    'Old.',
  )
})
