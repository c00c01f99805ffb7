import { dirname, join } from 'node:path'
import { z } from 'zod'
import { pathSchema } from '../../checks/schemas.ts'
import {
  DANGEROUS_NAMES,
  documentAt,
  errorAt,
  isError,
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
  DIRECTION_WORDS,
  NOTHING_SETTLED,
  ROLES,
  ROLE_NAMES,
  ROWS,
  normalise,
  roleOf,
  type FieldsOption,
  type Level,
  type Role,
  type SettledFields,
} from './vocabulary.ts'

/** A field as its author wrote it, and what its name says. */
export interface Field<Of extends Role = Role> {
  readonly name: string
  readonly role: Of
  /** Of the type that its role asks for. */
  readonly value: unknown
}

/**
 * The fields of an entry, or of a file beside its entries. Each step of the reading takes what it needs; a name that no
 * step took has no effect.
 */
export interface Fields {
  readonly document: ReadDocument
  readonly level: Level
  readonly settled: SettledFields
  /** Those that can be taken, in the order of the file. */
  readonly all: readonly Field[]
  /** Names that were taken, or that say nothing to anybody. */
  readonly taken: Set<PropertyKey>
  /** What is wrong with them; each step adds what it finds. */
  readonly issues: Issue[]
}

type RoleAs<As extends Role['as']> = Extract<Role, { readonly as: As }>

/** The fields of one role, or those of them that are meant, without taking them. */
export function fieldsAs<As extends Role['as']>(
  { all }: Pick<Fields, 'all'>,
  as: As,
  isMeant: (role: RoleAs<As>) => boolean = () => true,
): readonly Field<RoleAs<As>>[] {
  return all.filter((field): field is Field<RoleAs<As>> => field.role.as === as && isMeant(field.role as RoleAs<As>))
}

/** Takes all fields of a role, or those of them that are meant. */
export function take<As extends Role['as']>(
  fields: Fields,
  as: As,
  isMeant?: (role: RoleAs<As>) => boolean,
): readonly Field<RoleAs<As>>[] {
  const found = fieldsAs(fields, as, isMeant)
  for (const { name } of found) fields.taken.add(name)
  return found
}

/** Takes the first field of a role, and others that say the same. */
export function takeFirst<As extends Role['as']>(
  fields: Fields,
  as: As,
  isMeant?: (role: RoleAs<As>) => boolean,
): Field<RoleAs<As>> | null {
  const found = fieldsAs(fields, as, isMeant)
  const [first = null] = found
  for (const { name, value } of found) if (value === first?.value) fields.taken.add(name)
  return first
}

/** One note for each name that no step took. */
export function noteUntaken({ document, level, settled, taken }: Fields): readonly Issue[] {
  return Object.keys(document.value ?? {}).flatMap((name): readonly Issue[] => {
    if (taken.has(name)) return []
    const role = roleOf(name, level, settled)
    // A name that is known by its value has a role for some values only.
    const needsRole = role === null || (role.as === 'choice' && !settled.has(normalise(name)))
    return [needsRole ? unknownField(document, name) : noEffectAt(document, [name], 'has no effect')]
  })
}

/** The note on a name that neither the table nor the author gives a role. */
export function unknownField(document: ReadDocument, name: string): Issue {
  return noEffectAt(document, [name], 'has no effect; give it a role in "fields"')
}

// Editors read `meta`, which says in JSON what a refinement does.
const text = z
  .string()
  .max(1024 * 1024)
  .meta({ id: 'text' })
/** The prompt of an agent. */
export const promptSchema = processText(text).meta({ id: 'prompt', pattern: String.raw`\S` })
/** An expectation that is an object. */
export const elementSchema = z.record(z.string(), z.unknown()).meta({ id: 'check' })
const id = z
  .union([
    z
      .string()
      .max(300)
      .meta({ pattern: String.raw`^[^\u0000-\u001F\u007F]*\S[^\u0000-\u001F\u007F]*$` }),
    z.int(),
  ])
  .refine((value) => String(value).trim() !== '', 'must not be empty: it names the case in reports')
  // oxlint-disable-next-line no-control-regex
  .refine((value) => !/[\u0000-\u001F\u007F]/.test(String(value)), 'must not contain a control character')
const safePath = pathSchema(z)
const expectation = text
  .refine((value) => value.trim() !== '', 'must not be empty: it would always hold')
  .meta({ pattern: String.raw`\S` })
const names = z.union([z.string().min(1), z.array(z.string().min(1))]).meta({ id: 'names' })

const VALUES = {
  ask: promptSchema,
  prefix: text,
  files: z
    .union([z.array(z.union([safePath, z.strictObject({ path: safePath, content: text })])), z.record(safePath, text)])
    .meta({ id: 'files' }),
  expect: z.union([text, z.array(z.union([expectation, elementSchema])), elementSchema]).meta({ id: 'elements' }),
  context: z.union([text, z.array(text), z.record(z.string(), z.unknown())]),
  direction: z.boolean(),
  route: z.union([names, z.literal(''), z.null()]),
  subject: names,
  skip: z.union([z.boolean(), z.string()]),
  list: z.array(z.unknown()),
  choice: z.unknown(),
  ignore: z.unknown(),
} as const
const LABELS = { id, tags: names, title: z.string(), description: z.string(), category: z.string() } as const
const SETTINGS = {
  threshold: z.number().gt(0).max(1),
  runs: z.number().int().min(1).max(100),
  timeout: z.number().positive().max(86_400),
} as const

/** What the value of a role may be. */
export function schemaOf(role: Role): z.ZodType {
  if (role.as === 'label') return LABELS[role.of]
  return role.as === 'setting' ? SETTINGS[role.of] : VALUES[role.as]
}

/** Reads the fields of an object by their names. `lists`: names of a file that hold its entries. */
export function openFields(
  document: ReadDocument,
  level: Level,
  settled: SettledFields,
  lists: ReadonlySet<PropertyKey> = new Set(),
): Fields {
  const { value } = document
  const [taken, issues] = [new Set(lists), [] as Issue[]]
  if (!isJsonObject(value)) {
    const message = `expected an object with a prompt, got ${describeValue(value)}`
    return { document, level, settled, all: [], taken, issues: [errorAt(document, [], 'wrong-type', message)] }
  }
  const written = Object.entries(value).filter(([name]) => !lists.has(name))
  const hasPrompt = written.some(([name]) => roleOf(name, level, settled)?.as === 'ask')
  const all = written.flatMap(([name, content]: readonly [string, unknown]): readonly Field[] => {
    const isDangerous = DANGEROUS_NAMES.has(name)
    const role = isDangerous ? null : roleOf(name, level, settled)
    if (role === null) {
      const near = slipOf(name, level, content)
      const as = near === null ? null : roleOf(near, level, NOTHING_SETTLED)?.as
      // What was said under its proper name is not misspelt here.
      const isKnown =
        (as === 'ask' && hasPrompt) || (as === 'list' && lists.size > 0) || valueAt(value, near ?? '') !== undefined
      const advice = isDangerous ? 'Remove it.' : `Did you mean ${JSON.stringify(near)}?`
      if (isDangerous || (near !== null && !isKnown)) {
        const issue = errorAt(document, [name], 'unknown-field', `unknown field. ${advice}`)
        issues.push({ ...issue, ...document.keyPositionOf([name]) })
        taken.add(name)
      } else if (/^[$_]/.test(name)) taken.add(name)
      return []
    }
    const field = fieldOf(name, role, content)
    if (field === 'nothing') taken.add(name)
    if (field === 'nothing' || field === 'unfit') return []
    const schema = schemaOf(field.role)
    const isFit = schema.safeParse(field.value).success
    const mistakes = isFit ? [] : validate({ ...documentAt(document, [name]), value: field.value }, schema).issues
    issues.push(...mistakes)
    if (!mistakes.some(isError)) return [field]
    taken.add(name)
    return []
  })
  return { document, level, settled, all, taken, issues }
}

// `nothing`: it needs nobody who reads it. `unfit`: some keep something else under this name, which has no effect.
function fieldOf(name: string, role: Role, value: unknown): Field | 'nothing' | 'unfit' {
  if (role.as === 'ignore') return 'nothing'
  if (role.as === 'choice') {
    const meaning = chosen(value, role)
    return meaning === null ? (value === null ? 'nothing' : 'unfit') : { name, ...meaning }
  }
  // Only a route has a meaning for it: no skill.
  if (value === null && role.as !== 'route') return 'nothing'
  const isLabel = role.as === 'label' && role.of !== 'id' && !schemaOf(role).safeParse(value).success
  // Under the name of a number of runs, some keep what came out of them.
  return isLabel || (role.as === 'setting' && typeof value === 'object') ? 'unfit' : { name, role, value }
}

type Choice = Extract<Role, { readonly as: 'choice' }>

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

function isName(value: unknown): boolean {
  return typeof value === 'string' && !isSentence(value)
}

function isSaid(value: unknown): boolean {
  return typeof value === 'string' && isSentence(value)
}

/**
 * The known name that another one misspells; `null` where it is a name of its own: with more words, a denial, a word that
 * grades such as `checker`, or a list under the name of what is none.
 */
function slipOf(name: string, level: Level, value: unknown): string | null {
  const core = ROWS[level].filter(({ isCore }) => isCore).flatMap((row) => row.names)
  const near = nearestName(name, core)
  if (near === null) return null
  const [ownWords, nearWords] = [wordsOf(name), wordsOf(near)]
  const isSame = ownWords.join('') === nearWords.join('') || ownWords.length === nearWords.length
  const says = (word: RegExp): boolean =>
    ownWords.some((one) => word.test(one)) && !nearWords.some((one) => word.test(one))
  const isOne = SINGLE.has(roleOf(near, level, NOTHING_SETTLED)?.as)
  const mayMean = !isOne || typeof value !== 'object' || value === null
  return isSame && mayMean && !says(DENIES) && !says(/[a-z]er$/) ? near : null
}

const SINGLE: ReadonlySet<Role['as'] | undefined> = new Set(['ask', 'direction', 'label', 'prefix', 'setting', 'skip'])

function wordsOf(name: string): readonly string[] {
  return normalise(name).split(/[_\s.]+/)
}

const DENIES =
  /^(?:not?|never|without|avoid(?:s|ed)?|anti|negative|fail(?:s|ed|ure|ures)?|exclu(?:ded?|sions?)|forbid(?:den)?|prohibited|unexpected|unacceptable|banned|disallowed|veto(?:es)?|red|reject(?:s|ed)?)$/

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
