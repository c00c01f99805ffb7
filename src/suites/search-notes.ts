import type { SkillSuites } from './skill-places.ts'

/** What a search has to tell: what it found and does not use, or where it looked when there was nothing at all. */
export function searchNotes({ suites, notes, lookedIn }: SkillSuites, hasOthers: boolean): readonly string[] {
  if (suites.size > 0 || lookedIn.length === 0 || hasOthers) return notes
  return [...notes, `no evals found. Looked for evals.json and triggers.json in ${lookedIn.join(', ')}.`]
}
