import { errorAt, noEffectAt } from '../../documents/document.ts'
import {
  AVOIDING,
  listed,
  readDirections,
  readWanted,
  type Group,
  type Prose,
  type RoutingRequest,
} from './routing-fields.ts'
import { ACCEPTED_FIELDS, DIRECTION_FIELDS, EACH_FIELDS, PERMITTED_FIELDS, ROUTE_FIELDS } from './skill-fields.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import type { SkillEntry } from './skill-entry.ts'

/** Which skills an entry wants to be used, and which not. */
export interface Routing {
  /** Of each group one skill has to be used. */
  readonly groups: readonly Group[]
  readonly avoided: readonly Group[]
  /** Where it says that no skill at all may be used. */
  readonly none: Position | null
}

/** What the routing fields of an entry say. */
export interface ReadRouting {
  /** `null`: no direction, or none that is understood. */
  readonly routing: Routing | null
  /** The description of a good result where a skill could be named. */
  readonly prose: Prose | null
  /** What contradicts itself; the case alone fails by it. */
  readonly contradiction: Issue | null
  readonly issues: readonly Issue[]
}

/** Reads which skills an entry wants used, under whichever names. */
export function readRouting(request: RoutingRequest): ReadRouting {
  const { entry, document, subject } = request
  if (!routes(entry) && (request.list ?? null) === null) return { ...NO_ROUTING, issues: unusedPermits(request) }
  const issues: Issue[] = []
  const directions = readDirections(request)
  const isDirection = directions.some(({ field }) => field === 'should_not_trigger')
  const avoidedBy = AVOIDING.filter(
    (field) => entry[field] !== undefined && !(field === 'should_not_trigger' && isDirection),
  )
  const wanted = readWanted(request, issues)
  const values = [...new Set(directions.map(({ value }) => value))]
  const [direction, other] = values
  const at = document.positionOf([directions[0]?.field ?? 'should_trigger'])
  const contradict = (field: string, message: string): ReadRouting => {
    const issue: Issue = { ...errorAt(document, [field], 'contradiction', message), skips: true }
    return { routing: null, prose: wanted.prose, contradiction: issue, issues }
  }
  if (other !== undefined) {
    const [first, second] = [true, false].map((value) => directions.find((one) => one.value === value)?.field ?? '')
    // The name of the list is no field of the entry.
    const [own, against] = second === request.list?.field ? [first, second] : [second, first]
    return contradict(own ?? '', `contradicts ${JSON.stringify(against)}; keep one of them`)
  }
  if (wanted.none !== null && direction === true)
    return contradict(
      directions[0]?.field ?? '',
      `contradicts ${JSON.stringify(wanted.noneField)}, which names no skill; keep one of them`,
    )

  const groups: Group[] = []
  const avoided: Group[] = avoidedBy.flatMap((field) => listed(request, field, issues, 'avoided'))
  const accepted = ACCEPTED_FIELDS.flatMap((field) => listed(request, field, issues, 'wanted'))
  const permitted = PERMITTED_FIELDS.flatMap((field) => listed(request, field, issues, 'avoided'))
  let none = wanted.none
  const isAnothers = request.list?.value === false && subject !== null && !names(wanted.groups, subject)
  if (isAnothers && wanted.groups.length > 0) {
    // In a list of what must not trigger this skill: the named one takes it.
    groups.push(...wanted.groups)
    avoided.push({ skills: [subject], at })
  } else if (direction === false && wanted.groups.length > 0) avoided.push(...wanted.groups)
  else if (direction === false && !wanted.isWord) {
    // "No skill is expected, and this one must not fire" is about this one.
    none = null
    if (subject !== null) avoided.push({ skills: [subject], at })
  } else if (direction === true && wanted.groups.length === 0) {
    if (subject !== null) groups.push({ skills: [subject], at })
  } else groups.push(...wanted.groups)
  if (direction !== undefined && wanted.groups.length === 0 && !wanted.isWord && subject === null) {
    // Asked of no skill in particular, it is about all of them.
    if (direction) groups.push({ skills: request.skills, at })
    else none = at
  }

  const [first, ...rest] = groups
  const readsPermits = none !== null
  if (none !== null) {
    // None is expected and some are allowed: the others must not be used.
    const allowed = [...accepted, ...permitted].flatMap((group) => group.skills)
    const others = request.skills.filter((one) => !allowed.includes(one))
    const allowing = allowed.length > 0 ? [...ACCEPTED_FIELDS, ...PERMITTED_FIELDS] : []
    const unused = [...allowing, ...avoidedBy].filter((field) => entry[field] !== undefined)
    issues.push(...unused.map((field) => noEffectAt(document, [field], allowed.length > 0 ? ALLOWED : COVERED)))
    const remaining = allowed.length > 0 && others.length > 0 ? [{ skills: others, at: none }] : []
    avoided.splice(0, avoided.length, ...remaining)
    if (allowed.length > 0) none = null
  } else if (accepted.length > 0 && direction !== false) {
    const skills = [...(first?.skills ?? []), ...accepted.flatMap((group) => group.skills)]
    groups.splice(0, groups.length, { skills, at: first?.at ?? accepted[0]?.at ?? at }, ...rest)
  } else if (accepted.length > 0) {
    const unused = ACCEPTED_FIELDS.filter((name) => entry[name] !== undefined)
    issues.push(...unused.map((field) => noEffectAt(document, [field], 'has no effect: the skill should not be used')))
  }
  if (!readsPermits && permitted.length > 0) issues.push(...unusedPermits(request))
  const clash = groups.find(({ skills }) => skills.some((one) => names(avoided, one)))
  if (clash !== undefined)
    return contradict(avoidedBy[0] ?? 'should_trigger', 'names a skill that has to be used as well; keep one of them')
  const isSilent = groups.length + avoided.length === 0 && none === null
  return { routing: isSilent ? null : { groups, avoided, none }, prose: wanted.prose, contradiction: null, issues }
}

const NO_ROUTING: ReadRouting = { routing: null, prose: null, contradiction: null, issues: [] }

function unusedPermits({ entry, document }: RoutingRequest): readonly Issue[] {
  const unused = PERMITTED_FIELDS.filter((field) => entry[field] !== undefined)
  return unused.map((field) => noEffectAt(document, [field], 'has no effect: other skills may be used anyway'))
}

function names(groups: readonly Group[], subject: Group['skills'][number]): boolean {
  return groups.some(({ skills }) => skills.some(({ dir }) => dir === subject.dir))
}

const ALLOWED = 'no skill is expected: only the use of skills that are not acceptable fails the case'
const COVERED = 'has no effect: no skill at all may be used'

/** Whether an entry has any field that routes. */
export function routes(entry: SkillEntry): boolean {
  return ROUTING_FIELDS.some((field) => entry[field] !== undefined)
}

const ROUTING_FIELDS = [...DIRECTION_FIELDS, ...ROUTE_FIELDS, ...EACH_FIELDS, ...ACCEPTED_FIELDS, ...AVOIDING] as const
