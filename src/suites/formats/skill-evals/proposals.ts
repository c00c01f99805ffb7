import { isJsonObject } from '../../../json.ts'
import { nearestName } from '../../../documents/nearest-name.ts'
import { ENTRY_ROWS, normalise, ROLES, ROWS, type Level, type RoleName } from './vocabulary.ts'

/**
 * The known name of which another one is a slip; `null` where it is none. More words, a denial or a word that grades,
 * such as `checker`, make a name of its own.
 */
export function slipOf(name: string, level: Level): string | null {
  const core = ROWS[level].filter(({ isCore }) => isCore).flatMap(({ names }) => names)
  const near = nearestName(name, core)
  if (near === null) return null
  const [own, known] = [wordsOf(name), wordsOf(near)]
  const isSame = own.join('') === known.join('') || own.length === known.length
  const says = (word: RegExp): boolean => own.some((one) => word.test(one)) && !known.some((one) => word.test(one))
  return isSame && !says(DENIES) && !says(/[a-z]er$/) ? near : null
}

function wordsOf(name: string): readonly string[] {
  return normalise(name).split(/[_\s.]+/)
}

/** The role that a name without one may have, by its words and the type of its value. Only a proposal: it decides nothing. */
export function proposeRole(name: string, value: unknown, level: Level): RoleName {
  const words = wordsOf(name)
  const says = (known: RegExp): boolean => words.some((word) => known.test(word))
  // One word of this kind is the name that different authors use for different things.
  if (level === 'entry' && /^expect(?:ed|s)$/.test(normalise(name))) return 'expect'
  const fits = ({ when, type, at }: Proposal): boolean => (at ?? level) === level && type(value) && when.every(says)
  return PROPOSALS.find(fits)?.role ?? 'ignore'
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isAmount = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => isText(value) || Array.isArray(value)
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.some((one) => typeof one === 'string')
const ASKS: ReadonlySet<string> = new Set(
  ENTRY_ROWS.filter(({ role }) => ['ask', 'turns'].includes(ROLES[role].as)).flatMap(({ names }) => names),
)

const isEntries = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.some((one) => isJsonObject(one) && Object.keys(one).some((name) => ASKS.has(normalise(name))))

const DENIES =
  /^(?:not?|never|without|avoid(?:s|ed)?|anti|negative|fail(?:s|ed|ure|ures)?|exclu(?:ded?|sions?)|forbid(?:den)?|prohibited|unexpected|unacceptable|banned|disallowed|veto(?:es)?|red|reject(?:s|ed)?)$/
const REQUIRES =
  /^(?:accept(?:ance)?|assert(?:s|ions?)?|check(?:s|list)?|criteri(?:a|on)|expect(?:s|ed|ations?)?|graders?|include[sd]?|must|preserve|require[sd]?|requirements?|should|validat(?:e|ions?))$/
const USES = /^(?:activat|fire|invo[ck]|load|rout|trigger|use)/

interface Proposal {
  readonly when: readonly RegExp[]
  readonly type: (value: unknown) => boolean
  readonly role: RoleName
  /** Default: everywhere. */
  readonly at?: Level
}

const DIRECTS = /^(?:positives?|negatives?|should|activat|fire|trigger)/

// The first that fits.
const PROPOSALS: readonly Proposal[] = [
  { when: [DIRECTS, DENIES], type: Array.isArray, role: 'negatives', at: 'file' },
  { when: [DIRECTS], type: isTextList, role: 'positives', at: 'file' },
  { when: [], type: isEntries, role: 'evals', at: 'file' },
  { when: [/^ids?$/], type: isTexts, role: 'ignore' },
  { when: [USES, DENIES], type: isFlag, role: 'should-not-trigger' },
  { when: [USES], type: isFlag, role: 'should-trigger' },
  { when: [/^(?:skip(?:ped)?|off)$/], type: (value) => isFlag(value) || isText(value), role: 'disabled' },
  { when: [/^timeouts?$/], type: isAmount, role: 'timeout' },
  { when: [/^(?:runs|repeats|trials)$/], type: isAmount, role: 'runs' },
  { when: [USES, /^threshold$/], type: isAmount, role: 'trigger-threshold' },
  { when: [/^threshold$/], type: isAmount, role: 'pass-threshold' },
  { when: [/^skills?$/, DENIES], type: isTexts, role: 'forbidden-skills' },
  { when: [/^skills?$/, REQUIRES], type: isTexts, role: 'expected-skill' },
  { when: [DENIES], type: isTexts, role: 'must-not' },
  { when: [/^(?:artifacts?|files?|outputs?)$/, REQUIRES], type: Array.isArray, role: 'file-exists' },
  { when: [/^(?:answer|output|response|result|outcome)s?$/], type: isText, role: 'context' },
  { when: [REQUIRES], type: isTexts, role: 'must' },
  { when: [/^(?:ask|message|prompt|query|question|request|task|utterance)$/], type: isText, role: 'prompt' },
  { when: [/^(?:conversation|dialogue|followups?|messages|prompts|turns)$/], type: isTexts, role: 'turns' },
  { when: [/^(?:attachments?|files?|fixtures?)$/], type: Array.isArray, role: 'files' },
]
