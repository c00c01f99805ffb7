import { errorAt, noEffectAt, type ReadDocument } from '../../../documents/document.ts'
import { suggestName } from '../../../documents/nearest-name.ts'
import { findSkill, namesOf } from '../../skills/known-skills.ts'
import { EMPTY } from './fields/unknown-field.ts'
import { SUBJECT_FIELDS } from './fields/skill-fields.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { KnownSkill } from '../../suite.ts'
import type { ReadEntry } from './entry-case.ts'
import type { EntryPlace } from './skill-container.ts'
import type { Names } from './skill-entry.ts'

/** The skill that an entry is about; `null` where it names none, or one that does not exist. */
export interface Subject {
  readonly skill: KnownSkill | null
  readonly issues: readonly Issue[]
}

/** The skill that an entry or its list names; the first where it names several. */
export function subjectOf(
  { entry, document }: Pick<ReadEntry, 'document' | 'entry'>,
  file: ReadDocument,
  place: EntryPlace,
  skills: readonly KnownSkill[],
): Subject {
  const field = SUBJECT_FIELDS.find((name) => entry[name] !== undefined)
  const written: Names | null = field === undefined ? place.skill : (entry[field] ?? null)
  const [first] = written === null ? [] : [written].flat()
  if (first === undefined) {
    const isList = field !== undefined && Array.isArray(written)
    return { skill: null, issues: isList ? [noEffectAt(document, [field], EMPTY)] : [] }
  }
  const skill = findSkill(first, skills)
  if (skill === null) {
    const message = `there is no skill ${JSON.stringify(first)}.${suggestName(first, skills.flatMap(namesOf))}`
    // The name of a group is one mistake, however many entries are in it.
    const issue =
      field === undefined
        ? errorAt(file, place.path.slice(0, -2), 'unknown-skill', message)
        : errorAt(document, [field], 'unknown-skill', message)
    return { skill, issues: [issue] }
  }
  const message = `has no effect beyond ${JSON.stringify(first)}: a case is about one skill, and gets all that are installed`
  const others = SUBJECT_FIELDS.filter((name) =>
    [entry[name] ?? []].flat().some((one) => findSkill(one, skills) !== skill),
  )
  return { skill, issues: others.map((name) => noEffectAt(document, [name], message)) }
}
