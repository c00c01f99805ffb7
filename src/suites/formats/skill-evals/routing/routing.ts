import { errorAt, noEffectAt } from '../../../../documents/document.ts'
import {
  AVOIDING,
  listed,
  readDirections,
  readWanted,
  type Direction,
  type Group,
  type Prose,
  type RoutingRequest,
  type Wanted,
} from './routing-fields.ts'
import {
  ACCEPTED_FIELDS,
  DIRECTION_FIELDS,
  EACH_FIELDS,
  hasAny,
  PERMITTED_FIELDS,
  ROUTE_FIELDS,
} from '../fields/skill-fields.ts'
import type { Issue, Position } from '../../../../documents/issue.ts'
import type { SkillEntry } from '../skill-entry.ts'

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
  const { entry } = request
  if (!routes(entry) && (request.list ?? null) === null) return { ...NO_ROUTING, issues: unusedPermits(request) }
  const issues: Issue[] = []
  const directions = readDirections(request)
  const wanted = readWanted(request, issues)
  const { prose } = wanted
  const contradiction = findContradiction(request, directions, wanted)
  if (contradiction !== null) return { routing: null, prose, contradiction, issues }
  const others = readOthers(request, directions, issues)
  const [direction] = directions
  const directed = direct(request, direction, wanted)
  const asked = { ...directed, avoided: [...others.avoided, ...directed.avoided] }
  const routing =
    asked.none === null
      ? withAccepted(request, asked, others, direction, issues)
      : withoutOthers(request, asked.none, others, issues)
  if (routing.groups.some(({ skills }) => skills.some((one) => names(routing.avoided, one)))) {
    const clash = contradict(
      request,
      others.avoidedBy[0] ?? 'should_trigger',
      'names a skill that has to be used as well; keep one of them',
    )
    return { routing: null, prose, contradiction: clash, issues }
  }
  const isSilent = routing.groups.length + routing.avoided.length === 0 && routing.none === null
  return { routing: isSilent ? null : routing, prose, contradiction: null, issues }
}

function contradict({ document }: RoutingRequest, field: string, message: string): Issue {
  return { ...errorAt(document, [field], 'contradiction', message), skips: true }
}

// Two directions, or a direction to use a skill beside a word for none.
function findContradiction(request: RoutingRequest, directions: readonly Direction[], wanted: Wanted): Issue | null {
  const [yes, no] = [true, false].map((value) => directions.find((one) => one.value === value))
  if (yes !== undefined && no !== undefined) {
    // The name of the list is no field of the entry.
    const [own, against] = no.field === request.list?.field ? [yes, no] : [no, yes]
    return contradict(request, own.field, `contradicts ${JSON.stringify(against.field)}; keep one of them`)
  }
  if (wanted.none === null || yes === undefined) return null
  const message = `contradicts ${JSON.stringify(wanted.noneField)}, which names no skill; keep one of them`
  return contradict(request, yes.field, message)
}

/** Skills that an entry names besides those that it wants used. */
interface Others {
  readonly avoided: readonly Group[]
  /** The fields that name them. */
  readonly avoidedBy: readonly string[]
  readonly accepted: readonly Group[]
  readonly permitted: readonly Group[]
}

function readOthers(request: RoutingRequest, directions: readonly Direction[], issues: Issue[]): Others {
  const isDirection = directions.some(({ field }) => field === 'should_not_trigger')
  const avoidedBy = AVOIDING.filter(
    (field) => request.entry[field] !== undefined && !(field === 'should_not_trigger' && isDirection),
  )
  return {
    avoided: avoidedBy.flatMap((field) => listed(request, field, issues, 'avoided')),
    avoidedBy,
    accepted: ACCEPTED_FIELDS.flatMap((field) => listed(request, field, issues, 'wanted')),
    permitted: PERMITTED_FIELDS.flatMap((field) => listed(request, field, issues, 'avoided')),
  }
}

// What a direction means for the skills that are named, or for the one that the entry is about.
function direct(
  { document, subject, skills }: RoutingRequest,
  direction: Direction | undefined,
  { groups, none, isWord }: Wanted,
): Routing {
  const at = document.positionOf([direction?.field ?? 'should_trigger'])
  const own: readonly Group[] = subject === null ? [] : [{ skills: [subject], at }]
  if (direction === undefined) return { groups, avoided: [], none }
  if (groups.length > 0) {
    if (direction.value) return { groups, avoided: [], none }
    // This skill must not be used, and the named one takes the prompt.
    const isAnothers = subject !== null && !names(groups, subject)
    return isAnothers ? { groups, avoided: own, none } : { groups: [], avoided: groups, none }
  }
  if (isWord) return { groups, avoided: [], none }
  // Asked of no skill in particular, it is about all of them.
  if (subject === null && direction.value) return { groups: [{ skills, at }], avoided: [], none }
  if (subject === null) return { groups: [], avoided: [], none: at }
  // "No skill is expected, and this one must not fire" is about this one.
  return direction.value ? { groups: own, avoided: [], none } : { groups: [], avoided: own, none: null }
}

// None is expected: where some are allowed, the others must not be used.
function withoutOthers(
  { entry, document, skills }: RoutingRequest,
  none: Position,
  { avoidedBy, accepted, permitted }: Others,
  issues: Issue[],
): Routing {
  const allowed = [...accepted, ...permitted].flatMap((group) => group.skills)
  if (allowed.length === 0) {
    issues.push(...avoidedBy.map((field) => noEffectAt(document, [field], COVERED)))
    return { groups: [], avoided: [], none }
  }
  const unused = [...ACCEPTED_FIELDS, ...PERMITTED_FIELDS].filter((field) => entry[field] !== undefined)
  issues.push(...[...unused, ...avoidedBy].map((field) => noEffectAt(document, [field], ALLOWED)))
  const others = skills.filter((one) => !allowed.includes(one))
  return { groups: [], avoided: others.length === 0 ? [] : [{ skills: others, at: none }], none: null }
}

function withAccepted(
  request: RoutingRequest,
  asked: Routing,
  { accepted, permitted }: Others,
  direction: Direction | undefined,
  issues: Issue[],
): Routing {
  const { entry, document } = request
  const isAvoided = direction?.value === false
  const [first, ...rest] = asked.groups
  const [other] = accepted
  if (other !== undefined && isAvoided) {
    const unused = ACCEPTED_FIELDS.filter((name) => entry[name] !== undefined)
    issues.push(...unused.map((field) => noEffectAt(document, [field], 'has no effect: the skill should not be used')))
  }
  if (permitted.length > 0) issues.push(...unusedPermits(request))
  if (other === undefined || isAvoided) return asked
  const skills = [...(first?.skills ?? []), ...accepted.flatMap((group) => group.skills)]
  return { ...asked, groups: [{ skills, at: first?.at ?? other.at }, ...rest] }
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
  return hasAny(entry, ROUTING_FIELDS)
}

const ROUTING_FIELDS: ReadonlySet<string> = new Set([
  ...DIRECTION_FIELDS,
  ...ROUTE_FIELDS,
  ...EACH_FIELDS,
  ...ACCEPTED_FIELDS,
  ...AVOIDING,
])
