import type { DeclaredCheck } from '../../checks/checks.ts'
import { errorAt, noEffectAt, type Issue, type Position, type ReadDocument } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { isSentence } from '../../lib/text.ts'
import type { KnownSkill, TriggerQuestion } from '../suite.ts'
import { fieldsAs, type Field } from './fields.ts'
import { findSkill, namesOf } from './skill-index.ts'
import { NO_SKILL } from './vocabulary.ts'

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
export interface Direction {
  readonly name: string
  readonly value: boolean
}

/** What the routing of an entry is read with. */
export interface RoutingRequest {
  readonly fields: readonly Field[]
  readonly document: ReadDocument
  /** The skill that the entry is about; `null` where it is about none in particular. */
  readonly subject: KnownSkill | null
  readonly skills: readonly KnownSkill[]
  /** What the list that holds the entry says by its name. */
  readonly list: Direction | null
}

/** What the routing fields of an entry say. */
export interface ReadRouting {
  /** `null`: nothing. */
  readonly routing: Routing | null
  /** What contradicts itself; the case alone fails by it. */
  readonly contradiction: Issue | null
  readonly issues: readonly Issue[]
}

/** Reads which skills an entry wants used. */
export function readRouting(request: RoutingRequest): ReadRouting {
  const { fields, document, subject, skills, list } = request
  const issues: Issue[] = []
  const ofEntry = fieldsAs(fields, 'direction').map(({ name, role, value }) => ({ name, value: value === role.when }))
  const directions: readonly Direction[] = [...(list === null ? [] : [list]), ...ofEntry]
  const routes = (use: 'all' | 'also' | 'any' | 'never'): readonly Field[] =>
    fieldsAs(fields, 'route').filter(({ role }) => role.use === use)
  const groupsOf = (use: 'all' | 'also' | 'never'): readonly Group[] =>
    routes(use).flatMap((field) => listed(request, field, use === 'never', issues))
  const nothing = [...routes('any'), ...routes('all')].find(({ value }) => meansNone(value))
  const anyOf = routes('any').filter(({ value }) => !meansNone(value))
  const required = distinct([
    ...anyOf.flatMap((field) => together(listed(request, field, false, issues))),
    ...groupsOf('all'),
  ])
  const [also, never] = [groupsOf('also'), groupsOf('never')]
  const unnamed = required.length === 0 ? nothing : undefined

  const clash = findClash(request, directions, unnamed)
  if (clash !== null) return { routing: null, contradiction: clash, issues }
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
    // Asked of no skill in particular, it is about all of them. "None is expected, and this one must not fire" is about this one.
    if (direction.value) groups = subject === null ? [{ skills, at }] : mine
    else avoided = mine
    none = direction.value || subject !== null ? null : at
  }
  avoided = [...never, ...avoided]
  const unused = (use: 'also' | 'never', why: string): void =>
    void issues.push(...routes(use).map(({ name }) => noEffectAt(document, [name], `has no effect: ${why}`)))
  const accepted = also.flatMap((group) => group.skills)
  if (none !== null && accepted.length === 0) {
    unused('never', 'no skill at all may be used')
    avoided = []
  } else if (none !== null) {
    const covered = [...routes('also'), ...routes('never')]
    issues.push(...covered.map(({ name }) => noEffectAt(document, [name], ONLY_OTHERS)))
    avoided = [{ skills: skills.filter((one) => !accepted.includes(one)), at: none }].filter(
      (one) => one.skills.length > 0,
    )
    none = null
  } else if (accepted.length > 0 && direction?.value === false) unused('also', 'the skill should not be used')
  else if (accepted.length > 0) {
    const [first, ...rest] = groups
    groups = [{ skills: [...(first?.skills ?? []), ...accepted], at: first?.at ?? also[0]?.at ?? at }, ...rest]
  }
  const both = groups.some((group) => group.skills.some((one) => avoided.some((other) => names(other, one))))
  const [forbidding] = routes('never')
  if (both) {
    const message = 'names a skill that has to be used as well; keep one of them'
    const name = forbidding?.name ?? direction?.name ?? ''
    return { routing: null, contradiction: contradict(document, name, message), issues }
  }
  const isSilent = groups.length + avoided.length === 0 && none === null
  return { routing: isSilent ? null : { groups, avoided, none }, contradiction: null, issues }
}

const ONLY_OTHERS = 'no skill is expected: only the use of skills that are not acceptable fails the case'

function meansNone(value: unknown): boolean {
  return value === null || value === '' || isNoneByWord({ value }) || (Array.isArray(value) && value.length === 0)
}

// A word or an empty list says that no skill is right, where `null` only says that none is named.
function isNoneByWord(field: Pick<Field, 'value'> | undefined): boolean {
  if (Array.isArray(field?.value)) return field.value.length === 0
  return typeof field?.value === 'string' && NO_SKILL.has(field.value.trim().toLowerCase())
}

function contradict(document: ReadDocument, name: string, message: string): Issue {
  return { ...errorAt(document, [name], 'contradiction', message), skips: true }
}

// Two directions, or a direction to use a skill beside a field that names none.
function findClash(
  { document, list }: RoutingRequest,
  directions: readonly Direction[],
  none: Field | undefined,
): Issue | null {
  const [yes, no] = [true, false].map((value) => directions.find((one) => one.value === value))
  if (yes !== undefined && no !== undefined) {
    // The name of the list is no field of the entry.
    const [field, against] = no === list ? [yes, no] : [no, yes]
    return contradict(document, field.name, `contradicts ${JSON.stringify(against.name)}; keep one of them`)
  }
  if (none === undefined || yes === undefined) return null
  const message = `contradicts ${JSON.stringify(none.name)}, which names no skill; keep one of them`
  return contradict(document, yes === list ? none.name : yes.name, message)
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

// Each named skill as a group of its own. A name that no skill has is an error of the file, a sentence is a remark.
function listed(
  { document, skills }: RoutingRequest,
  { name, value }: Field,
  isAvoided: boolean,
  issues: Issue[],
): readonly Group[] {
  return [value as string | readonly string[]].flat().flatMap((written, index) => {
    const path = Array.isArray(value) ? [name, index] : [name]
    const skill = findSkill(written, skills)
    if (skill !== null) return [{ skills: [skill], at: document.positionOf(path) }]
    const suggestion = suggestName(written.trim(), skills.flatMap(namesOf))
    if (suggestion === '' && (isAvoided || isSentence(written)))
      issues.push(noEffectAt(document, path, `has no effect: there is no skill ${JSON.stringify(written)}`))
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
  return { kind, value, names: [...new Set(skills.flatMap(namesOf))], at }
}
