import { wordsOf } from '../fields/worded-names.ts'

/**
 * The field that a name means by its words: `skills_expected_to_activate` is `expected_skills`, `should_be_invoked: true`
 * is `should_trigger`. `null` where a word of it is about something else, or the value is no name and no direction.
 */
export function routingNameOf(name: string, value: unknown): string | null {
  const listed = Array.isArray(value) && areNames(value) ? LISTS.get(name) : undefined
  if (listed !== undefined) return listed
  const words = wordsOf(name)
  const says = (known: RegExp): boolean => words.some((word) => known.test(word))
  if (!words.every((word) => PLAIN.test(word) || DEED.test(word) || KINDS.some(({ known }) => known.test(word))))
    return null
  const isSkill = says(/^skills?$/)
  if (typeof value === 'boolean') {
    const isUse = says(DEED) || (says(/^use[ds]?$/) && (isSkill || says(EXPECTED)))
    // `activate: true` alone is one, and `auto_load` is a setting.
    const isAsked = isUse && (says(EXPECTED) || isSkill || words.length === 1)
    return !isAsked ? null : says(FORBIDDEN) ? 'should_not_trigger' : 'should_trigger'
  }
  if (!isSkill || !areNames(value)) return null
  const kind = KINDS.find(({ known }) => says(known))
  return kind === undefined ? null : Array.isArray(value) ? kind.list : kind.one
}

// Lists of the skills that have to be used, and of those that must not, where the name does not say that they are skills.
const LISTS: ReadonlyMap<string, string> = new Map([
  ['fires', 'expected_skills'],
  ['must_fire', 'expected_skills'],
  ['silent', 'forbidden_skills'],
  ['stays_silent', 'forbidden_skills'],
  ['must_not_fire', 'forbidden_skills'],
  ['reject', 'forbidden_skills'],
  ['rejects', 'forbidden_skills'],
])

const FORBIDDEN = /^(?:avoid(?:ed)?|disallowed|excluded?|forbid(?:den)?|never|not|prohibited|unexpected)$/
const EXPECTED = /^(?:expect(?:ed|s)?|must|required?|should|wanted|will)$/

const KINDS: readonly { readonly known: RegExp; readonly list: string; readonly one: string }[] = [
  { known: FORBIDDEN, list: 'forbidden_skills', one: 'forbidden_skills' },
  { known: /^(?:accept(?:able|ed)|alternates?|alternatives?)$/, list: 'acceptable_skills', one: 'acceptable_skills' },
  { known: /^(?:allowed|optional|permitted)$/, list: 'allowed_skills', one: 'allowed_skills' },
  { known: EXPECTED, list: 'expected_skills', one: 'expected_skill' },
]

const DEED = /^(?:activat(?:es?|ed|ion)|fire[ds]?|invo(?:kes?|ked|cation)|load(?:s|ed)?|trigger(?:s|ed)?)$/
const PLAIN =
  /^(?:auto|automatically|be|call(?:ed)?|chain|chosen|explicitly|first|for|implicitly|includ(?:es?|ed)|is|it|names?|order|pick(?:ed)?|primary|select(?:ed)?|sequence|set|skills?|that|the|this|to|use[ds]?|which)$/

function areNames(value: unknown): boolean {
  const names = Array.isArray(value) ? (value as readonly unknown[]) : [value]
  return value === null || names.every((name) => typeof name === 'string' && /^\S+$/.test(name.trim()))
}
