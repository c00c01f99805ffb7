import { toPrintableLine, matchesCaseName } from '../lib/text.ts'

/** A case that runs and is reported, and that fails no run and no gate until a day. */
export interface QuarantineEntry {
  /** Its name, its id, or a glob over both: `*` for any characters, `?` for one. */
  readonly case: string
  /** Why, for whoever reads the report. */
  readonly reason: string
  /** The day on which it was entered, such as `2026-11-01`. */
  readonly since: string
  /** The last day on which it counts. The day after, the case gates again. Days are those of UTC. */
  readonly expiry: string
}

/** An entry as it is on the day of a run. */
export interface Quarantine extends QuarantineEntry {
  /** Whether its last day is over, so that the case gates. */
  readonly expired: boolean
}

/** The entries as they are on a day. */
export function settleQuarantine(entries: readonly QuarantineEntry[], now: Date): readonly Quarantine[] {
  const today = now.toISOString().slice(0, 'YYYY-MM-DD'.length)
  return entries.map((entry) => ({ ...entry, expired: entry.expiry < today }))
}

/** Whether a case is in quarantine, so that it gates nothing. */
export function isQuarantined({
  quarantine,
}: {
  readonly quarantine?: { readonly expired: boolean | null } | null
}): boolean {
  return quarantine?.expired === false
}

type DescribedQuarantine = Readonly<Record<'expiry' | 'reason' | 'since', string | null>> & {
  readonly expired: boolean | null
}

/** What an entry means for its case, as a part of a sentence. */
export function describeQuarantine({ reason, since, expiry, expired }: DescribedQuarantine): string {
  const why = toPrintableLine(reason ?? 'no reason is known')
  if (expired === false)
    return `in quarantine from ${since ?? 'an unknown day'} to ${expiry ?? 'an unknown day'}: ${why}`
  return `its quarantine expired on ${expiry ?? 'an unknown day'}, so it gates again: ${why}`
}

/** A case as an entry names it. */
export interface QuarantinedCase {
  readonly name: string
  /** `<suite file>#<case id>`, with `@<model>` where several run it. */
  readonly id: string
  readonly model?: string | undefined
}

/** The entry that names a case, one that still counts before one that has expired; `null` where none does. */
export function findQuarantine(one: QuarantinedCase, entries: readonly Quarantine[]): Quarantine | null {
  const matching = entries.filter((entry) => names(entry, one))
  return matching.find(({ expired }) => !expired) ?? matching[0] ?? null
}

/** The entries that name none of these cases. */
export function findIdle(entries: readonly Quarantine[], cases: readonly QuarantinedCase[]): readonly Quarantine[] {
  return entries.filter((entry) => !cases.some((one) => names(entry, one)))
}

function names({ case: pattern }: QuarantineEntry, { name, id, model }: QuarantinedCase): boolean {
  const shared = model !== undefined && id.endsWith(`@${model}`) ? id.slice(0, -model.length - 1) : id
  const spellings = [name, name.replaceAll(' > ', ' '), id, shared, shared.slice(shared.indexOf('#') + 1)]
  // A query is named by its text, which may hold what a glob has for other characters.
  return spellings.includes(pattern) || spellings.some((one) => matchesCaseName(pattern, one))
}
