/** What the name of a field says of the texts in it. */
export interface Wording {
  /** The words of the name, put before each text; empty where the texts are complete sentences. */
  readonly label: string
  readonly isForbidden: boolean
  /** Whether any one text of its list is enough. */
  readonly isAnyOf: boolean
}

/**
 * Reads the name of a field that no list of ours has: `must_preserve`, `failure_conditions`, `expectedRoute`. `null`
 * where the name does not say that its texts are expected. There are too many such names to list them.
 */
export function wordingOf(name: string): Wording | null {
  const words = wordsOf(name)
  const [first = '', second = ''] = words
  const last = words.at(-1) ?? ''
  if (words.some((word) => NO_EXPECTATION.has(word))) return null
  const isAnyOf = /_(?:one|any)(?:_of)?$/.test(words.join('_'))
  const label = `${first.slice(0, 1).toUpperCase()}${[first.slice(1), ...words.slice(1)].join(' ')}`
  if (['must', 'should'].includes(first) && second !== '') return { label, isForbidden: false, isAnyOf }
  if (FORBIDDING.has(first) || FORBIDDING.has(`${first} ${second}`)) return { label, isForbidden: true, isAnyOf }
  if (SENTENCES.has(last)) return { label: '', isForbidden: false, isAnyOf }
  return REQUIRING.has(first) ? { label, isForbidden: false, isAnyOf } : null
}

/** Whether the name says what is expected of the use of a skill as well as of a result: `expected_route`, `expect_mode`. */
export function isVague(name: string): boolean {
  return (wordsOf(name)[0] ?? '').startsWith('expect')
}

function wordsOf(name: string): readonly string[] {
  return name
    .slice(0, 100)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[-_ .]+/)
    .filter((word) => word !== '')
}

const REQUIRING: ReadonlySet<string> = new Set(['expect', 'expected', 'expects', 'required', 'requires'])

const FORBIDDING: ReadonlySet<string> = new Set([
  'anti patterns',
  'antipatterns',
  'avoid',
  'banned',
  'disallowed',
  'fail conditions',
  'fail criteria',
  'fail if',
  'fail when',
  'failure conditions',
  'failure criteria',
  'failure modes',
  'forbid',
  'forbidden',
  'forbids',
  'hard fail',
  'hard fails',
  'never',
  'not expected',
  'prohibited',
  'red flags',
  'unacceptable',
  'unexpected',
])

// Their texts are complete sentences.
const SENTENCES: ReadonlySet<string> = new Set([
  'assertion',
  'assertions',
  'check',
  'checks',
  'criteria',
  'criterion',
  'expectation',
  'expectations',
  'invariants',
  'requirements',
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
