import { errorAt, noEffectAt, type ReadDocument } from '../../../../documents/document.ts'
import { suggestName } from '../../../../documents/nearest-name.ts'
import { directionOf, meansNoSkill } from '../fields/direction-words.ts'
import { holdsSentences, isSentence } from '../fields/sentences.ts'
import { expects } from '../fields/expectations.ts'
import { findSkill, namesOf } from '../../../skills/known-skills.ts'
import {
  type ACCEPTED_FIELDS,
  AVOIDED_FIELDS,
  DIRECTION_FIELDS,
  EACH_FIELDS,
  type PERMITTED_FIELDS,
  ROUTE_FIELDS,
} from '../fields/skill-fields.ts'
import type { Issue, Position } from '../../../../documents/issue.ts'
import type { KnownSkill } from '../../../suite.ts'
import type { Names, SkillEntry } from '../skill-entry.ts'

/** What an entry's routing is read with. */
export interface RoutingRequest {
  readonly entry: SkillEntry
  readonly document: ReadDocument
  /** The skill that the entry is about; `null` where no skill owns its file. */
  readonly subject: KnownSkill | null
  readonly skills: readonly KnownSkill[]
  /** What the list that holds the entry says by its name; `null` where it says nothing. */
  readonly list?: Direction | null
}

/** Skills of which the use of any counts. */
export interface Group {
  readonly skills: readonly KnownSkill[]
  readonly at: Position
}

/** The description of a good result, and its field. */
export interface Prose {
  readonly field: 'expect' | 'expected'
  readonly text: string
}

/** Fields that list skills which must not be used. */
export const AVOIDING: readonly ('must_not_trigger' | 'should_not_trigger' | (typeof AVOIDED_FIELDS)[number])[] = [
  'must_not_trigger',
  'should_not_trigger',
  ...AVOIDED_FIELDS,
]

/** Whether the skill should be used, and the field that says so. */
export interface Direction {
  readonly field: string
  readonly value: boolean
}

/** Every direction that an entry has, that of its list first. */
export function readDirections({ entry, skills, list = null }: RoutingRequest): readonly Direction[] {
  const words = [...DIRECTION_FIELDS, ...ROUTE_FIELDS].flatMap((field) => {
    const value = wordIn(entry[field], skills)
    return value === null ? [] : [{ field, value: field === 'should_not_trigger' ? !value : value }]
  })
  const bans = entry.must_not_trigger
  const banned = typeof bans === 'boolean' ? [{ field: 'must_not_trigger', value: !bans }] : []
  return [...(list === null ? [] : [list]), ...words, ...banned]
}

// A skill may be called by such a word.
function wordIn(value: unknown, skills: readonly KnownSkill[]): boolean | null {
  return typeof value === 'string' && findSkill(value, skills) !== null ? null : directionOf(value)
}

/** The skills that an entry wants used. */
export interface Wanted {
  readonly groups: readonly Group[]
  readonly none: Position | null
  readonly noneField: string
  /** It is a word for no skill at all, not merely `null`. */
  readonly isWord: boolean
  readonly prose: Prose | null
}

/** Reads the fields that name the skills which have to be used. */
export function readWanted(request: RoutingRequest, issues: Issue[]): Wanted {
  const { entry, document, skills } = request
  const groups: Group[] = []
  let [none, noneField, isWord]: [Position | null, string, boolean] = [null, '', false]
  let prose: Prose | null = null
  // Some name the skill where others say true or false.
  for (const field of [...ROUTE_FIELDS, ...DIRECTION_FIELDS]) {
    const value = entry[field]
    const isProseField = field === 'expect' || field === 'expected'
    if (field === 'should_not_trigger' || value === undefined) continue
    if (typeof value === 'boolean' || wordIn(value, skills) !== null) continue
    if (isProseField && holdsSentences(value)) continue
    const word = typeof value === 'string' && meansNoSkill(value)
    if (value === null || word || value.length === 0) {
      if (none === null) [none, noneField] = [document.positionOf([field]), field]
      isWord ||= word || (value !== null && value !== '')
    } else if (isProseField && isProse(value, request)) {
      if (prose === null) prose = { field, text: value }
      else issues.push(noEffectAt(document, [field], `has no effect: "${prose.field}" describes the result`))
    } else groups.push(...oneGroup(listed(request, field, issues, 'wanted')))
  }
  const each = EACH_FIELDS.flatMap((field) => listed(request, field, issues, 'wanted'))
  const nothing = EACH_FIELDS.find((field) => entry[field]?.length === 0)
  if (nothing !== undefined) [none, noneField, isWord] = [document.positionOf([nothing]), nothing, true]
  const all = [...groups, ...each]
  const distinct = all.filter((group, index) => all.findIndex((one) => one.skills[0] === group.skills[0]) === index)
  return { groups: distinct, none: distinct.length > 0 ? null : none, noneField, isWord, prose }
}

function isProse(value: Names, { skills }: RoutingRequest): value is string {
  return (
    typeof value === 'string' && (isSentence(value) || PATH.test(value.trim())) && findSkill(value, skills) === null
  )
}

// Of a file that should be read.
const PATH = /\/|\.(?:json|md|mjs|js|py|sh|ts|txt|ya?ml)$/i

// Any one of a list does.
function oneGroup(groups: readonly Group[]): readonly Group[] {
  const [first] = groups
  return first === undefined ? [] : [{ skills: groups.flatMap(({ skills }) => skills), at: first.at }]
}

type ListField =
  | (typeof ACCEPTED_FIELDS)[number]
  | (typeof DIRECTION_FIELDS)[number]
  | (typeof AVOIDING)[number]
  | (typeof EACH_FIELDS)[number]
  | (typeof PERMITTED_FIELDS)[number]
  | (typeof ROUTE_FIELDS)[number]

/** Each named skill as a group of its own; a name that no skill has is an error of the file. */
export function listed(
  { entry, document, skills }: RoutingRequest,
  field: ListField,
  issues: Issue[],
  use: 'avoided' | 'wanted',
): readonly Group[] {
  const value = entry[field]
  if (value === undefined || value === null || typeof value === 'boolean') return []
  if (wordIn(value, skills) !== null) return []
  const written = typeof value === 'string' ? value.split(',') : value
  return written.flatMap((name, index) => {
    const path = typeof value === 'string' ? [field] : [field, index]
    const skill = findSkill(name, skills)
    if (skill !== null) return [{ skills: [skill], at: document.positionOf(path) }]
    const suggestion = suggestName(name.trim(), skills.flatMap(namesOf))
    if (LABELS.has(field) && suggestion === '' && expects(withoutField(entry, field))) {
      issues.push(noEffectAt(document, path, `has no effect: there is no skill ${JSON.stringify(name)}`))
      return []
    }
    if (use === 'avoided' && suggestion === '') {
      issues.push(noEffectAt(document, path, `has no effect: there is no skill ${JSON.stringify(name)} to avoid`))
      return []
    }
    const message = `there is no skill ${JSON.stringify(name)}.${suggestion || listNames(skills)}`
    issues.push(errorAt(document, path, 'unknown-skill', message))
    return []
  })
}

// Where a result is expected as well, a word in one of these may be a label of the author's own.
const LABELS: ReadonlySet<string> = new Set(['expect', 'expected', 'expected_primary'])

function withoutField(entry: SkillEntry, field: string): SkillEntry {
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name !== field))
}

function listNames(skills: readonly KnownSkill[]): string {
  const shown = skills.slice(0, 10).map(({ name }) => name)
  const more = skills.length > shown.length ? ` and ${skills.length - shown.length} more` : ''
  return shown.length === 0 ? '' : ` There are ${shown.join(', ')}${more}.`
}
