import { plainName, skillsUsed } from '../transcript/select.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import { type CheckKind, type TextFields, namesOfSkill } from './check.ts'
import { oneOrMany } from './schemas.ts'

/** The use of any of the names counts; `value` is how the file names the skill. */
export interface SkillFields extends TextFields {
  readonly names: readonly string[]
  /** True where they are those of skills that were found. */
  readonly isResolved?: true
}

/** Whether a run has used a skill, or one of those that stand in for it. */
export const skillUsed: CheckKind<SkillFields> = {
  ...skillUse('Skills that the agent must use.'),
  run({ value, names }, { run }) {
    const used = skillsUsed(run)
    if (findUse(used, names, run) !== undefined) return { outcome: 'passed' }
    const instead = used.length === 0 ? 'no skill was used' : `${used.join(', ')} was used`
    const message = `expected the skill ${value} to be used but ${instead}`
    return { outcome: 'failed', message, expected: value, actual: used.join('\n') || '(no skill)' }
  },
  describe: ({ value }) => describeUse([value], true),
  needsOutput: true,
}

/** Whether a run has used none of these skills. */
export const skillNotUsed: CheckKind<SkillFields> = {
  ...skillUse('Skills that the agent must not use.'),
  run({ value, names }, { run }) {
    const used = skillsUsed(run)
    const hit = findUse(used, names, run)
    if (hit === undefined) return { outcome: 'passed' }
    const message = `expected ${hit} not to be used but it was`
    return { outcome: 'failed', message, expected: value, actual: used.join('\n') }
  },
  describe: ({ value }) => describeUse([value], false),
}

function skillUse(means: string): Pick<CheckKind<SkillFields>, 'names' | 'schema'> {
  return {
    schema: (zod) => {
      const name = zod.string().regex(/^\S{1,200}$/, 'must be the name of a skill')
      return oneOrMany(
        zod,
        name.transform((value): SkillFields => ({ value, names: [value] })),
      ).describe(means)
    },
    names: ({ names, isResolved }) => (isResolved === true ? {} : { skills: names }),
  }
}

/** Whether a run has used no skill at all. */
export const noSkillUsed: CheckKind<{ readonly value: true }> = {
  run(_asked, { run }) {
    const used = skillsUsed(run)
    if (used.length === 0) return { outcome: 'passed' }
    const message = `expected no skill to be used but ${used.join(', ')} was used`
    return { outcome: 'failed', message, expected: '(no skill)', actual: used.join('\n') }
  },
  describe: () => 'No skill is used.',
}

/** Says which skill is expected, or expected not, to be used. */
export function describeUse(names: readonly string[], isUsed: boolean): string {
  return `The skill ${names.join(' or ')} is ${isUsed ? '' : 'not '}used.`
}

function findUse(used: readonly string[], names: readonly string[], run: Pick<AgentRun, 'names'>): string | undefined {
  const all = new Set(names.flatMap((name) => namesOfSkill(name, run)))
  return used.find((name) => all.has(name) || all.has(plainName(name)))
}
