import { plainName, skillsUsed } from '../transcript/select.ts'
import type { CheckFields, CheckKind, Parts, TextFields } from './check.ts'
import { oneOrMany, type Zod, type ZodType } from './schemas.ts'

const PATH = String.raw`(?:\`(?<tick>[^\`]+)\`|"(?<double>[^"]+)"|'(?<single>[^']+)'|(?<bare>[\w@./-]+))`

/** The name of a file. */
export const FILE = `(?:(?:the|a|an) )?(?:file )?(?:(?:named|called|at) )?${PATH}`
/** What a text contains, or does not. */
export const CONTAINS = `(?:(?:contains|includes)|(?<no>does not (?:contain|include)))(?: the (?:text|string|word|phrase))? ${String.raw`(?:\`(?<textTick>[^\`]+)\`|"(?<textDouble>[^"]+)"|'(?<textSingle>[^']+)')`}`
export const IS = '(?:is|was|has been)'
export const TOOL = String.raw`[\`"']?(?<tool>\w+)[\`"']?`
const SKILL = String.raw`[\`"'](?<skill>[\w:-]+)[\`"']`

/** The path that {@link FILE} has found. What has no extension may be a key, a route or prose. No wildcard, no place holder, nothing absolute. */
export function aboutFile<Fields extends CheckFields>(
  { tick, double, single, bare }: Parts,
  make: (path: string) => Fields,
): Fields | null {
  const path = (tick ?? double ?? single ?? bare ?? '').replace(/^(?:\.\/)+/, '')
  const isRelative = /^[\w@.-]+(?:\/[\w@.-]+)*\.\w+$/.test(path) && !path.split('/').includes('..')
  return isRelative ? make(path) : null
}

/** The text that {@link CONTAINS} has found, and whether it has to be there. */
export function aboutText({ textTick, textDouble, textSingle, no }: Parts): {
  readonly text: string
  readonly holds: boolean
} {
  return { text: textTick ?? textDouble ?? textSingle ?? '', holds: no === undefined }
}

/** The use of any of the names counts; `value` is how the file names the skill. */
export interface SkillFields extends TextFields {
  readonly names: readonly string[]
}

/** Whether a run has used a skill, or one of those that stand in for it. */
export const skillUsed: CheckKind<SkillFields> = {
  schema: (zod) => skills(zod).describe('Skills that the agent must use.'),
  run({ value, names }, { run }) {
    const used = skillsUsed(run)
    const seen = describeUsed(used)
    if (findUse(used, names) !== undefined) return { outcome: 'passed', seen }
    const instead = used.length === 0 ? 'no skill was used' : `${used.join(', ')} was used`
    const message = `expected the skill ${value} to be used but ${instead}`
    return { outcome: 'failed', seen, message, expected: value, actual: used.join('\n') || '(no skill)' }
  },
  describe: ({ value }) => describeUse([value], true),
  sentences: [
    [`the ${SKILL} skill ${IS} (?:used|invoked)`, aboutSkill],
    [`the skill ${SKILL} ${IS} (?:used|invoked)`, aboutSkill],
  ],
  needsOutput: true,
}

/** Whether a run has used none of these skills. */
export const skillNotUsed: CheckKind<SkillFields> = {
  schema: (zod) => skills(zod).describe('Skills that the agent must not use.'),
  run({ value, names }, { run }) {
    const used = skillsUsed(run)
    const seen = describeUsed(used)
    const hit = findUse(used, names)
    if (hit === undefined) return { outcome: 'passed', seen }
    const message = `expected ${hit} not to be used but it was`
    return { outcome: 'failed', seen, message, expected: value, actual: used.join('\n') }
  },
  describe: ({ value }) => describeUse([value], false),
  sentences: [
    [`the ${SKILL} skill ${IS} (?:not|never) (?:used|invoked)`, aboutSkill],
    [`the skill ${SKILL} ${IS} (?:not|never) (?:used|invoked)`, aboutSkill],
  ],
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

function findUse(used: readonly string[], names: readonly string[]): string | undefined {
  return used.find((name) => names.includes(name) || names.includes(plainName(name)))
}

function describeUsed(used: readonly string[]): string {
  return used.length === 0 ? 'No skill was used.' : `The run used ${used.join(', ')}.`
}

function skills(zod: Zod): ZodType<readonly SkillFields[]> {
  const name = zod.string().regex(/^\S{1,200}$/, 'must be the name of a skill')
  return oneOrMany(
    zod,
    name.transform((value): SkillFields => ({ value, names: [value] })),
  )
}

function aboutSkill({ skill = '' }: Parts): SkillFields {
  return { value: skill, names: [skill] }
}
