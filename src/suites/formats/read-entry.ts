import type { ReadDocument } from '../../documents/document.ts'
import type { EvalCase, SkillUnderTest } from '../suite.ts'
import type { SharedFields } from './skill-container.ts'
import type { SkillEntry } from './skill-entry.ts'
import type { Issue } from '../../documents/issue.ts'

/** An entry that has been validated, and where it stands. */
export interface ReadEntry {
  readonly entry: SkillEntry
  readonly document: ReadDocument
  readonly shared: SharedFields
  /** The list of what is expected of every entry. */
  readonly common: ReadDocument
  readonly skill: SkillUnderTest
  /** From 1. */
  readonly number: number
  readonly tags: readonly string[]
}

/** What one entry became. */
export interface EntryCase {
  readonly evalCase: EvalCase | null
  readonly issues: readonly Issue[]
}
