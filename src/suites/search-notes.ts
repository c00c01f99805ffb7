import type { SkillSuites } from './skills/skill-suites.ts'

/** Something that a search found and does not use. */
export interface SearchNote {
  /** Absolute path; `null` where it is about no one file. */
  readonly file: string | null
  /** One sentence. */
  readonly message: string
}

/** Where a search looked that found nothing; for those who ask. */
export function searchedPlaces({ suites, lookedIn }: SkillSuites): readonly string[] {
  return suites.size > 0 ? [] : lookedIn.map((place) => `no evals in ${place}`)
}

/** The one sentence where there are no evals at all, beside what was found and is not used. */
export function nothingFound(notes: readonly unknown[]): string {
  return notes.length > 0 ? NONE_READ : NOTHING
}

const CREATE = 'Create a first one with npx vitest-agent-evals init.'
const NONE_READ = `No evals found: no file reads like a suite. ${CREATE}`

/** What every command answers where there are no evals at all. */
export const NOTHING: string = `No evals found: no evals.json, no evals/cases/*.yaml and no *.eval.ts. ${CREATE}`
