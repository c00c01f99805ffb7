import { skillUsed } from '../../checks/skill-used.ts'
import { skillsUsed } from '../../transcript/select.ts'
import { noteCheck, passes } from './note-check.ts'
import { expectation, listed, requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** Passes when the agent used this skill, by calling it or by reading its SKILL.md. */
export function toHaveUsedSkill(this: MatcherState, received: unknown, name: string): MatcherResult {
  const run = requireRun(received, 'toHaveUsedSkill')
  return noteCheck(this, received, 'toHaveUsedSkill', name, {
    pass: passes(skillUsed, { value: name, names: [name] }, run),
    message: () => expectation(this, `have used the skill ${name}`) + listed('Skills used', skillsUsed(run)),
  })
}
