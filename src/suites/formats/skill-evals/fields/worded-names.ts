/** What the name of a field says of the texts in it. */
export interface Wording {
  /** The words of the name, put before each text; empty where the texts are complete sentences. */
  readonly label: string
  readonly isForbidden: boolean
  /** Whether any one text of its list is enough. */
  readonly isAnyOf: boolean
  /** Whether its sentences may deny by themselves what must not be the case. */
  readonly isDenied?: true
}

/**
 * Reads the name of a field that no list of ours has: `must_preserve`, `failure_conditions`, `expectedRoute`. `null`
 * where the name does not say that its texts are expected. There are too many such names to list them.
 */
export function wordingOf(name: string): Wording | null {
  const words = wordsOf(name)
  const [first = '', second = ''] = words
  const [opening = '', next = ''] = words.map(singular)
  if (words.some((word) => NO_EXPECTATION.has(word))) return null
  const isAnyOf = /_(?:one|any)(?:_of)?$/.test(words.join('_'))
  const label = `${first.slice(0, 1).toUpperCase()}${[first.slice(1), ...words.slice(1)].join(' ')}`
  if (['must', 'should'].includes(first) && second !== '') return { label, isForbidden: false, isAnyOf }
  if (
    FORBIDDING.has(opening) ||
    FORBIDDING.has(`${opening} ${next}`.trim()) ||
    BY_ITSELF.has(words.map(singular).join(' '))
  )
    return { label, isForbidden: true, isAnyOf }
  if (OF_ANSWER.test(words.join(' '))) return { label, isForbidden: false, isAnyOf }
  if (isOnlySentences(name)) return { label: '', isForbidden: false, isAnyOf }
  if (NEGATIVE.test(words.join(' '))) return { label: '', isForbidden: true, isAnyOf, isDenied: true }
  if (SENTENCES.has(singular(words.at(-1) ?? ''))) return { label: '', isForbidden: false, isAnyOf }
  return REQUIRING.has(opening) || EXACT.test(`${opening} ${next}`) || isOnlyList(name)
    ? { label, isForbidden: false, isAnyOf }
    : null
}

/** Whether the name means expectations only where it has a list of them; a single word is a label: `focus: speed`. */
export function isOnlyList(name: string): boolean {
  return isOnlySentences(name) || /^focus(?:_?(?:areas|on|points))?$/i.test(name)
}

// Otherwise it is a result.
function isOnlySentences(name: string): boolean {
  return /^pass(?:es)?$/i.test(name)
}

/** Whether the name says what is expected of the use of a skill as well as of a result: `expected_route`, `expect_mode`. */
export function isVague(name: string): boolean {
  const words = wordsOf(name)
  return (words[0] ?? '').startsWith('expect') && !words.some((word) => OF_RESULTS.has(singular(word)))
}

// Nothing of a skill itself.
const OF_RESULTS: ReadonlySet<string> = new Set([
  'change',
  'citation',
  'doc',
  'document',
  'file',
  'finding',
  'read',
  'ref',
  'reference',
  'resource',
  'rule',
  'section',
])

/** The words of a name, in lower case. */
export function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[-_ .]+/)
    .filter((word) => word !== '')
}

function singular(word: string): string {
  return word.replace(/s$/, '')
}

// One word of each of these lists covers its plural.
const REQUIRING: ReadonlySet<string> = new Set(['expect', 'expected', 'require', 'required'])
// Its own subject and verb make a sentence of each text.
const OF_ANSWER =
  /^(?:final|final answer|final message|final output|answer|message|output|reply|response|result) (?:(?:must|should) )?(?:(?:not|never) )?(?:contains?|includes?|mentions?)(?: (?:all|any|one)(?: of)?)?$/
const EXACT = /^exact (?:answer|output|response|result|text|wording)$/

const FORBIDDING: ReadonlySet<string> = new Set([
  'anti pattern',
  'antipattern',
  'avoid',
  'banned',
  'disallowed',
  'fail condition',
  'fail criteria',
  'fail if',
  'fail when',
  'failure condition',
  'failure criteria',
  'failure indicator',
  'failure mode',
  'failure sign',
  'failure signal',
  'forbid',
  'forbidden',
  'hard fail',
  'never',
  'not expected',
  'prohibited',
  'red flag',
  'unacceptable',
  'unexpected',
])

const NEGATIVE = /^(?:anti|negative) (?:assertion|check|criteri(?:a|on)|expectation|requirement)s?$/

// With more words these name a group or a place.
const BY_ITSELF: ReadonlySet<string> = new Set(['failure'])

// Their texts are complete sentences.
const SENTENCES: ReadonlySet<string> = new Set([
  'assertion',
  'check',
  'criteria',
  'criterion',
  'expectation',
  'invariant',
  'requirement',
])

// Such a field explains, measures, names or checks the repository itself; it expects nothing of a run.
const NO_EXPECTATION: ReadonlySet<string> = new Set([
  'because',
  'cost',
  'count',
  'duration',
  'health',
  'id',
  'ids',
  'latency',
  'lint',
  'machine',
  'max',
  'min',
  'model',
  'ms',
  'note',
  'notes',
  'rationale',
  'reason',
  'score',
  'scores',
  'seconds',
  'self',
  'skill',
  'skills',
  'spell',
  'static',
  'time',
  'tokens',
  'version',
  'weight',
  'weights',
  'why',
])
