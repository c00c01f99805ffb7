import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findSkills } from '../../../../src/formats/skill-evals/skill-index.ts'
import { skill } from '../../../support/skill-project.ts'

test('finds the skills of a repository once for each name, and says which others have it', async () => {
  await using fixture = await createFixture({
    'skills/notes/SKILL.md': skill('notes', 'Writes notes.'),
    'plugins/post/skills/notes/SKILL.md': skill('notes', 'Writes other notes.'),
    'plugins/post/skills/stamps/SKILL.md': skill('stamps', 'Sticks stamps.'),
    'node_modules/x/skills/far/SKILL.md': skill('far', 'Is of a dependency.'),
  })
  const root = fixture.path.replace(/\/$/, '')
  const { skills, others } = await findSkills(root)
  expect(skills.map(({ name }) => name)).toEqual(['notes', 'stamps'])
  expect([...skills, ...others].map(({ dir }) => dir.slice(root.length)).toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
    '/plugins/post/skills/notes',
    '/plugins/post/skills/stamps',
    '/skills/notes',
  ])
  expect(others).toHaveLength(1)
})

test('finds the skill that a repository is', async () => {
  await using fixture = await createFixture({
    '.git/HEAD': '',
    'SKILL.md': skill('notes', 'Writes notes.'),
    'mail/SKILL.md': skill('mail', 'Writes mail.'),
  })
  const { skills } = await findSkills(fixture.path.replace(/\/$/, ''))
  expect(skills.map(({ name }) => name)).toEqual(['mail', 'notes'])
})
