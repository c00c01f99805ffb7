import { nearestName } from '../../documents/nearest-name.ts'
import { warningIn, errorIn, type IssueMaker } from './issue-in.ts'
import type { RequiredScore, Rubric } from '../golden.ts'
import type { Issue } from '../../documents/issue.ts'
import type { Section } from './sections.ts'

/** Pass criteria as far as they can be enforced. */
export interface PassCriteria {
  readonly required: readonly RequiredScore[]
  readonly watchedHardFails: readonly string[]
  readonly issues: readonly Issue[]
}

/** Reads lines such as `- memory_recall: ≥ 4 (why)`, and the hard fails that are named. */
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
    const [, written, sign = '', number] = SCORE.exec(line) ?? []
    if (written === undefined) continue
    const name = canonical(written, names)
    if (name === null) {
      issues.push(describeUnknown(written, names, number !== undefined)({ file, at }))
      continue
    }
    const least = number === undefined ? null : leastOf(sign, Number(number))
    if (least === null) {
      const message = `${JSON.stringify(line.trim())} cannot be enforced; write it as "${name}: ≥ 4"`
      issues.push(warningIn(file, at, 'unenforced-criterion', message))
      continue
    }
    required.push({ dimension: name, least, at })
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

// `- name: ≥ 4`, with or without bold or code marks around the name; the sign and the number may be missing.
const SCORE =
  /^\s*[-*+]\s+[*_`]*([A-Za-z][\w -]{0,60}?)[*_`]*\s*:[*_`]*\s*(≥|>=|=>|==?|>|≤|<=|<|at least)?\s*[*_`]*(\d(?:\.\d+)?)?/

function leastOf(sign: string, number: number): number | null {
  if (sign.includes('≤') || sign.startsWith('<')) return null
  const least = sign === '>' ? Math.floor(number) + 1 : number
  return least >= 1 && least <= 5 ? least : null
}

// `Memory recall` and `memory-recall` are the rubric's `memory_recall`.
function canonical(written: string, names: readonly string[]): string | null {
  const folded = fold(written)
  return names.find((name) => fold(name) === folded) ?? null
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_ ]/g, '')
}

function describeUnknown(written: string, names: readonly string[], isScore: boolean): IssueMaker {
  const near = nearestName(written, names)
  const message = `rubric.md has no dimension ${JSON.stringify(written)}`
  // Something close to a known name is a slip; the criterion it was meant to be would be lost.
  if (near !== null)
    return ({ file, at }) => errorIn(file, at, 'unknown-dimension', `${message}. Did you mean "${near}"?`)
  const code = isScore ? 'unknown-dimension' : 'unenforced-criterion'
  const advice = isScore ? 'it cannot be enforced' : 'only the judge reads it'
  return ({ file, at }) => warningIn(file, at, code, `${message}; ${advice}`)
}
