import { namesOf } from '../../../skills/known-skills.ts'
import type { DeclaredCheck, TriggerQuestion } from '../../../suite.ts'
import type { Group } from './routing-fields.ts'
import type { Routing } from './routing.ts'

/** The question of a query that asks for nothing but one skill; `null` where it needs checks. */
export function toQuestion({
  groups,
  avoided,
  none,
}: Routing): Pick<TriggerQuestion, 'accepts' | 'shouldTrigger' | 'skill'> | null {
  if (none !== null) return { skill: null, shouldTrigger: false }
  if (groups.length + Math.min(avoided.length, 1) !== 1) return null
  const shouldTrigger = groups.length === 1
  const skills = [...groups, ...avoided].flatMap((group) => group.skills)
  const [name = '', ...accepts] = [...new Set(skills.flatMap(namesOf))]
  return { skill: name, shouldTrigger, ...(accepts.length === 0 ? {} : { accepts }) }
}

/** The use of skills as checks of a run. */
export function toChecks({ groups, avoided, none }: Routing): readonly DeclaredCheck[] {
  return [
    ...groups.map((group) => toCheck('skill-used', group)),
    ...once(avoided).map((group) => toCheck('skill-not-used', group)),
    ...(none === null ? [] : [{ kind: 'no-skill-used' as const, value: true as const, at: none }]),
  ]
}

// Each skill by itself, which several fields may name.
function once(groups: readonly Group[]): readonly Group[] {
  const named = groups.flatMap(({ skills, at }) => skills.map((one): Group => ({ skills: [one], at })))
  const isFirst = (one: Group, index: number): boolean =>
    named.findIndex(({ skills: [other] }) => other?.dir === one.skills[0]?.dir) === index
  return named.filter(isFirst)
}

function toCheck(kind: 'skill-not-used' | 'skill-used', { skills, at }: Group): DeclaredCheck {
  const value = [...new Set(skills.map(({ name }) => name))].join(' or ')
  return { kind, value, names: [...new Set(skills.flatMap(namesOf))], at }
}
