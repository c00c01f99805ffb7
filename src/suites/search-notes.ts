import type { SkillSuites } from './skill-places.ts'

/** Something that a search found and does not use, or what it looked for. */
export interface SearchNote {
  /** Absolute path; `null` where it is about no one file. */
  readonly file: string | null
  /** One sentence. */
  readonly message: string
}

/** What a search found and does not use, or that it found nothing at all. */
export function searchNotes({ suites, notes, lookedIn }: SkillSuites, hasOthers: boolean): readonly SearchNote[] {
  if (suites.size > 0 || lookedIn.length === 0 || hasOthers) return notes
  return [...notes, { file: null, message: notes.length > 0 ? NONE_READ : NO_EVALS }]
}

/** Where a search looked that found nothing; for those who ask. */
export function searchedPlaces({ suites, lookedIn }: SkillSuites): readonly string[] {
  return suites.size > 0 ? [] : lookedIn.map((place) => `no evals in ${place}`)
}

const NO_EVALS = 'no evals found: no evals.json or triggers.json in the folders for evals of skills.'
const NONE_READ = 'no evals found: no file in the folders for evals of skills reads like a suite.'

/** What every command answers where there are no evals at all. */
export const NOTHING =
  'No evals found: no evals.json, no evals/cases/*.yaml and no *.eval.ts. Create a first one with npx vitest-agent-evals init.'
