import { escapePattern } from '../../../texts.ts'
import { patternProblem, readPattern } from '../../../checks/matches.ts'
import type { CheckType, Polarity } from './vocabulary.ts'

const OPPOSITES = {
  contains: 'not-contains',
  'not-contains': 'contains',
  matches: 'not-matches',
  'not-matches': 'matches',
  'file-exists': 'file-exists',
} as const satisfies Record<CheckType['kind'], CheckType['kind']>

/** A type of check, or its opposite. */
export function turned(type: CheckType, polarity: Polarity): CheckType {
  return polarity === 'must' ? type : { ...type, kind: OPPOSITES[type.kind] }
}

/** A check without its place. */
export type MadeCheck =
  | { readonly kind: 'contains' | 'file-exists' | 'not-contains'; readonly value: string }
  | { readonly kind: 'matches' | 'not-matches'; readonly value: string; readonly flags: string }

/**
 * The checks of a type for its values, or why one of them is no pattern. Of several values all have to hold, or any one:
 * then they become one pattern. Of what must not be there, none may be.
 */
export function makeChecks(
  { kind, isAny }: CheckType,
  values: readonly string[],
  flags: string,
): { readonly made: readonly MadeCheck[] } | { readonly problem: string } {
  if (kind === 'contains' && isAny === true && values.length > 1)
    return { made: [{ kind: 'matches', value: values.map(escapePattern).join('|'), flags: '' }] }
  if (kind !== 'matches' && kind !== 'not-matches') return { made: values.map((value) => ({ kind, value })) }
  const read = values.map((value) => readPattern(value, flags))
  const [problem] = read.flatMap((one) => patternProblem(one) ?? [])
  if (problem !== undefined) return { problem }
  return { made: read.map((one) => ({ kind, ...one })) }
}
