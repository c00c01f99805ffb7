import { expect, test } from 'vitest'
import { whyNotOffered } from '../../../../src/case/assess/findings.ts'
import { agentRun } from '../../../support/agent-run.ts'
import type { Skill } from '../../../../src/packages/package.ts'

function skill(name: string, hiddenFrom?: 'model' | 'user'): Skill {
  const known = { name, dir: `/p/${name}`, file: `/p/${name}/SKILL.md`, description: 'd', body: '' }
  return hiddenFrom === undefined ? known : { ...known, hiddenFrom }
}

function why(listed: readonly string[] | null, skills: readonly Skill[], name: string | null = 'notes'): unknown {
  return whyNotOffered({ run: agentRun(), skillsListed: listed }, name, { skills })?.message ?? null
}

const notes = skill('notes')
const letters = skill('letters')

test('a skill that the session lists is offered, under the name of a plugin too', () => {
  expect(why(['notes', 'verify'], [notes])).toBeNull()
  expect(why(['pack:notes'], [notes])).toBeNull()
})

test('a skill that it does not list is not, and what it lists is said', () => {
  expect(why(['letters', 'verify'], [notes, letters])).toBe(
    'The session did not offer the skill notes, so it could not be used. It offered letters. Check its SKILL.md: the folder name counts, and invalid front matter hides the skill.',
  )
  expect(why(['verify'], [notes])).toContain('It offered none of its siblings either.')
  expect(why(['letters'], [letters], 'lettres')).toContain('did not offer the skill lettres')
})

test('what its front matter hides from the model is not offered; what it hides from a person is', () => {
  expect(why(['notes'], [skill('notes', 'model')])).toBe(
    'The skill notes is not offered to a model: its SKILL.md has `disable-model-invocation`. Remove that, or remove its queries.',
  )
  expect(why(['verify'], [skill('notes', 'user')])).toBeNull()
})

test('a session that does not say, or a query that wants no skill, leaves nothing to find', () => {
  expect(why(null, [notes])).toBeNull()
  expect(why([], [notes], null)).toBeNull()
})

test('a skill that was used was offered somehow', () => {
  const used = { kind: 'skill-used' as const, agent: null, skill: 'notes', via: 'read' as const }
  const run = agentRun({}, [used])
  expect(whyNotOffered({ run, skillsListed: [] }, 'notes', { skills: [notes] })).toBeNull()
})
