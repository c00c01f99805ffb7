import { expect, test } from 'vitest'
import { checkNoSkillUsed, checkSkillUsed } from '../../../src/checks/skill-used.ts'
import { numberEvents } from '../../../src/transcript/select.ts'
import type { AgentRun } from '../../../src/transcript/agent-run.ts'

const at = { line: 1, column: 1 }

function runWith(...skills: readonly string[]): AgentRun {
  const events = skills.map((skill) => ({ kind: 'skill-used' as const, agent: null, skill, via: 'tool' as const }))
  return { transcript: numberEvents(events) } as unknown as AgentRun
}

test.each([
  ['skill-used', ['deploy'], 'passed'],
  ['skill-used', ['plugin:other-name'], 'passed'],
  ['skill-used', ['map'], 'failed'],
  ['skill-used', [], 'failed'],
  ['skill-not-used', ['map'], 'passed'],
  ['skill-not-used', ['plugin:deploy'], 'failed'],
] as const)('%s after %j is %s', (kind, used, outcome) => {
  const check = { kind, value: 'deploy', names: ['deploy', 'other-name'], at }
  expect(checkSkillUsed(check, runWith(...used)).outcome).toBe(outcome)
})

test('no skill at all is used', () => {
  const check = { kind: 'no-skill-used', value: true, at } as const
  expect(checkNoSkillUsed(check, runWith()).outcome).toBe('passed')
  expect(checkNoSkillUsed(check, runWith('map')).message).toBe('expected no skill to be used but map was used')
})
