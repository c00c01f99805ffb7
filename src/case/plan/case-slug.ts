import { kindOf, slugOfQuery } from '../../suites/kinds.ts'
import type { CasePart, TriggerQuestion } from '../../suites/suite.ts'

/** A case, or a query that is no case yet. */
type SluggedCase =
  | CasePart<'id' | 'prompt'>
  | { readonly kind?: never; readonly id: string; readonly prompt: string; readonly trigger: TriggerQuestion }

/** A case in the name of a file: its id, or the first words of a query with a hash, so that a person finds it. */
export function caseSlug(one: SluggedCase): string {
  return one.kind === undefined ? slugOfQuery(one) : kindOf(one).slug(one)
}
