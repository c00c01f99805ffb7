import type { ReadCase } from '../read-report.ts'

/** A case in both reports, or in one of them. */
export type CasePair = readonly [before: ReadCase | null, after: ReadCase | null]

/** Matches cases of two sides, without those that ran for comparison only. */
export function pairCases(before: readonly ReadCase[], after: readonly ReadCase[]): readonly CasePair[] {
  return matchCases(before.filter(isOwn), after.filter(isOwn))
}

/** The cases of a report that also ran for comparison, each behind what that arm came to. */
export function pairArms<Case extends CaseOrArm>(
  cases: readonly Case[],
  arm: 'variant' | 'without_skill',
): readonly (readonly [arm: Case, itself: Case])[] {
  const arms = new Map(cases.filter((one) => one.arm === arm).map((one) => [`${one.engine}\0${one.id}`, one]))
  return cases.filter(isOwn).flatMap((one) => {
    const found = arms.get(`${one.engine}\0${one.id}@${arm}`)
    return found === undefined ? [] : [[found, one] as const]
  })
}

type CaseOrArm = Pick<ReadCase, 'arm' | 'engine' | 'id'>

function isOwn({ arm }: CaseOrArm): boolean {
  return arm === null
}

/**
 * Finds each case of one report in the other: by id, else by name, where it was moved to another file or a report
 * has no ids. Every case is in exactly one pair.
 */
export function matchCases(before: readonly ReadCase[], after: readonly ReadCase[]): readonly CasePair[] {
  const left = new Set(after)
  const found = new Map<ReadCase, ReadCase>()
  const take = (keyOf: (entry: ReadCase) => string | null): void => {
    const candidates = unique([...left], keyOf)
    const open = unique(
      before.filter((entry) => !found.has(entry)),
      keyOf,
    )
    for (const [key, entry] of open) {
      const match = candidates.get(key)
      if (match === undefined) continue
      found.set(entry, match)
      left.delete(match)
    }
  }

  take(({ id, engine }) => (id === null ? null : JSON.stringify([id, engine])))
  take(({ id }) => id)
  take(({ name, target }) => JSON.stringify([name, target]))
  take(({ name }) => name)
  return [
    ...before.map((entry): CasePair => [entry, found.get(entry) ?? null]),
    ...[...left].map((entry): CasePair => [null, entry]),
  ]
}

// A key that two cases share says nothing of either.
function unique(cases: readonly ReadCase[], keyOf: (entry: ReadCase) => string | null): ReadonlyMap<string, ReadCase> {
  const byKey = new Map<string, ReadCase | null>()
  for (const entry of cases) {
    const key = keyOf(entry)
    if (key !== null) byKey.set(key, byKey.has(key) ? null : entry)
  }
  return new Map([...byKey].filter((pair): pair is [string, ReadCase] => pair[1] !== null))
}
