import type { CaseIndex } from '../case-index.ts'
import type { SearchNote } from '../search-notes.ts'
import type { FieldsOption } from '../formats/skill-evals/vocabulary.ts'
import type { KnownSkill, SkillUnderTest } from '../suite.ts'

/** The suites of skills below a Vitest root. */
export interface SkillSuites {
  /** By absolute path of the suite file, sorted. */
  readonly suites: ReadonlyMap<string, SkillSuitePlace>
  /** Those that an earlier search has found. */
  readonly earlier?: ReadonlyMap<string, SkillSuitePlace>
  /** The cases of these files and of those beside them, to find those that would share a scenario. */
  readonly cases: CaseIndex
  /** What was found and is not used. */
  readonly notes: readonly SearchNote[]
  /** Places that were looked at for skills without evals, relative to the root. */
  readonly lookedIn: readonly string[]
}

/** A suite file and the skill that it is about. */
export interface SkillSuitePlace {
  readonly skill: SkillUnderTest
  /** Whether each of its entries names its own skill, and this one only stands in. */
  readonly isShared?: boolean
  /** Every skill that its entries may name. */
  readonly skills?: readonly KnownSkill[]
  /** Why it is this skill, as a clause after its name. */
  readonly why?: string | undefined
  /** Name of the skill that the place alone would say, where the file names another. */
  readonly placeSkill?: string | undefined
  /** What else was found for this skill and is not used, one sentence each. */
  readonly notes: readonly string[]
}

/** What narrows the search. */
export interface SkillSearch {
  /** Absolute path of a folder or file that is taken instead of all places; `null` searches. */
  readonly evals: string | null
  /** Name of the skill that these evals are for; `null` tells by the place. */
  readonly skill: string | null
  /** The plugin's option `fields`. Default: none. */
  readonly fields?: FieldsOption
}
