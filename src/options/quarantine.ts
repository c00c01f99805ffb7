import { matchesCaseName } from '../lib/text.ts'

/** What the option `quarantine` names a case by. */
export interface NamedCase {
  readonly name: string
  /** `<suite file>#<case id>`, with `@<model>` where several run it. */
  readonly id: string
  readonly model?: string | undefined
}

/** Whether the option `quarantine` names a case, which then gates nothing. */
export function isInQuarantine(one: NamedCase, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => names(pattern, one))
}

/** The patterns that name none of these cases. */
export function findUnmatched(patterns: readonly string[], cases: readonly NamedCase[]): readonly string[] {
  return patterns.filter((pattern) => !cases.some((one) => names(pattern, one)))
}

function names(pattern: string, { name, id, model }: NamedCase): boolean {
  const shared = model !== undefined && id.endsWith(`@${model}`) ? id.slice(0, -model.length - 1) : id
  const spellings = [name, name.replaceAll(' > ', ' '), id, shared, shared.slice(shared.indexOf('#') + 1)]
  // A query is named by its text, which may hold what a glob has for other characters.
  return spellings.includes(pattern) || spellings.some((one) => matchesCaseName(pattern, one))
}
