import { expect, test } from 'vitest'
import { runChecks } from '../../../src/checks/checks.ts'
import { numberEvents } from '../../../src/transcript/select.ts'
import type { AgentRun } from '../../../src/transcript/transcript.ts'

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
  expect(runChecks([check], runWith(...used), null)[0]?.outcome).toBe(outcome)
})

test('no skill at all is used', () => {
  const check = { kind: 'no-skill-used', value: true, at } as const
  expect(runChecks([check], runWith(), null)[0]?.outcome).toBe('passed')
  expect(runChecks([check], runWith('map'), null)[0]?.message).toBe('expected no skill to be used but map was used')
})
