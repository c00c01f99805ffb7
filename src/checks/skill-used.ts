import { skillsUsed } from '../transcript/select.ts'
import { plainName } from '../transcript/plain-name.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether a run has used a skill, or one of those that stand in for it. */
export function checkSkillUsed(declared: Declared<'skill-not-used' | 'skill-used'>, run: AgentRun): CheckResult {
  const { kind, value, at, names } = declared
  const used = skillsUsed(run)
  const hit = used.find((name) => names.includes(plainName(name)))
  const isRight = (hit === undefined) === (kind === 'skill-not-used')
  if (isRight) return { kind, value, at, outcome: 'passed', message: '' }
  const instead = used.length === 0 ? 'no skill was used' : `${used.join(', ')} was used`
  const message =
    hit === undefined
      ? `expected the skill ${value} to be used but ${instead}`
      : `expected ${hit} not to be used but it was`
  return { kind, value, at, outcome: 'failed', message, expected: value, actual: used.join('\n') || '(no skill)' }
}

/** Whether a run has used no skill at all. */
export function checkNoSkillUsed({ kind, value, at }: Declared<'no-skill-used'>, run: AgentRun): CheckResult {
  const used = skillsUsed(run)
  if (used.length === 0) return { kind, value, at, outcome: 'passed', message: '' }
  const message = `expected no skill to be used but ${used.join(', ')} was used`
  return { kind, value, at, outcome: 'failed', message, expected: '(no skill)', actual: used.join('\n') }
}
