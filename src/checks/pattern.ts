import { findMatch, patternProblem, type Search } from '../lib/patterns.ts'
import { refusing, type Zod, type ZodType } from './schemas.ts'

/** A regular expression as it is searched for. */
export interface Pattern {
  readonly value: string
  readonly flags: string
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
    .check(
      refusing('invalid-pattern', ({ value, flags }) => {
        const problem = patternProblem(value, flags)
        return problem === null ? null : `is not a JavaScript regular expression: ${problem}`
      }),
    )
}

/** A pattern as it is written. Python writes its flags in front: `(?i)dear`. */
function readPattern(written: string, flags: string = ''): Pattern {
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
