import { matchesCaseName } from '../../lib/text.ts'
import type { Quarantine, QuarantineEntry } from '../../options/quarantine.ts'

/** A case as an entry names it. */
export interface QuarantinedCase {
  readonly name: string
  /** `<suite file>#<case id>`, with `@<model>` where several run it. */
  readonly id: string
  readonly model?: string | undefined
}

/** The entry that names a case, one that still counts before one that has expired; `null` where none does. */
export function findQuarantine(one: QuarantinedCase, entries: readonly Quarantine[]): Quarantine | null {
  const own = entries.filter((entry) => names(entry, one))
  return own.find(({ expired }) => !expired) ?? own[0] ?? null
}

/** The entries that name none of these cases. */
export function findIdle(entries: readonly Quarantine[], cases: readonly QuarantinedCase[]): readonly Quarantine[] {
  return entries.filter((entry) => !cases.some((one) => names(entry, one)))
}

function names({ case: pattern }: QuarantineEntry, { name, id, model }: QuarantinedCase): boolean {
  const shared = model !== undefined && id.endsWith(`@${model}`) ? id.slice(0, -model.length - 1) : id
  const known = [name, name.replaceAll(' > ', ' '), id, shared, shared.slice(shared.indexOf('#') + 1)]
  // A query is named by its text, which may hold what a glob has for other characters.
  return known.includes(pattern) || known.some((one) => matchesCaseName(pattern, one))
}
