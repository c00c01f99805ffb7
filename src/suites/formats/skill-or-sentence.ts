import { findSkill } from '../known-skills.ts'
import { SKILLS_OR_SENTENCES } from './skill-fields.ts'
import type { KnownSkill } from '../suite.ts'
import type { SkillEntry } from './skill-entry.ts'

/** The entry with lists of names of skills under a name that means skills, where they may be sentences as well. */
export function withSkillsApart(entry: SkillEntry, skills: readonly KnownSkill[]): SkillEntry {
  const named = SKILLS_OR_SENTENCES.filter((field) => namesIn(entry[field]).some((name) => findSkill(name, skills)))
  const areSkills = named.filter((field) => namesIn(entry[field]).every((name) => findSkill(name, skills) !== null))
  if (areSkills.length === 0) return entry
  const names = [...namesIn(entry.forbidden_skills), ...areSkills.flatMap((field) => namesIn(entry[field]))]
  const others = Object.entries(entry).filter(([field]) => !(areSkills as readonly string[]).includes(field))
  return { ...Object.fromEntries(others), forbidden_skills: names }
}

function namesIn(value: unknown): readonly string[] {
  return [value].flat().filter((one) => typeof one === 'string')
}
