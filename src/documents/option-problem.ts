import { nearestName } from './nearest-name.ts'
import { valueAt } from './document.ts'
import type { z } from 'zod'

/** What is wrong with options that were given in code. */
export interface OptionProblem {
  /** Dotted path of the option; empty for the options as a whole. */
  readonly path: string
  /** What was given; `undefined` where nothing was. */
  readonly value: unknown
  /** What goes behind the value, such as `expected a number`; `null` for an option that does not exist. */
  readonly expected: string | null
  /** What to write instead of an option that does not exist. */
  readonly hint: string
}

/** Finds the first mistake in options, in the words of all our messages. */
export function describeProblem(error: z.ZodError, value: unknown, known: readonly string[]): OptionProblem {
  const [issue] = error.issues
  const parent = issue?.path ?? []
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined
  if (unknown !== undefined) {
    const near = parent.length > 0 ? null : nearestName(unknown, known)
    const all = parent.length > 0 ? 'Remove it.' : `Known: ${known.toSorted().join(', ')}.`
    const hint = near === null ? all : `Did you mean \`${near}\`?`
    return { path: [...parent, unknown].join('.'), value: undefined, expected: null, hint }
  }
  const expected = (issue?.message ?? 'invalid').replace(/^missing; /, '').replace(/, got [^]*$/, '')
  return { path: parent.join('.'), value: parent.map(String).reduce(valueAt, value), expected, hint: '' }
}

/** The rest of a sentence that begins with the option; `written` is how the value was spelled, where that is known. */
export function describeWritten({ value, expected, hint }: OptionProblem, written?: string): string {
  if (expected === null) return `is not known. ${hint}`
  const given = written ?? value
  return given === undefined ? `is missing: ${expected}.` : `is ${JSON.stringify(given)}: ${expected}.`
}
