import { findMatch, type Search } from '../lib/patterns.ts'
import { keepEnds } from './contains.ts'
import type { CheckKind, Finding, SeenRun } from './check.ts'
import { oneOrMany, type Zod, type ZodType } from './schemas.ts'

/** A regular expression as it is searched for. */
export interface Pattern {
  readonly value: string
  readonly flags: string
}

/** Whether a regular expression finds something in the agent's output. */
export const matches: CheckKind<Pattern> = {
  schema: (zod) => oneOrMany(zod, patternField(zod)).describe('Regular expressions that the output must match.'),
  run: (pattern, seen) =>
    search(pattern, seen, (found) => {
      if (found !== null) return null
      const why = seen.run.output.trim() === '' ? 'there is no output' : 'nothing does'
      return `expected something in the output to match ${patternLabel(pattern)} but ${why}`
    }),
  describe: (pattern) => `The output matches ${patternLabel(pattern)}.`,
  label: patternLabel,
  needsOutput: true,
}

/** Whether it finds nothing there. */
export const notMatches: CheckKind<Pattern> = {
  schema: (zod) => oneOrMany(zod, patternField(zod)).describe('Regular expressions that the output must not match.'),
  run: (pattern, seen) =>
    search(pattern, seen, (found) =>
      found === null
        ? null
        : `expected nothing in the output to match ${patternLabel(pattern)} but ${JSON.stringify(found)} does`,
    ),
  describe: (pattern) => `The output does not match ${patternLabel(pattern)}.`,
  label: patternLabel,
}

/**
 * Reads a regular expression of a file: its text, or `pattern` and `flags`. A text of Python may begin with its flags.
 *
 * @internal No user has the library of schemas.
 */
export function patternField(zod: Zod): ZodType<Pattern> {
  const pattern = zod.string().min(1, 'must not be empty: everything matches it')
  const flagged = zod.strictObject({
    pattern,
    flags: zod
      .string()
      .regex(/^[imsu]*$/, 'takes only i, m, s and u')
      .optional(),
  })
  return zod
    .union([
      pattern.transform((value) => readPattern(value)),
      flagged.transform((one) => readPattern(one.pattern, one.flags)),
    ])
    .check(({ value, issues }) => {
      const problem = patternProblem(value)
      if (problem !== null)
        issues.push({ code: 'custom', input: value, message: problem, params: { code: 'invalid-pattern' } })
    })
}

/** Why a pattern is none; `null` for one that can be searched for. */
export function patternProblem({ value, flags }: Pattern): string | null {
  try {
    RegExp(value, flags)
    return null
  } catch (error) {
    return `is not a JavaScript regular expression: ${(error as Error).message}`
  }
}

/** A pattern as it is written. Python writes its flags in front: `(?i)dear`. */
export function readPattern(written: string, flags: string = ''): Pattern {
  const [, inline = '', rest] = /^\(\?([imsu]+)\)([\S\s]*)$/.exec(written) ?? []
  const all = `${flags}${inline}`.toLowerCase().replaceAll(/[^imsu]/g, '')
  return { value: rest ?? written, flags: [...new Set(all)].join('') }
}

/** Searches within a deadline. */
export function searchPattern({ value, flags }: Pattern, text: string): Search<string | null> {
  return findMatch(value, flags, text)
}

/** Such as `/dear/i`. */
export function patternLabel({ value, flags }: Pattern): string {
  return `/${value}/${flags}`
}

function search(
  pattern: Pattern,
  { run: { output } }: SeenRun,
  problemOf: (found: string | null) => string | null,
): Finding {
  const result = searchPattern(pattern, output)
  if ('problem' in result) return { outcome: 'errored', message: `${patternLabel(pattern)}: ${result.problem}` }
  const message = problemOf(result.found)
  if (message === null) return { outcome: 'passed' }
  return { outcome: 'failed', message, expected: patternLabel(pattern), actual: keepEnds(output) }
}
