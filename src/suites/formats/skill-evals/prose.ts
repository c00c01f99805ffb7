import { isJsonObject } from '../../../json.ts'
import { fieldAt, renamed, valueAt, warningAt, type ReadDocument } from '../../../documents/document.ts'
import { isSentence } from './fields/sentences.ts'
import { snakeCase } from './fields/snake-case.ts'
import { CONTEXT_FIELDS, ELEMENT_FIELDS, FORBIDDEN_FIELDS, PROMPT_FIELDS } from './fields/skill-fields.ts'
import { wordingOf, wordsOf } from './fields/worded-names.ts'
import { hasTurns } from './turns.ts'
import type { Issue } from '../../../documents/issue.ts'

/** Texts of an entry that its prompt needs, or that are its prompt. */
export interface Prose {
  /** The entry with its prompt. */
  readonly document: ReadDocument
  /** Fields that are read. */
  readonly fields: ReadonlySet<string>
  /** Put before the prompt. */
  readonly before: readonly string[]
  /** Put below the prompt. */
  readonly below: readonly string[]
  readonly issues: readonly Issue[]
}

/** Reads the situation that an entry describes, the texts of its fixture, and the command that its prompt begins with. */
export function readProse(document: ReadDocument): Prose {
  const prompt = promptOf(document.value)
  if (prompt === null) return readScenario(document)
  const { value } = document
  const invoked = textsOf(INVOCATIONS, (field) => commandOf(valueAt(value, field)))
  const needed = textsOf(MATERIALS, (field) => textOf(field, valueAt(value, field)))
  const isNew = ({ text }: Needed): boolean => !prompt.includes(text)
  return {
    document,
    fields: new Set([...invoked, ...needed].map(({ field }) => field)),
    before: invoked.filter(isNew).map(({ text }) => text),
    below: needed.filter(isNew).map(({ text }) => text),
    issues: [],
  }
}

interface Needed {
  readonly field: string
  readonly text: string
}

function textsOf(fields: readonly string[], read: (field: string) => string | null): readonly Needed[] {
  return fields.flatMap((field) => {
    const text = read(field)
    return text === null ? [] : [{ field, text }]
  })
}

/** The field that is the prompt of an entry without one: the only text in it that nothing expects or explains. */
export function scenarioOf(value: unknown): string | null {
  if (!isJsonObject(value) || hasTurns(value)) return null
  if (PROMPT_FIELDS.some((field) => valueAt(value, field) !== undefined)) return null
  const texts = Object.entries(value).filter(
    ([key, text]: readonly [string, unknown]) =>
      typeof text === 'string' && isSentence(text) && !explains(key) && !expects(key),
  )
  const [field = ''] = texts[0] ?? []
  return texts.length === 1 && SCENARIOS.has(field) ? field : null
}

function readScenario(document: ReadDocument): Prose {
  const none: Prose = { document, fields: new Set(), before: [], below: [], issues: [] }
  const field = scenarioOf(document.value)
  if (field === null) return none
  const [prompt] = PROMPT_FIELDS
  const { [field]: text, ...others } = document.value as Readonly<Record<string, unknown>>
  const message = `missing; ${JSON.stringify(field)} is sent as the prompt, since nothing else of the entry can be it`
  const issue = { ...warningAt(document, [field], 'missing-field', message), noEffect: true as const }
  return {
    ...none,
    document: renamed(document, { ...others, [prompt]: text }, new Map([[prompt, [field]]])),
    issues: [{ ...issue, field: fieldAt(document, [prompt]) }],
  }
}

const SCENARIOS: ReadonlySet<string> = new Set(['scenario', 'situation', 'context'])
const INVOCATIONS = ['invocation', 'slash_command'] as const
const MATERIALS = ['context', 'session_context', 'situation', 'background', 'fixture', 'fixtures'] as const

const EXPLAINING: ReadonlySet<string> = new Set([
  'comment',
  'description',
  'goal',
  'intent',
  'name',
  'note',
  'notes',
  'purpose',
  'rationale',
  'reason',
  'title',
  'why',
])

function explains(key: string): boolean {
  return key.startsWith('_') || wordsOf(key).some((word) => EXPLAINING.has(word))
}

function expects(key: string): boolean {
  return EXPECTING.has(snakeCase(key)) || wordingOf(key) !== null
}

const EXPECTING: ReadonlySet<string> = new Set([...ELEMENT_FIELDS, ...FORBIDDEN_FIELDS, ...CONTEXT_FIELDS])

function promptOf(value: unknown): string | null {
  const prompt = PROMPT_FIELDS.map((field) => valueAt(value, field)).find((text) => typeof text === 'string')
  return prompt ?? null
}

// A command by its name; "implicit" and "direct" say how a skill is found.
function commandOf(value: unknown): string | null {
  return typeof value === 'string' && /^[$/][\w:-]+$/.test(value.trim()) ? value.trim() : null
}

// A label, a name of a folder or a path is no text for the agent, and a single text by the name of a fixture describes it.
function textOf(field: string, value: unknown): string | null {
  const isFixture = field.startsWith('fixture')
  if (typeof value === 'string')
    return isSentence(value) && !isFixture && !ABOUT_CASE.test(value.trim()) ? value.trim() : null
  if (typeof value !== 'object' || value === null || (isFixture && Array.isArray(value))) return null
  const parts = Object.entries(value as Readonly<Record<string, unknown>>)
  const areTexts = parts.every(([key, text]) => typeof text === 'string' && text.trim() !== '' && !PLACE.test(key))
  if (!areTexts || !parts.some(([, text]) => isSentence(String(text)))) return null
  if (Array.isArray(value)) return parts.map(([, text]) => String(text).trim()).join('\n')
  return parts.map(([key, text]) => `${wordsOf(key).join(' ')}: ${String(text).trim()}`).join('\n\n')
}

// It explains the case to a person.
const ABOUT_CASE = /^(?:checks?|ensures?|expects?|must|should|tests?|verif(?:y|ies))\b/i

const PLACE = /^(?:branch|description|dir|directory|file|folder|id|path|repo|repository|url)$/i
