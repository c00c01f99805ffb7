import { isJsonObject } from '../../../../json.ts'
import { documentAt, noEffectAt, renamed, type FieldPath, type ReadDocument } from '../../../../documents/document.ts'
import { ENTRY_FIELDS } from '../skill-entry.ts'
import { readFacts, type Fact } from './facts.ts'
import { UNKNOWN } from './unknown-field.ts'
import { activationOf } from './direction-words.ts'
import { SENTENCE_FIELDS } from './sentences.ts'
import * as fields from './skill-fields.ts'
import { snakeCase } from './snake-case.ts'
import { isCheckName } from './check-kinds.ts'
import { promptNameOf } from './prompt-name.ts'
import { writtenInput } from './written-input.ts'
import { routingNameOf } from '../routing/routing-names.ts'
import { isWorded } from './worded-fields.ts'
import { wordingOf } from './worded-names.ts'
import { TIMEOUTS } from '../shared-fields.ts'
import type { Issue } from '../../../../documents/issue.ts'

/** An entry under the names that are read, and what of it is not. */
export interface WrittenEntry {
  readonly document: ReadDocument
  /** What its objects expect under names of the author's own. */
  readonly facts: readonly Fact[]
  readonly issues: readonly Issue[]
}

/**
 * Brings an entry to the names that are read: `mustNot` and `must-not` are `must_not`, `expect_load` is a direction by its
 * words, a list under `expected_output` is one of sentences, and an object under `expect`, `expected` or `validation` holds
 * what an entry holds. Fields that the entry has itself stay as they are; places stay the author's.
 */
export function withReadNames(document: ReadDocument): WrittenEntry {
  const { value } = document
  if (!isJsonObject(value)) return { document, facts: [], issues: [] }
  const input = writtenInput(value)
  if (input === null && Object.entries(value).every(hasReadName)) return { document, facts: [], issues: [] }
  const own = new Map<string, unknown>(Object.entries(value))
  const names = new Map<PropertyKey, FieldPath>()
  const issues: Issue[] = []
  if (input !== null && !own.has(input.name)) {
    own.delete('input')
    own.set(input.name, input.text)
    names.set(input.name, input.path)
    issues.push(...input.unread.map((key) => noEffectAt(document, ['input', key], UNKNOWN)))
  }
  const asked = promptNameOf(value)
  for (const [key, part] of Object.entries(value)) {
    const name = readNameOf(key, part, asked)
    if (name === key || ENTRY_FIELDS.has(key) || !ENTRY_FIELDS.has(name) || own.has(name)) continue
    own.delete(key)
    own.set(name, part)
    names.set(name, [key])
  }
  for (const [key, part] of own) {
    const free = holdsSentences(key, part) ? LISTS_OF_SENTENCES.find((name) => !own.has(name)) : undefined
    if (free === undefined) continue
    own.delete(key)
    own.set(free, part)
    names.set(free, names.get(key) ?? [key])
  }
  const facts: Fact[] = []
  issues.push(...HOLDERS.flatMap((field) => lift(field, { own, names, facts }, document)))
  if (names.size === 0 && own.size === Object.keys(value).length) return { document, facts, issues }
  return { document: renamed(document, Object.fromEntries(own), names), facts, issues }
}

function readNameOf(key: string, part: unknown, asked: string | null): string {
  if (ENTRY_FIELDS.has(key)) return key
  const name = routingNameOf(key, part) ?? (isTimeout(key, part) ? 'timeout' : snakeCase(key))
  return key === asked && !ENTRY_FIELDS.has(name) ? 'prompt' : name
}

function isTimeout(key: string, part: unknown): boolean {
  return (
    typeof part === 'number' && part > 0 && part <= 86_400 && (TIMEOUTS as readonly string[]).includes(snakeCase(key))
  )
}

function hasReadName([key, part]: readonly [string, unknown]): boolean {
  const isHolder = (SENTENCE_FIELDS as readonly string[]).includes(key) && typeof part === 'object'
  return ENTRY_FIELDS.has(key) && !isHolder && !(Array.isArray(part) && DESCRIBING.has(key))
}

// An object under a name that means sentences, such as `deterministic_assertions`, or a list where one text is usual.
function holdsSentences(key: string, part: unknown): boolean {
  if (Array.isArray(part)) return DESCRIBING.has(key)
  if (typeof part !== 'object' || part === null || ENTRY_FIELDS.has(key)) return false
  const isReadable = Object.values(part).some((one) => typeof one === 'string' || Array.isArray(one))
  return isReadable && wordingOf(key)?.label === ''
}

const DESCRIBING: ReadonlySet<string> = new Set(fields.CONTEXT_FIELDS)
const LISTS_OF_SENTENCES = ['checks', 'assertions', 'criteria', 'expectations']

const HOLDERS = [...SENTENCE_FIELDS, 'validation']

interface Lifted {
  readonly own: Map<string, unknown>
  readonly names: Map<PropertyKey, FieldPath>
  readonly facts: Fact[]
}

// What an object under such a name expects, as if the entry itself did.
function lift(field: string, { own, names, facts }: Lifted, document: ReadDocument): readonly Issue[] {
  const held = own.get(field)
  if (!isJsonObject(held)) return []
  own.delete(field)
  const inner = documentAt(document, names.get(field) ?? [field])
  const checks = Object.entries(held).filter(([key]) => isCheckName(key))
  const areChecksRead = checks.length > 0 && !own.has('checks')
  if (areChecksRead) {
    own.set('checks', Object.fromEntries(checks))
    names.set('checks', [field])
  }
  return Object.entries(held).flatMap(([key, part]: readonly [string, unknown]): readonly Issue[] => {
    if (key.startsWith('_') || (isCheckName(key) && areChecksRead)) return []
    const direction = activationOf(key, part)
    if (direction !== null && !own.has('should_trigger')) {
      own.set('should_trigger', direction)
      names.set('should_trigger', [field, key])
      return []
    }
    const meant = HELD_NAMES.get(snakeCase(key)) ?? routingNameOf(key, part) ?? snakeCase(key)
    const free = holdsSentences(meant, part) ? LISTS_OF_SENTENCES.find((one) => !own.has(one)) : undefined
    const name = free ?? meant
    const isRead = HELD_FIELDS.has(name) || isWorded(key, part, false)
    if (isRead && own.has(name)) return [noEffectAt(inner, [key], UNKNOWN)]
    if (!isRead) {
      // An author's own program is no expectation.
      const read = field === 'validation' && PROGRAMS.test(key) ? null : readFacts(key, inner)
      facts.push(...(read?.facts ?? []))
      return read?.issues ?? [noEffectAt(inner, [key], UNKNOWN)]
    }
    own.set(name, part)
    names.set(name, [field, key])
    return []
  })
}

const PROGRAMS = /(?:^|_)(?:cmd|command|grader|method|runner|script|tool|type)s?$/i

// Short names that an object under "expect" uses.
const HELD_NAMES: ReadonlyMap<string, string> = new Map([
  ...['activated', 'activates', 'fires', 'invoked', 'trigger', 'triggered', 'triggers'].map(
    (name) => [name, 'should_trigger'] as const,
  ),
  ...['answer', 'description', 'outcome', 'output', 'response', 'result', 'summary'].map(
    (name) => [name, 'expected_output'] as const,
  ),
  ['behavior', 'expected_behavior'],
  ['behaviors', 'expected_behaviors'],
  ['files', 'expected_files'],
  ['skill', 'expected_skill'],
  ['skills', 'expected_skills'],
])

const HELD_FIELDS: ReadonlySet<string> = new Set([
  ...fields.ELEMENT_FIELDS,
  ...fields.FORBIDDEN_FIELDS,
  ...fields.CONTEXT_FIELDS,
  ...fields.ARTIFACT_FIELDS,
  ...fields.DIRECTION_FIELDS,
  ...fields.ROUTE_FIELDS.filter((name) => name !== 'expect' && name !== 'expected'),
  ...fields.EACH_FIELDS,
  ...fields.ACCEPTED_FIELDS,
  ...fields.PERMITTED_FIELDS,
  ...fields.AVOIDED_FIELDS,
  'must_not_trigger',
])
