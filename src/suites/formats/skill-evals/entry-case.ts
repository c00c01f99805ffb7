import type { ReadDocument } from '../../../documents/document.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { EvalCase, SkillUnderTest } from '../../suite.ts'
import type { ReadRouting, Routing } from './routing/routing.ts'
import type { CommonList, SharedFields } from './shared-fields.ts'
import type { SkillEntry } from './skill-entry.ts'

/** An entry that has been validated, and where it is. */
export interface ReadEntry {
  readonly entry: SkillEntry
  readonly document: ReadDocument
  readonly shared: SharedFields
  /** What is expected of every eval of the file. */
  readonly common: readonly CommonList[]
  /** The skill of its file; one that stands in where each entry names its own. */
  readonly owner: SkillUnderTest
  /** The skill that the entry is about; `null` where it is about none in particular. */
  readonly subject: SkillUnderTest | null
  /** Which skills have to be used; `null` where the entry names none. */
  readonly routing: Routing | null
  readonly prose: ReadRouting['prose']
  /** What is wrong with it alone: it is listed, and errored. */
  readonly mistake: Issue | null
  /** From 1. */
  readonly number: number
  readonly tags: readonly string[]
}

/** What one entry became. */
export interface EntryCase {
  readonly evalCase: EvalCase | null
  readonly issues: readonly Issue[]
}
