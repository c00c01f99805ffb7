import { renamed, type ReadDocument } from '../../../../documents/document.ts'
import { findSkill } from '../../../skills/known-skills.ts'
import { meansNoSkill } from '../fields/direction-words.ts'
import { holdsSentences, SENTENCE_FIELDS } from '../fields/sentences.ts'
import { isWorded, type WordedField } from '../fields/worded-fields.ts'
import { wordingOf, wordsOf } from '../fields/worded-names.ts'
import { DIRECTION_FIELDS, EACH_FIELDS, hasAny, ROUTE_FIELDS, SKILLS_OR_SENTENCES } from '../fields/skill-fields.ts'
import type { KnownSkill } from '../../../suite.ts'
import type { SkillEntry } from '../skill-entry.ts'

/** The entry with lists of names of skills under a name that means skills, where they may be sentences as well. */
export function withSkillsApart(written: SkillEntry, skills: readonly KnownSkill[]): SkillEntry {
  const entry = withoutNone(written, skills)
  const areSkills = SKILLS_OR_SENTENCES.filter((field) => areNames(entry[field], skills))
  const areExpected = SENTENCE_FIELDS.filter((field) => holdsSentences(entry[field]) && areNames(entry[field], skills))
  const { worded = [] } = entry
  const named = worded.filter(({ value }) => areNames(value, skills))
  const avoided = named.filter(({ name }) => denies(name))
  const wanted = named.filter(({ name }) => !denies(name) && routesBy(name))
  const [anyOf, each] = [true, false].map((isAny) => wanted.filter(({ name }) => isAnyOf(name) === isAny))
  const routed = [...avoided, ...wanted]
  if (areSkills.length + areExpected.length + routed.length === 0) return entry
  const taken = new Set<string>([...areSkills, ...areExpected])
  const all = (own: keyof SkillEntry, fields: readonly (keyof SkillEntry)[]): readonly string[] =>
    [own, ...fields].flatMap((field) => namesIn(entry[field]))
  return {
    ...Object.fromEntries(Object.entries(entry).filter(([field]) => !taken.has(field))),
    ...(areSkills.length + avoided.length === 0
      ? {}
      : {
          forbidden_skills: [...all('forbidden_skills', areSkills), ...avoided.flatMap(({ value }) => namesIn(value))],
        }),
    ...(routed.length === 0 ? {} : { worded: worded.filter((one) => !routed.includes(one)) }),
    ...withNames('expected_skill', [...all('expected_skill', areExpected), ...valuesOf(anyOf)], entry),
    ...withNames('expected_skills', [...all('expected_skills', []), ...valuesOf(each)], entry),
  }
}

/** The document of such an entry: what is read under another name is where its author wrote it. */
export function withWrittenNames(document: ReadDocument, written: SkillEntry, entry: SkillEntry): ReadDocument {
  if (entry === written) return document
  const gone = [
    ...Object.keys(written).filter((field) => !Object.hasOwn(entry, field)),
    ...(written.worded ?? []).filter((one) => entry.worded?.includes(one) !== true).map(({ name }) => name),
  ]
  const names = ADDED.filter((field) => written[field] === undefined && entry[field] !== undefined).flatMap((field) => {
    const from = gone.find((name) => denies(name) === (field === 'forbidden_skills'))
    return from === undefined ? [] : [[field, [from]] as const]
  })
  return renamed(document, document.value, new Map(names))
}

const ADDED = ['forbidden_skills', 'expected_skill', 'expected_skills'] as const

// No skill is the one that an entry is about: `skill: none`.
function withoutNone(entry: SkillEntry, skills: readonly KnownSkill[]): SkillEntry {
  const { skill, ...others } = entry
  const isNone = typeof skill === 'string' && meansNoSkill(skill) && findSkill(skill, skills) === null
  return !isNone ? entry : hasAny(entry, NAMING) ? others : { ...others, expected_skill: 'none' }
}

const NAMING: ReadonlySet<string> = new Set([
  ...DIRECTION_FIELDS,
  ...EACH_FIELDS,
  ...ROUTE_FIELDS.filter((field) => field !== 'expect' && field !== 'expected'),
])

function withNames(
  field: 'expected_skill' | 'expected_skills',
  names: readonly string[],
  entry: SkillEntry,
): Partial<SkillEntry> {
  return names.length === namesIn(entry[field]).length ? {} : { [field]: names }
}

function valuesOf(fields: readonly WordedField[] = []): readonly string[] {
  return fields.flatMap(({ value }) => namesIn(value))
}

/** Whether a field of an entry names skills of the repository where it could name anything: `must_pick`, `expected_route`. */
export function namesSkills(name: string, value: unknown, skills: readonly KnownSkill[]): boolean {
  return isWorded(name, value, false) && (denies(name) || routesBy(name)) && areNames(value, skills)
}

// By its words the field is about which skill takes the prompt.
function routesBy(name: string): boolean {
  return wordsOf(name).some((word) => ROUTING.test(word))
}

const ROUTING =
  /^(?:activat|call|chain|choice|choose|chosen|delegat|dispatch|fire|handl|invo[ck]|load|pick|primary|rout|select|sequence|trigger|use|workflow)/

// Of a list any one skill does.
function isAnyOf(name: string): boolean {
  return wordsOf(name).some((word) => /^(?:any|choice|choose|chosen|one|pick|rout|select)/.test(word))
}

function denies(name: string): boolean {
  const wording = wordingOf(name)
  return wording !== null && (wording.isForbidden || /^(?:Must|Should) not /.test(wording.label))
}

function areNames(value: unknown, skills: readonly KnownSkill[]): boolean {
  const names = namesIn(value)
  return names.length > 0 && names.every((name) => findSkill(name, skills) !== null)
}

function namesIn(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string')
}
