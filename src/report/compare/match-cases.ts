import type { ReadCase } from '../read-report.ts'

/** A case in both reports, or in one of them. */
export type CasePair = readonly [before: ReadCase | null, after: ReadCase | null]

/** Matches cases of two sides, without those that ran for comparison only. */
export function pairCases(before: readonly ReadCase[], after: readonly ReadCase[]): readonly CasePair[] {
  return matchCases(before.filter(isOwn), after.filter(isOwn))
}

/** The cases of a report that ran with the version before, each with the case itself. */
export function armsWithin(cases: readonly ReadCase[]): readonly CasePair[] {
  const variants = new Map(cases.filter(({ arm }) => arm === 'variant').map((one) => [keyOfArm(one), one]))
  return cases.filter(isOwn).flatMap((after): readonly CasePair[] => {
    const before = variants.get(keyOfArm(after))
    return before === undefined ? [] : [[before, after]]
  })
}

function keyOfArm({ id, arm, engine }: ReadCase): string {
  const whole = id ?? ''
  return `${engine}\0${arm === null ? whole : whole.slice(0, -arm.length - 1)}`
}

function isOwn({ arm }: ReadCase): boolean {
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
