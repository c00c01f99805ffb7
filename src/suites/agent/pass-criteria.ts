import { nearestName } from '../../documents/nearest-name.ts'
import { warningIn, errorIn } from './issue-in.ts'
import { readCriterion, scoreIn } from './read-criterion.ts'
import type { RequiredScore, Rubric } from '../golden.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Section } from './sections.ts'

/** Pass criteria as far as they can be enforced. */
export interface PassCriteria {
  readonly required: readonly RequiredScore[]
  readonly watchedHardFails: readonly string[]
  readonly issues: readonly Issue[]
}

/**
 * Reads the lines of the pass criteria. A line that names a dimension and a least score is enforced; any other line that
 * names one is left to the judge, and an issue says so.
 */
export function readPassCriteria(
  section: Section | null,
  file: string,
  { dimensions, hardFails }: Pick<Rubric, 'dimensions' | 'hardFails'>,
): PassCriteria {
  const names = dimensions.map(({ name }) => name)
  const codes = new Set(hardFails.map(({ code }) => code))
  const required: RequiredScore[] = []
  const issues: Issue[] = []
  const lines = section === null ? [] : section.text.split('\n')
  for (const [index, line] of lines.entries()) {
    const at = { line: (section?.textLine ?? 1) + index, column: 1 }
    const read = readCriterion(line, names)
    if (read.kind === 'scores') required.push(...read.scores.map((score) => ({ ...score, at })))
    if (read.kind === 'left') {
      const message = `${JSON.stringify(line.trim())} is not enforced, only the judge sees it; to enforce it, write "${read.name}: ≥ ${scoreIn(line) ?? 4}"`
      issues.push(warningIn(file, at, 'unenforced-criterion', message))
    }
    if (read.kind === 'unknown') issues.push(describeUnknown(read, names, file, at))
  }

  const watched = [...new Set(lines.flatMap((line) => line.match(CODE) ?? []))]
  for (const code of watched.filter((one) => !codes.has(one))) {
    const line = (section?.textLine ?? 1) + lines.findIndex((one) => one.includes(code))
    issues.push(warningIn(file, { line, column: 1 }, 'unknown-hard-fail', `rubric.md has no hard fail ${code}`))
  }
  return { required, watchedHardFails: watched.filter((one) => codes.has(one)), issues }
}

/** Codes of hard fails as they are named in prose. */
export const CODE: RegExp = /\bHF-?\d+\b/g

function describeUnknown(
  { written, isScore }: { readonly written: string; readonly isScore: boolean },
  names: readonly string[],
  file: string,
  at: RequiredScore['at'],
): Issue {
  const near = nearestName(written, names)
  const message = `rubric.md has no dimension ${JSON.stringify(written)}`
  // Something close to a known name is a slip; the criterion it was meant to be would be lost.
  if (near !== null) return errorIn(file, at, 'unknown-dimension', `${message}. Did you mean "${near}"?`)
  const code = isScore ? 'unknown-dimension' : 'unenforced-criterion'
  const advice = isScore ? 'it is not enforced; only the judge sees it' : 'only the judge reads it'
  return warningIn(file, at, code, `${message}; ${advice}`)
}
