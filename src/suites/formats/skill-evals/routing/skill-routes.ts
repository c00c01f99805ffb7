import { documentAt, renamed, valueAt, type FieldPath, type ReadDocument } from '../../../../documents/document.ts'
import { PROMPT_FIELDS } from '../fields/skill-fields.ts'

/** The field by which a list of queries may name the skill that takes each. */
export const SKILL_FIELD = 'skill'

/**
 * Whether `skill` says in a list which skill takes each query, and not whose eval it is: some query names none, and the
 * entries hold little else.
 */
export function asksForSkills(entries: readonly unknown[]): boolean {
  return (
    entries.some((entry) => valueAt(entry, SKILL_FIELD) === null) &&
    entries.every((entry) => isQuery(entry) && valueAt(entry, SKILL_FIELD) !== undefined)
  )
}

function isQuery(entry: unknown): boolean {
  return PROMPT_FIELDS.some((field) => typeof valueAt(entry, field) === 'string')
}

/** Whether `skills` names in a list the skills of each entry, so that an empty one means none. */
export function listsSkills(entries: readonly unknown[]): boolean {
  return entries.some((entry) => isFilled(valueAt(entry, SKILLS_FIELD)))
}

function isFilled(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
}

/** An entry of such a list; where it names no skill, none is expected. */
export function withNoSkill(document: ReadDocument, path: FieldPath): ReadDocument {
  const entry = documentAt(document, path)
  const skills = valueAt(entry.value, SKILLS_FIELD)
  return Array.isArray(skills) && skills.length === 0 ? withRoute(document, path, SKILLS_FIELD) : entry
}

const SKILLS_FIELD = 'skills'

/** An entry of such a list with the field under the name by which a skill is expected; places stay the author's. */
export function withRoute(document: ReadDocument, path: FieldPath, field: string = SKILL_FIELD): ReadDocument {
  const entry = documentAt(document, path)
  const { [field]: skill, ...others } = entry.value as Readonly<Record<string, unknown>>
  return renamed(entry, { ...others, [ROUTE]: skill }, new Map([[ROUTE, [field]]]))
}

const ROUTE = 'expected_skill'
