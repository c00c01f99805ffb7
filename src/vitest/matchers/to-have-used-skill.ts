import { skillsUsed } from '../../transcript/select.ts'
import { noteCheck } from './note-check.ts'
import { expectation, listed, requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** Passes when the agent used this skill, by calling it or by reading its SKILL.md. */
export function toHaveUsedSkill(this: MatcherState, received: unknown, name: string): MatcherResult {
  const used = skillsUsed(requireRun(received, 'toHaveUsedSkill'))
  return noteCheck(this, received, 'toHaveUsedSkill', name, {
    pass: used.includes(name),
    message: () => expectation(this, `have used the skill ${name}`) + listed('Skills used', used),
  })
}
