import { errorAt, noEffectAt, type ReadDocument } from '../../documents/document.ts'
import { suggestName } from '../../documents/nearest-name.ts'
import { directionOf, holdsSentences, meansNoSkill, SENTENCE_FIELDS } from './direction-words.ts'
import { findSkill, namesOf } from '../known-skills.ts'
import { ACCEPTED_FIELDS, AVOIDED_FIELDS, DIRECTION_FIELDS, ROUTE_FIELDS } from './skill-fields.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import type { KnownSkill } from '../suite.ts'
import type { Names, SkillEntry } from './skill-entry.ts'

/** Which skills an entry wants to be used, and which not. */
export interface Routing {
  /** Of each group one skill has to be used. */
  readonly groups: readonly Group[]
  readonly avoided: readonly Group[]
  /** Where it says that no skill at all may be used. */
  readonly none: Position | null
}

/** Skills of which the use of any counts. */
export interface Group {
  readonly skills: readonly KnownSkill[]
  readonly at: Position
}

/** What the routing fields of an entry say. */
export interface ReadRouting {
  /** `null`: no direction, or none that is understood. */
  readonly routing: Routing | null
  /** The description of a good result that stands where a skill could be named. */
  readonly prose: { readonly field: 'expect' | 'expected'; readonly text: string } | null
  /** What contradicts itself; the case alone fails by it. */
  readonly contradiction: Issue | null
  readonly issues: readonly Issue[]
}

/** What an entry's routing is read with. */
export interface RoutingRequest {
  readonly entry: SkillEntry
  readonly document: ReadDocument
  /** The skill that the entry is about; `null` where no skill owns its file. */
  readonly subject: KnownSkill | null
  readonly skills: readonly KnownSkill[]
}

/** Reads which skills an entry wants used, under whichever names. */
export function readRouting(request: RoutingRequest): ReadRouting {
  const { entry, document, subject } = request
  if (!routes(entry)) return NO_ROUTING
  const issues: Issue[] = []
  const avoidedBy = AVOIDING.filter((field) => entry[field] !== undefined)
  const directions = readDirections(request)
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
    return contradict(second ?? '', `contradicts ${JSON.stringify(first)}; keep one of them`)
  }
  if (wanted.none !== null && direction === true)
    return contradict(
      directions[0]?.field ?? '',
      `contradicts ${JSON.stringify(wanted.noneField)}, which names no skill; keep one of them`,
    )

  const groups: Group[] = []
  const avoided: Group[] = avoidedBy.flatMap((field) => listed(request, field, issues, 'avoided'))
  const accepted = ACCEPTED_FIELDS.flatMap((field) => listed(request, field, issues, 'wanted'))
  let none = wanted.none
  if (direction === false && wanted.groups.length > 0) avoided.push(...wanted.groups)
  else if (direction === false && !wanted.isWord) {
    // "No skill is expected, and this one must not fire" is about this one.
    none = null
    if (subject !== null) avoided.push({ skills: [subject], at })
  } else if (direction === true && wanted.groups.length === 0) {
    if (subject !== null) groups.push({ skills: [subject], at })
  } else groups.push(...wanted.groups)
  const needsSubject = direction !== undefined && wanted.groups.length === 0 && !wanted.isWord && subject === null
  if (needsSubject) {
    const message = 'names no skill, and neither does the file. Add "expected_skill"'
    issues.push(errorAt(document, [directions[0]?.field ?? ''], 'unknown-skill', message))
  }

  const [first, ...rest] = groups
  if (none !== null) {
    // None is expected and some are allowed: the others must not be used.
    const allowed = accepted.flatMap((group) => group.skills)
    const others = request.skills.filter((one) => !allowed.includes(one))
    const unused = [...(allowed.length > 0 ? ACCEPTED_FIELDS : []), ...avoidedBy].filter(
      (field) => entry[field] !== undefined,
    )
    issues.push(...unused.map((field) => noEffectAt(document, [field], allowed.length > 0 ? ALLOWED : COVERED)))
    if (allowed.length > 0) {
      avoided.splice(0, avoided.length, ...(others.length > 0 ? [{ skills: others, at: none }] : []))
      none = null
    }
  } else if (accepted.length > 0 && direction !== false) {
    const skills = [...(first?.skills ?? []), ...accepted.flatMap((group) => group.skills)]
    groups.splice(0, groups.length, { skills, at: first?.at ?? accepted[0]?.at ?? at }, ...rest)
  } else if (accepted.length > 0) {
    const unused = ACCEPTED_FIELDS.filter((name) => entry[name] !== undefined)
    issues.push(...unused.map((field) => noEffectAt(document, [field], 'has no effect: the skill should not be used')))
  }
  const clash = groups.find(({ skills }) => skills.some((one) => avoided.some((group) => group.skills.includes(one))))
  if (clash !== undefined)
    return contradict(avoidedBy[0] ?? 'should_trigger', 'names a skill that has to be used as well; keep one of them')
  const isSilent = groups.length + avoided.length === 0 && none === null
  return { routing: isSilent ? null : { groups, avoided, none }, prose: wanted.prose, contradiction: null, issues }
}

const NO_ROUTING: ReadRouting = { routing: null, prose: null, contradiction: null, issues: [] }

const ALLOWED = 'no skill is expected: only the use of skills that are not acceptable fails the case'
const COVERED = 'has no effect: no skill at all may be used'

/** Whether an entry has any field that routes. */
export function routes(entry: SkillEntry): boolean {
  return ROUTING_FIELDS.some((field) => entry[field] !== undefined)
}

const AVOIDING = ['must_not_trigger', ...AVOIDED_FIELDS] as const

const ROUTING_FIELDS = [
  ...DIRECTION_FIELDS,
  ...ROUTE_FIELDS,
  ...ACCEPTED_FIELDS,
  ...AVOIDING,
  'expected_skills',
] as const

interface Direction {
  readonly field: string
  readonly value: boolean
}

function readDirections({ entry }: RoutingRequest): readonly Direction[] {
  const flags = DIRECTION_FIELDS.flatMap((field) => {
    const value = entry[field]
    return value === undefined ? [] : [{ field, value: field === 'should_not_trigger' ? !value : value }]
  })
  const words = SENTENCE_FIELDS.flatMap((field) => {
    const value = directionOf(entry[field])
    return value === null ? [] : [{ field, value }]
  })
  const bans = entry.must_not_trigger
  return [...flags, ...words, ...(typeof bans === 'boolean' ? [{ field: 'must_not_trigger', value: !bans }] : [])]
}

interface Wanted {
  readonly groups: readonly Group[]
  readonly none: Position | null
  readonly noneField: string
  /** It is a word for no skill at all, not merely `null`. */
  readonly isWord: boolean
  readonly prose: ReadRouting['prose']
}

function readWanted(request: RoutingRequest, issues: Issue[]): Wanted {
  const { entry, document } = request
  const groups: Group[] = []
  let [none, noneField, isWord]: [Position | null, string, boolean] = [null, '', false]
  let prose: ReadRouting['prose'] = null
  for (const field of ROUTE_FIELDS) {
    const value = entry[field]
    const isProseField = field === 'expect' || field === 'expected'
    if (value === undefined || directionOf(value) !== null || (isProseField && holdsSentences(value))) continue
    const word = typeof value === 'string' && meansNoSkill(value)
    if (value === null || word || value.length === 0) {
      if (none === null) [none, noneField] = [document.positionOf([field]), field]
      isWord ||= word || value !== null
    } else if (isProseField && isProse(value, request)) {
      if (prose === null) prose = { field, text: value }
      else issues.push(noEffectAt(document, [field], `has no effect: "${prose.field}" describes the result`))
    } else groups.push(...oneGroup(listed(request, field, issues, 'wanted')))
  }
  const each = listed(request, 'expected_skills', issues, 'wanted')
  if (entry.expected_skills?.length === 0) {
    ;[none, noneField, isWord] = [document.positionOf(['expected_skills']), 'expected_skills', true]
  }
  const all = [...groups, ...each]
  const distinct = all.filter(({ skills }, index) => all.findIndex((one) => one.skills[0] === skills[0]) === index)
  return { groups: distinct, none: distinct.length > 0 ? null : none, noneField, isWord, prose }
}

function isProse(value: Names, { skills }: RoutingRequest): value is string {
  return typeof value === 'string' && /\s/.test(value.trim()) && findSkill(value, skills) === null
}

// Any one of a list does.
function oneGroup(groups: readonly Group[]): readonly Group[] {
  const [first] = groups
  return first === undefined ? [] : [{ skills: groups.flatMap(({ skills }) => skills), at: first.at }]
}

type ListField =
  | (typeof ACCEPTED_FIELDS)[number]
  | (typeof AVOIDING)[number]
  | (typeof ROUTE_FIELDS)[number]
  | 'expected_skills'

/** Each named skill as a group of its own; a name that no skill has is an error of the file. */
function listed(
  { entry, document, skills }: RoutingRequest,
  field: ListField,
  issues: Issue[],
  use: 'avoided' | 'wanted',
): readonly Group[] {
  const value = entry[field]
  if (value === undefined || value === null || typeof value === 'boolean') return []
  const written = typeof value === 'string' ? value.split(',') : value
  return written.flatMap((name, index) => {
    const path = typeof value === 'string' ? [field] : [field, index]
    const skill = findSkill(name, skills)
    if (skill !== null) return [{ skills: [skill], at: document.positionOf(path) }]
    const suggestion = suggestName(name.trim(), skills.flatMap(namesOf))
    if (use === 'avoided' && suggestion === '') {
      issues.push(noEffectAt(document, path, `has no effect: there is no skill ${JSON.stringify(name)} to avoid`))
      return []
    }
    const message = `there is no skill ${JSON.stringify(name)}.${suggestion || listNames(skills)}`
    issues.push(errorAt(document, path, 'unknown-skill', message))
    return []
  })
}

function listNames(skills: readonly KnownSkill[]): string {
  const shown = skills.slice(0, 10).map(({ name }) => name)
  const more = skills.length > shown.length ? ` and ${skills.length - shown.length} more` : ''
  return shown.length === 0 ? '' : ` There are ${shown.join(', ')}${more}.`
}
