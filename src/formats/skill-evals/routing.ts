import type { DeclaredCheck } from '../../checks/checks.ts'
import { errorAt, noEffectAt, type Position } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { isSentence } from '../../lib/text.ts'
import type { KnownSkill, TriggerQuestion } from '../suite.ts'
import { take, type Field, type Fields } from './fields.ts'
import { findSkill } from './skill-index.ts'
import { NO_SKILL } from './vocabulary.ts'
import { namesOf } from '../../packages/package-root.ts'

/** Skills of which the use of any counts. */
interface Group {
  readonly skills: readonly KnownSkill[]
  readonly at: Position
}

/** Which skills an entry wants to be used, and which not. */
export interface Routing {
  /** Of each group one skill has to be used. */
  readonly groups: readonly Group[]
  readonly avoided: readonly Group[]
  /** Where it says that no skill at all may be used. */
  readonly none: Position | null
}

/** Whether the skill should be used, and the field or list that says so. */
interface Direction {
  readonly name: string
  readonly value: boolean
}

/** What the routing of an entry is read with. */
interface RoutingRequest {
  readonly fields: Fields
  /** The skill that the entry is about; `null` where it is about none in particular. */
  readonly subject: KnownSkill | null
  readonly skills: readonly KnownSkill[]
  /** What the list that holds the entry says by its name. */
  readonly list: Direction | null
}

/** Takes the fields that say which skills an entry wants used; `null`: none does, or they contradict each other. */
export function takeRouting(request: RoutingRequest): Routing | null {
  const { fields, subject, skills, list } = request
  const { document } = fields
  const ofEntry = take(fields, 'direction').map(({ name, role, value }) => ({ name, value: value === role.when }))
  const directions: readonly Direction[] = [...(list === null ? [] : [list]), ...ofEntry]
  const routes = take(fields, 'route')
  const required = distinct(
    routes.filter(({ value }) => !meansNone(value)).flatMap((field) => together(listed(request, field))),
  )
  const unnamed = required.length === 0 ? routes.find(({ value }) => meansNone(value)) : undefined
  if (isClash(request, directions, unnamed)) return null
  const [direction] = directions
  const at = document.positionOf(direction === undefined ? [] : [direction.name])
  const mine: readonly Group[] = subject === null ? [] : [{ skills: [subject], at }]
  let groups: readonly Group[] = required
  let avoided: readonly Group[] = []
  let none = unnamed === undefined ? null : document.positionOf([unnamed.name])
  if (direction !== undefined && required.length > 0 && !direction.value) {
    // This skill must not be used, and the named one takes the prompt.
    const isAnothers = subject !== null && !required.some((group) => names(group, subject))
    ;[groups, avoided] = isAnothers ? [required, mine] : [[], required]
  } else if (direction !== undefined && required.length === 0 && !isNoneByWord(unnamed)) {
    // Without a subject, a direction is about any skill. `expected_skill: null` with `should_trigger: false` is about the subject.
    if (direction.value) groups = subject === null ? [{ skills, at }] : mine
    else avoided = mine
    none = direction.value || subject !== null ? null : at
  }
  const isSilent = groups.length + avoided.length === 0 && none === null
  return isSilent ? null : { groups, avoided, none }
}

function meansNone(value: unknown): boolean {
  return value === null || value === '' || isNoneByWord({ value }) || (Array.isArray(value) && value.length === 0)
}

// A word or an empty list says that no skill is right, where `null` only says that none is named.
function isNoneByWord(field: Pick<Field, 'value'> | undefined): boolean {
  if (Array.isArray(field?.value)) return field.value.length === 0
  return typeof field?.value === 'string' && NO_SKILL.has(field.value.trim().toLowerCase())
}

// Two directions, or a direction to use a skill beside a field that names none.
function isClash(
  { fields: { document, issues }, list }: RoutingRequest,
  directions: readonly Direction[],
  none: Field | undefined,
): boolean {
  const [yes, no] = [true, false].map((value) => directions.find((one) => one.value === value))
  const isBoth = yes !== undefined && no !== undefined
  if (yes === undefined || (no ?? none) === undefined) return false
  // The name of the list is no field of the entry.
  const [field, against] = isBoth ? (no === list ? [yes, no] : [no, yes]) : yes === list ? [none, none] : [yes, none]
  const which = isBoth ? '' : ', which names no skill'
  const message = `contradicts ${JSON.stringify(against?.name)}${which}; keep one of them`
  issues.push(errorAt(document, [field?.name ?? ''], 'contradiction', message))
  return true
}

function together(groups: readonly Group[]): readonly Group[] {
  const [first] = groups
  return first === undefined ? [] : [{ skills: groups.flatMap(({ skills }) => skills), at: first.at }]
}

function distinct(groups: readonly Group[]): readonly Group[] {
  const isSame = (a: Group, b: Group): boolean =>
    a.skills.length === b.skills.length && a.skills.every((skill) => b.skills.includes(skill))
  return groups.filter((group, index) => groups.findIndex((one) => isSame(one, group)) === index)
}

function names({ skills }: Group, skill: KnownSkill): boolean {
  return skills.some(({ dir }) => dir === skill.dir)
}

// Each named skill as a group of its own. A name that no skill has is an error, and a sentence has no effect.
function listed({ fields: { document, issues }, skills }: RoutingRequest, { name, value }: Field): readonly Group[] {
  return [value as string | readonly string[]].flat().flatMap((written, index) => {
    const path = Array.isArray(value) ? [name, index] : [name]
    const skill = findSkill(written, skills)
    if (skill !== null) return [{ skills: [skill], at: document.positionOf(path) }]
    const suggestion = suggestName(written.trim(), skills.flatMap(namesOf))
    if (suggestion === '' && isSentence(written)) issues.push(noEffectAt(document, path, 'has no effect'))
    else {
      const message = `there is no skill ${JSON.stringify(written)}.${suggestion || listNames(skills)}`
      issues.push(errorAt(document, path, 'unknown-skill', message))
    }
    return []
  })
}

function listNames(skills: readonly KnownSkill[]): string {
  const all = skills.map(({ name }) => name)
  return all.length === 0 ? '' : ` There are ${firstInSentence(all, 10)}.`
}

/** The question of a query that asks for nothing but one skill; `null` where it needs checks. */
export function toQuestion({
  groups,
  avoided,
  none,
}: Routing): Pick<TriggerQuestion, 'accepts' | 'shouldTrigger' | 'skill'> | null {
  if (none !== null) return { skill: null, shouldTrigger: false }
  if (groups.length + Math.min(avoided.length, 1) !== 1) return null
  const skills = [...groups, ...avoided].flatMap((group) => group.skills)
  const [name = '', ...accepts] = [...new Set(skills.flatMap(namesOf))]
  return { skill: name, shouldTrigger: groups.length === 1, ...(accepts.length === 0 ? {} : { accepts }) }
}

/** The use of skills as checks of a run. */
export function toChecks({ groups, avoided, none }: Routing): readonly DeclaredCheck[] {
  const each = avoided.flatMap(({ skills, at }) => skills.map((one): Group => ({ skills: [one], at })))
  const once = each.filter(
    (one, index) => each.findIndex(({ skills: [other] }) => other?.dir === one.skills[0]?.dir) === index,
  )
  return [
    ...groups.map((group) => toCheck('skill-used', group)),
    ...once.map((group) => toCheck('skill-not-used', group)),
    ...(none === null ? [] : [{ kind: 'no-skill-used' as const, value: true as const, at: none }]),
  ]
}

function toCheck(kind: 'skill-not-used' | 'skill-used', { skills, at }: Group): DeclaredCheck {
  const value = [...new Set(skills.map(({ name }) => name))].join(' or ')
  return { kind, value, names: [...new Set(skills.flatMap(namesOf))], isResolved: true, at }
}
