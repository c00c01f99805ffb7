import type { Names } from './skill-entry.ts'

/** Whether a word says that the skill should be used; `null` where it is no such word. */
export function directionOf(value: Names | null | undefined): boolean | null {
  if (typeof value !== 'string') return null
  return (
    DIRECTIONS.get(
      value
        .trim()
        .toLowerCase()
        .replaceAll(/[\s_]+/g, '-'),
    ) ?? null
  )
}

/** Fields that hold the names of skills, words for a direction, or sentences that have to hold. */
export const SENTENCE_FIELDS = ['expect', 'expected'] as const

/** Whether a list holds sentences where skills could be named: no skill has a name with a blank. */
export function holdsSentences(value: Names | null | undefined): boolean {
  return Array.isArray(value) && value.some((one) => /\s/.test(String(one).trim()))
}

const YES = [
  'trigger',
  'triggers',
  'triggered',
  'should-trigger',
  'fire',
  'fires',
  'activate',
  'positive',
  'yes',
  'true',
]
const NO = ['no-trigger', 'not-trigger', 'should-not-trigger', 'do-not-trigger', 'dont-trigger', 'not-triggered']
const DIRECTIONS: ReadonlyMap<string, boolean> = new Map([
  ...YES.map((word) => [word, true] as const),
  ...[...NO, 'no-fire', 'not', 'no', 'false', 'negative', 'skip', 'ignore'].map((word) => [word, false] as const),
])
/** Whether a word stands where a skill could, and means none. */
export function meansNoSkill(word: string): boolean {
  return NO_SKILL.has(word.trim().toLowerCase())
}

const NO_SKILL: ReadonlySet<string> = new Set(['none', 'null', 'n/a', 'no-skill', 'no skill', 'no_skill', '-'])
