import { toPathSegment } from '../../suites/path-segment.ts'
import { sha256 } from '../../sha256.ts'
import type { EvalCase } from '../../suites/suite.ts'

/** What names the files of a case. */
export type SluggedCase = Pick<EvalCase, 'arm' | 'golden' | 'id' | 'prompt' | 'trigger'>

/** A case in the name of a file: its id, or the first words of a query with a hash, so that a person finds it. */
export function caseSlug({ id, prompt, trigger, golden }: SluggedCase): string {
  // Its category is the folder.
  if (golden !== undefined) return toPathSegment(golden.testId)
  if (trigger === undefined || !id.startsWith('t-')) return toPathSegment(id)
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? []
  const hash = sha256(prompt, 6)
  return [...words.slice(0, 6), hash].join('-').slice(0, 80)
}
