import { countMatches } from '../lib/patterns.ts'
import { keepEnds } from './contains.ts'
import { countOf, timesOf, type CheckKind, type Finding, type SeenRun } from './check.ts'
import { patternField, patternLabel, searchPattern, type Pattern } from './pattern.ts'
import { oneOrMany } from './schemas.ts'
import type { Target, TargetContent } from './targets.ts'

/** A regular expression, and where it is searched for. */
export interface SearchFields extends Pattern {
  /** Absent for the output. */
  readonly target?: Target
  /** How many matches exactly; absent for at least one. */
  readonly times?: number
}

/** Whether a regular expression finds something in the agent's output. */
export const matches: CheckKind<SearchFields> = {
  schema: (zod) => oneOrMany(zod, patternField(zod)).describe('Regular expressions that the output must match.'),
  run: (fields, seen) => search(fields, seen, true),
  describe: ({ times, ...fields }) => `${subjectOf(fields)} matches ${patternLabel(fields)}${timesOf(times)}.`,
  label: patternLabel,
  needsOutput: true,
}

/** Whether it finds nothing there. */
export const notMatches: CheckKind<SearchFields> = {
  schema: (zod) => oneOrMany(zod, patternField(zod)).describe('Regular expressions that the output must not match.'),
  run: (fields, seen) => search(fields, seen, false),
  describe: (fields) => `${subjectOf(fields)} does not match ${patternLabel(fields)}.`,
  label: patternLabel,
}

function subjectOf({ target }: SearchFields): string {
  return whereOf(target).replace(/^t/, 'T')
}

function whereOf(target: Target | undefined): string {
  return target === undefined ? 'the output' : describeTarget(target)
}

/** A target as a part of a sentence. */
export function describeTarget(target: Target): string {
  return target.kind === 'file' ? `the file ${target.path}` : NAMES[target.kind]
}

const NAMES = {
  last_message: 'the last message',
  trace: 'the trace',
  files: 'the list of created files',
  mock_calls: 'the list of calls of mocked tools',
} as const

function search(fields: SearchFields, seen: SeenRun, isExpected: boolean): Finding {
  const { value, flags, times, target } = fields
  const [label, where] = [patternLabel(fields), whereOf(target)]
  const content = target === undefined ? { kind: 'text' as const, text: seen.run.output } : seen.look?.(target)
  if (content === undefined) return { outcome: 'errored', message: `${where} is not known` }
  if (content.kind === 'image') return { outcome: 'failed', message: `${where} is an image; ask a judge about it` }
  // A file that is missing fails, also where the pattern must not be found.
  if (content.kind !== 'text')
    return { outcome: content.kind === 'none' ? 'failed' : 'errored', message: content.problem }
  const { text, missing, unsure = [] }: Extract<TargetContent, { kind: 'text' }> = content
  const first = searchPattern(fields, text)
  const counted = times === undefined ? { found: 0 } : countMatches(value, flags, text)
  const unread = searchPattern(fields, unsure.join('\n'))
  for (const one of [first, counted, unread])
    if ('problem' in one) return { outcome: 'errored', message: `${label}: ${one.problem}` }
  const [found, count, more] = [first, counted, unread].map((one) => ('found' in one ? one.found : null))
  const gap = missing ?? (unsure.length > 0 && more !== null ? `it may have ${unsure.slice(0, 10).join(', ')}` : null)
  // A match stays one, whatever could not be read.
  if (gap !== null && (found === null || times !== undefined))
    return { outcome: 'errored', message: `${where} is not known completely: ${gap}` }
  if (times === undefined ? (found !== null) === isExpected : count === times) return { outcome: 'passed' }
  const none = text.trim() === '' ? `there is no ${target === undefined ? 'output' : 'text'}` : 'nothing does'
  const why = found === null ? none : `${JSON.stringify(found)} does`
  const message =
    times === undefined
      ? `expected ${isExpected ? 'something' : 'nothing'} in ${where} to match ${label} but ${why}`
      : `expected ${label} to match ${countOf(times)} in ${where} but it matches ${countOf(Number(count))}`
  return { outcome: 'failed', message, expected: label, actual: keepEnds(text) }
}
