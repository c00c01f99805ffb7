import { findMatch } from '../patterns.ts'
import { shorten } from './contains.ts'
import type { CheckFields, CheckKind, Finding, SeenRun } from './check.ts'

/** A regular expression. */
export interface PatternFields extends CheckFields {
  readonly value: string
  readonly flags: string
}

/** Whether a regular expression finds something in the agent's output. */
export const matches: CheckKind<PatternFields> = {
  run: (asked, seen) =>
    search(asked, seen, (found) => {
      if (found !== null) return null
      const why = seen.run.output.trim() === '' ? 'there is no output' : 'nothing does'
      return `expected something in the output to match ${label(asked)} but ${why}`
    }),
  describe: (asked) => `The output matches ${label(asked)}.`,
  label,
  needsOutput: true,
}

/** Whether it finds nothing there. */
export const notMatches: CheckKind<PatternFields> = {
  run: (asked, seen) =>
    search(asked, seen, (found) =>
      found === null
        ? null
        : `expected nothing in the output to match ${label(asked)} but ${JSON.stringify(found)} does`,
    ),
  describe: (asked) => `The output does not match ${label(asked)}.`,
  label,
}

function search(
  asked: PatternFields,
  { run: { output } }: SeenRun,
  problemOf: (found: string | null) => string | null,
): Finding {
  const result = findMatch(asked.value, asked.flags, output)
  if ('problem' in result) return { outcome: 'errored', message: `${label(asked)}: ${result.problem}` }
  const message = problemOf(result.found)
  if (message === null) return { outcome: 'passed' }
  return { outcome: 'failed', message, expected: label(asked), actual: shorten(output) }
}

function label({ value, flags }: PatternFields): string {
  return `/${value}/${flags}`
}
