import { dirname, join } from 'node:path'
import { z } from 'zod'
import { pathSchema } from '../../checks/schemas.ts'
import {
  documentAt,
  errorAt,
  noEffectAt,
  valueAt,
  type Issue,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { readDocument } from '../../lib/documents/read-document.ts'
import { describeValue, processText, validate } from '../../lib/documents/validate.ts'
import { tryReadText } from '../../lib/files.ts'
import { isJsonObject } from '../../lib/json.ts'
import { isSentence } from '../../lib/text.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import {
  DANGEROUS,
  DIRECTION_WORDS,
  ENTRY_ROWS,
  NOTHING_SETTLED,
  ROLES,
  ROLE_NAMES,
  ROWS,
  normalise,
  roleOf,
  type FieldsOption,
  type Level,
  type Polarity,
  type Role,
  type RoleName,
  type SettledFields,
} from './vocabulary.ts'

/** A field as its author wrote it, and what its name says. */
export interface Field {
  readonly name: string
  readonly role: Role
  /** Of the type that its role asks for. */
  readonly value: unknown
}

/** What an object says in the fields that have a role; with an error among the issues, nothing. */
interface ReadFields {
  readonly fields: readonly Field[]
  readonly issues: readonly Issue[]
}

const text = z.string().max(1024 * 1024)
const prompt = processText(text)
const id = z
  .union([z.string().max(300), z.number().int()])
  .refine((value) => String(value).trim() !== '', 'must not be empty: it names the case in reports')
  // oxlint-disable-next-line no-control-regex
  .refine((value) => !/[\u0000-\u001F\u007F]/.test(String(value)), 'must not contain a control character')
const safePath = pathSchema(z)
const record = z.record(z.string(), z.unknown())
const expectation = text.refine((value) => value.trim() !== '', 'must not be empty: it would always hold')
const names = z.union([z.string().min(1), z.array(z.string().min(1))])
const share = z.number().gt(0).max(1)

/** What the value of a role may be. A mistake is an error at the field. */
function schemaOf(role: Role): z.ZodType {
  switch (role.as) {
    case 'ask':
      return prompt
    case 'prefix':
      return text
    case 'files':
      return z.union([
        z.array(z.union([safePath, z.strictObject({ path: safePath, content: text })])),
        z.record(safePath, text),
      ])
    case 'expect':
      return z.union([text, z.array(z.union([expectation, record])), record])
    case 'context':
      return z.union([text, z.array(text), record])
    case 'direction':
      return z.boolean()
    case 'route':
      return role.use === 'any' ? z.union([names, z.literal(''), z.null()]) : names
    case 'subject':
      return names
    case 'skip':
      return z.union([z.boolean(), z.string()])
    case 'label':
      return role.of === 'id' ? id : role.of === 'tags' ? names : z.string()
    case 'setting':
      if (role.of === 'threshold') return share
      return role.of === 'runs' ? z.number().int().min(1).max(100) : z.number().positive().max(86_400)
    case 'choice':
    case 'ignore':
    case 'list':
    case 'turns':
      return z.unknown()
  }
}

/**
 * Reads the fields of an object by their names. A name without a role has no effect, and a note says which role it may
 * have; one that is nearly a known name, or dangerous, is an error.
 */
export function readFields(document: ReadDocument, level: Level, settled: SettledFields): ReadFields {
  const { value } = document
  if (!isJsonObject(value)) {
    const message = `expected an object with a prompt, got ${describeValue(value)}`
    return { fields: [], issues: [errorAt(document, [], 'wrong-type', message)] }
  }
  const issues: Issue[] = []
  const asks = (name: string): boolean => {
    const role = roleOf(name, level, settled)
    return role !== null && ROLES[role].as === 'ask'
  }
  const hasPrompt = Object.keys(value).some(asks)
  const written = Object.entries(value).flatMap(([name, content]: readonly [string, unknown]): readonly Field[] => {
    const role = DANGEROUS.has(name) ? null : roleOf(name, level, settled)
    if (role !== null) return readField(name, role, content, document, issues)
    const slip = slipOf(name, level)
    // Beside a prompt it is no slip of one, and a list is none of what is no list.
    const isSlip = slip !== null && !(hasPrompt && asks(slip)) && mayMean(slip, content, level)
    if (DANGEROUS.has(name) || isSlip) {
      const advice = isSlip ? `Did you mean ${JSON.stringify(slip)}?` : 'Remove it.'
      const issue = errorAt(document, [name], 'unknown-field', `unknown field. ${advice}`)
      issues.push({ ...issue, ...document.keyPositionOf([name]) })
    } else if (!/^[$_]/.test(name)) issues.push(unknownField(document, name, content, level, hasPrompt))
    return []
  })
  const mistakes = checkValues(document, written)
  const all = [...issues, ...mistakes]
  return { fields: all.some(({ severity }) => severity === 'error') ? [] : written, issues: all }
}

function mayMean(name: string, value: unknown, level: Level): boolean {
  const role = roleOf(name, level, NOTHING_SETTLED)
  const isOne = role !== null && ['ask', 'direction', 'label', 'prefix', 'setting', 'skip'].includes(ROLES[role].as)
  return !isOne || typeof value !== 'object' || value === null
}

/** The remark on a name that neither the table nor the author gives a role. */
export function unknownField(
  document: ReadDocument,
  name: string,
  value: unknown,
  level: Level = 'entry',
  hasPrompt: boolean = true,
): Issue {
  const proposed = proposeRole(name, value, level)
  const role = hasPrompt && proposed === 'prompt' ? 'ignore' : proposed
  // Before the prompt, a remark would tell the agent what is expected.
  if (role === 'prefix')
    return noEffectAt(document, [name], `${MATERIAL} Add ${settlingLine(name, 'prefix', 'ignore')}`)
  // A judge can decide nothing by one word, and a query that a judge decides is none.
  if ((role === 'must' || role === 'must-not') && typeof value === 'string' && !isSentence(value))
    return noEffectAt(document, [name], `${ONE_WORD} Add ${settlingLine(name, 'ignore', role)}`)
  const looks = role === 'ignore' ? '' : ` It looks like "${role}".`
  const message = `has no effect: unknown field.${looks} Run lint --fix, or add ${settlingLine(name, role)}`
  return { ...noEffectAt(document, [name], message), proposes: { field: name, role } }
}

function readField(
  name: string,
  roleName: RoleName,
  value: unknown,
  document: ReadDocument,
  issues: Issue[],
): readonly Field[] {
  const role: Role = ROLES[roleName]
  if (role.as === 'choice') {
    const meaning = chosen(value, role)
    if (meaning === null && value !== null)
      issues.push(noEffectAt(document, [name], `${UNCLEAR} Add ${settlingLine(name, 'expected-skill', 'context')}`))
    return meaning === null ? [] : [{ name, ...meaning }]
  }
  // Only a route has a meaning for it: no skill.
  if (value === null && !(role.as === 'route' && role.use === 'any')) return []
  if (role.as === 'ignore') return []
  const isLabel = role.as === 'label' && role.of !== 'id' && !schemaOf(role).safeParse(value).success
  // Under the name of a number of runs, some keep what came out of them.
  if (isLabel || (role.as === 'setting' && typeof value === 'object')) {
    issues.push(noEffectAt(document, [name], `is not a ${isLabel ? 'text' : 'number'}, so it has no effect`))
    return []
  }
  return [{ name, role, value }]
}

const MATERIAL = 'has no effect: it may belong to the prompt, or be a remark.'
const ONE_WORD = 'has no effect: it may be a remark, or what must hold in one word.'
const UNCLEAR = 'has no effect: it may name a skill or be an answer.'

type Choice = Extract<Role, { readonly as: 'choice' }>

/** The line that settles a name, and where it belongs. */
export function settlingLine(name: string, ...roles: readonly RoleName[]): string {
  const lines = roles.map((role) => `"fields": { ${JSON.stringify(name)}: "${role}" }`)
  return `${lines.join(' or ')} to evals/eval-config.json`
}

/**
 * One name that different authors use for a direction, for skills, for expectations and for a good result: its value alone
 * decides. `null` where it does not.
 */
export function chosen(value: unknown, { isResult }: Choice): Pick<Field, 'role' | 'value'> | null {
  const word = typeof value === 'string' ? directionOf(value) : value
  if (typeof word === 'boolean') return { role: ROLES['should-trigger'], value: word }
  if (isResult === true) {
    if (Array.isArray(value)) return value.some(isSaid) ? { role: ROLES.must, value } : null
    return isSaid(value) || isJsonObject(value) ? { role: ROLES.context, value } : null
  }
  const isRoute = value === null || isName(value) || (Array.isArray(value) && value.every(isName))
  return { role: isRoute ? ROLES['expected-skill'] : ROLES.must, value }
}

function directionOf(said: string): boolean | undefined {
  return DIRECTION_WORDS.get(
    said
      .trim()
      .toLowerCase()
      .replaceAll(/[\s_]+/g, '-'),
  )
}

/** The names of skills that an entry expects in a field that other authors use for a direction or for expectations. */
export function chosenNames(entry: Readonly<Record<string, unknown>>, settled: SettledFields): readonly string[] {
  return Object.entries(entry).flatMap(([name, value]: readonly [string, unknown]): readonly string[] => {
    const roleName = roleOf(name, 'entry', settled)
    const role: Role | null = roleName === null ? null : ROLES[roleName]
    if (role?.as !== 'choice' || chosen(value, role)?.role.as !== 'route') return []
    return [value].flat().filter((one): one is string => typeof one === 'string')
  })
}

function isName(value: unknown): boolean {
  return typeof value === 'string' && !isSentence(value)
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' && isSentence(value)
}

// The entries of a file are much alike, and a schema takes as long as it is.
const schemas = new Map<string, z.ZodType>()
const MAX_SCHEMAS = 100

function checkValues(document: ReadDocument, fields: readonly Field[]): readonly Issue[] {
  const key = JSON.stringify(fields.map(({ name, role }) => [name, role]))
  const schema =
    schemas.get(key) ?? z.strictObject(Object.fromEntries(fields.map(({ name, role }) => [name, schemaOf(role)])))
  if (schemas.size < MAX_SCHEMAS) schemas.set(key, schema)
  const value = Object.fromEntries(fields.map((field) => [field.name, field.value]))
  return schema.safeParse(value).success ? [] : validate({ ...document, value }, schema).issues
}

/** The fields of one role, in the order of the entry. */
export function fieldsAs<As extends Role['as']>(
  fields: readonly Field[],
  as: As,
): readonly (Field & { readonly role: Extract<Role, { readonly as: As }> })[] {
  return fields.filter(
    (field): field is Field & { readonly role: Extract<Role, { readonly as: As }> } => field.role.as === as,
  )
}

/**
 * The known name of which another one is a slip; `null` where it is none. More words, a denial or a word that grades,
 * such as `checker`, make a name of its own.
 */
export function slipOf(name: string, level: Level): string | null {
  const core = ROWS[level].filter(({ isCore }) => isCore).flatMap(({ names: words }) => words)
  const near = nearestName(name, core)
  if (near === null) return null
  const [ownWords, nearWords] = [wordsOf(name), wordsOf(near)]
  const isSame = ownWords.join('') === nearWords.join('') || ownWords.length === nearWords.length
  const says = (word: RegExp): boolean =>
    ownWords.some((one) => word.test(one)) && !nearWords.some((one) => word.test(one))
  return isSame && !says(DENIES) && !says(/[a-z]er$/) ? near : null
}

function wordsOf(name: string): readonly string[] {
  return normalise(name).split(/[_\s.]+/)
}

/** Whether a name without a role may hold what must be the case, or what must not. Only a proposal. */
export function proposePolarity(name: string): Polarity {
  return wordsOf(name).some((word) => DENIES.test(word)) ? 'must-not' : 'must'
}

/** The role that a name without one may have, by its words and the type of its value. Only a proposal: it decides nothing. */
export function proposeRole(name: string, value: unknown, level: Level): RoleName {
  const words = wordsOf(name)
  const says = (pattern: RegExp): boolean => words.some((word) => pattern.test(word))
  // One word of this kind is the name that different authors use for different things.
  if (level === 'entry' && normalise(name) === 'expects') return 'expect'
  const fits = ({ when, type, at }: Proposal): boolean => (at ?? level) === level && type(value) && when.every(says)
  return PROPOSALS.find(fits)?.role ?? 'ignore'
}

const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const isAmount = (value: unknown): boolean => typeof value === 'number'
const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => isText(value) || Array.isArray(value)
// One word alone may also say what kind of case it is.
const saysDirection = (value: unknown): boolean =>
  typeof value === 'string' && /[\s_-]/.test(value.trim()) && directionOf(value) !== undefined
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.some((one) => typeof one === 'string')
const ASKS: ReadonlySet<string> = new Set(
  ENTRY_ROWS.filter(({ role }) => ['ask', 'turns'].includes(ROLES[role].as)).flatMap(({ names: words }) => words),
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
  { when: [/^positives?$/], type: Array.isArray, role: 'positives', at: 'file' },
  { when: [], type: isEntries, role: 'evals', at: 'file' },
  { when: [], type: saysDirection, role: 'result', at: 'entry' },
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
  { when: [/^(?:background|context)$/], type: isSaid, role: 'prefix', at: 'entry' },
  { when: [/^source$/, /^(?:content|text)$/], type: isSaid, role: 'prefix', at: 'entry' },
]

/** `fields` of an eval-config.json and of the plugin's options. */
export const fieldsSchema: z.ZodType<FieldsOption> = z.record(z.string().min(1), z.enum(ROLE_NAMES))

/** The configurations that may settle names of a suite file: that of its package, and that of its own folder. */
export function fieldConfigs(file: string, root: string): readonly string[] {
  const folders = [join(packageRootOf(file, root), 'evals'), dirname(file)]
  return [...new Set(folders)].map((folder) => join(folder, 'eval-config.json'))
}

/** Roles that an author has settled for a suite file, and what is wrong with them. */
interface Settled {
  readonly settled: SettledFields
  readonly issues: readonly Issue[]
}

/** Reads `fields` of configurations, the nearest last, over those of the plugin's options. */
export function readSettled(configs: readonly string[], option: FieldsOption = {}): Settled {
  const read = configs.map(readFieldsOf)
  const all = [option, ...read.map(({ fields }) => fields)].flatMap((fields) => Object.entries(fields))
  return {
    settled: new Map(all.map(([name, role]) => [normalise(name), role])),
    issues: read.flatMap(({ issues }) => issues),
  }
}

function readFieldsOf(file: string): { readonly fields: FieldsOption; readonly issues: readonly Issue[] } {
  const content = tryReadText(file)
  // Other tools have files of this name too.
  if (content?.includes('"fields"') !== true) return NONE
  const document = readDocument(content, { kind: 'json', file, what: 'configuration' })
  if (document.issues.length === 0 && valueAt(document.value, 'fields') === undefined) return NONE
  const { value, issues } = validate(documentAt(document, ['fields']), fieldsSchema)
  return { fields: value ?? {}, issues }
}

const NONE = { fields: {}, issues: [] }
