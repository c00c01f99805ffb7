import { valueAt } from '../../../../documents/document.ts'
import {
  ACCEPTED_FIELDS,
  ARTIFACT_FIELDS,
  AVOIDED_FIELDS,
  CONTEXT_FIELDS,
  DIRECTION_FIELDS,
  EACH_FIELDS,
  ELEMENT_FIELDS,
  FORBIDDEN_FIELDS,
  ROUTE_FIELDS,
  WORD_FIELDS,
} from './skill-fields.ts'

/** Whether a word says that the skill should be used; `null` where it is no such word. */
export function directionOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value
  if (typeof value !== 'string') return null
  const word = hyphenated(value)
  return DIRECTIONS.get(word) ?? (/\s/.test(value.trim()) ? null : longerDirection(word))
}

// `do_not_trigger_engine_only` says why as well, and `trigger_with_context` when.
function longerDirection(word: string): boolean | null {
  if (/^(?:do-not|dont|must-not|no|not|should-not|never)-(?:activate|fire|invoke|load|trigger)(?:-|$)/.test(word))
    return false
  return /^(?:should-)?(?:activate|fire|invoke|trigger)s?-(?:after|and|as|because|before|for|if|in|on|only|when|with)-/.test(
    word,
  )
    ? true
    : null
}

function hyphenated(words: string): string {
  return words
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-')
}

/** Whether the skill should be used, where a field asks for its activation by a word: `skill_activation: "implicit"`. */
export function activationOf(name: string, value: unknown): boolean | null {
  if (typeof value !== 'string' || !/^(?:skill_?)?(?:activation|invocation|triggering)$/i.test(name)) return null
  const word = hyphenated(value)
  return directionOf(value) ?? ACTIVATIONS.get(word) ?? null
}

const ACTIVATIONS: ReadonlyMap<string, boolean> = new Map([
  ...['automatic', 'expected', 'explicit', 'implicit', 'required'].map((word) => [word, true] as const),
  ...['forbidden', 'none', 'not-expected', 'unexpected'].map((word) => [word, false] as const),
])

const YES = [
  'trigger',
  'triggers',
  'triggered',
  'should-trigger',
  'fire',
  'fires',
  'activate',
  'activates',
  'invoke',
  'should-activate',
  'positive',
  'yes',
  'true',
]
const NO = [
  'do-not-activate',
  'not-activate',
  'no-activate',
  'should-not-activate',
  'do-not-invoke',
  'no-trigger',
  'not-trigger',
  'should-not-trigger',
  'do-not-trigger',
  'dont-trigger',
  'not-triggered',
]
const DIRECTIONS: ReadonlyMap<string, boolean> = new Map([
  ...YES.map((word) => [word, true] as const),
  ...[...NO, 'no-fire', 'not', 'no', 'false', 'negative', 'skip', 'ignore'].map((word) => [word, false] as const),
])

/** Whether a word means no skill in a place where a skill could be. */
export function meansNoSkill(word: string): boolean {
  return NO_SKILL.has(word.trim().toLowerCase())
}

const NO_SKILL: ReadonlySet<string> = new Set(['none', 'null', 'n/a', 'no-skill', 'no skill', 'no_skill', '-'])

/** A direction that an entry says by the word in a label, where nothing else of it says or expects anything. */
export function labelledDirection(entry: unknown): { readonly field: string; readonly value: boolean } | null {
  // Few entries have such a label, and the other fields are many.
  const field = WORD_FIELDS.find((name) => directionOf(valueAt(entry, name)) !== null)
  const value = field === undefined ? null : directionOf(valueAt(entry, field))
  if (field === undefined || value === null) return null
  return SAYING.some((name) => (valueAt(entry, name) ?? null) !== null) ? null : { field, value }
}

const SAYING = [
  ...DIRECTION_FIELDS,
  ...ROUTE_FIELDS,
  ...EACH_FIELDS,
  ...ACCEPTED_FIELDS,
  ...AVOIDED_FIELDS,
  ...ELEMENT_FIELDS,
  ...FORBIDDEN_FIELDS,
  ...CONTEXT_FIELDS,
  ...ARTIFACT_FIELDS,
  'must_not_trigger',
]
