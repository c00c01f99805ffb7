import { singleSpaced } from '../../../../texts.ts'
import { isJsonObject } from '../../../../json.ts'
import { documentAt, noEffectAt, type ReadDocument } from '../../../../documents/document.ts'
import { isSentence } from './sentences.ts'
import { EMPTY, UNKNOWN } from './unknown-field.ts'
import { wordsOf } from './worded-names.ts'
import type { Issue } from '../../../../documents/issue.ts'
import type { Statement } from '../../../suite.ts'

/** What an author expects by a name of their own and a value: `maximum_questions: 2`, `asks_before_writing: true`. */
export interface Fact {
  readonly statements: readonly Statement[]
  /** Whether it is a single word, which beside a route may be about the skill: `mode: quick`. */
  readonly isVague: boolean
  /** The remark where it does not count. */
  readonly unread: Issue
}

/** The facts of a field, and remarks on what of it is none. */
export interface ReadFacts {
  readonly facts: readonly Fact[]
  readonly issues: readonly Issue[]
}

/** Reads a field of an object that holds expectations, under a name that no list has; `document` is the object. */
export function readFacts(name: string, document: ReadDocument, above: readonly string[] = []): ReadFacts {
  const inner = documentAt(document, [name])
  const { value } = inner
  const words = [...above, ...wordsOf(name)]
  if (isJsonObject(value) && above.length < MAX_WORDS) {
    const read = Object.keys(value).map((key) => readFacts(key, inner, words))
    return { facts: read.flatMap(({ facts }) => facts), issues: read.flatMap(({ issues }) => issues) }
  }
  const unread = noEffectAt(document, [name], isEmpty(value) ? EMPTY : UNKNOWN)
  const texts = isSetting(wordsOf(name), value) ? [] : textsOf(words.join(' '), value)
  if (texts.length === 0) return { facts: [], issues: [unread] }
  const statements = texts.map((text, index) => {
    const at = inner.positionOf(texts.length === 1 ? [] : [index])
    return { text: singleSpaced(text), at, worded: true as const }
  })
  const isVague = [value].flat().every((one) => typeof one === 'string' && !isSentence(one))
  return { facts: [{ statements, isVague, unread }], issues: [] }
}

/** The facts that count: beside a route alone a single word does not. */
export function countedFacts(facts: readonly Fact[], isOnlyRouted: boolean): ReadFacts {
  const isAbout = isOnlyRouted && facts.every(({ isVague }) => isVague)
  return isAbout ? { facts: [], issues: facts.map(({ unread }) => unread) } : { facts, issues: [] }
}

const MAX_WORDS = 12

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

function textsOf(words: string, value: unknown): readonly string[] {
  if (typeof value === 'boolean') return [sayFact(words, value)]
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (!list.every((one) => typeof one === 'number' || (typeof one === 'string' && one.trim() !== ''))) return []
  // Sentences hold each by itself; of words the name says whether all or one of them.
  if (list.every((one) => isSentence(String(one))) && !/ (?:any|one)(?: of)?$/.test(words))
    return list.map((one) => sayFact(words, String(one)))
  return list.length === 0 ? [] : [sayFact(words, list.join(', '))]
}

/** The words of a name and its value as a sentence. */
export function sayFact(words: string, value: boolean | number | string): string {
  if (typeof value === 'boolean') return value ? words : `not: ${words}`
  return `${words}: ${value}`
}

/** Whether a field of these words says how a case is run, graded, sorted or explained, and nothing of its result. */
export function isSetting(words: readonly string[], value: unknown): boolean {
  const isFlag = typeof value === 'boolean'
  if (isFlag && words.some((word) => DEMANDS.has(word))) return false
  return words.some(
    (word) =>
      SETTINGS.has(word) || SETTINGS.has(word.replace(/s$/, '')) || (isFlag ? FLAGS.has(word) : /^ids?$/.test(word)),
  )
}

const DEMANDS: ReadonlySet<string> = new Set(['allowed', 'must', 'should'])

// One word of this list covers its plural.
const SETTINGS: ReadonlySet<string> = new Set([
  'author',
  'because',
  'budget',
  'comment',
  'confidence',
  'cost',
  'created',
  'duration',
  'latency',
  'model',
  'ms',
  'note',
  'owner',
  'point',
  'priority',
  'priorities',
  'probability',
  'rank',
  'rate',
  'rationale',
  'reason',
  'retries',
  'retry',
  'run',
  'sample',
  'score',
  'second',
  'seed',
  'tag',
  'temperature',
  'threshold',
  'time',
  'timeout',
  'token',
  'tolerance',
  'turn',
  'updated',
  'version',
  'weight',
  'why',
])

// As flags they say how something else is compared, or that it is off.
const FLAGS: ReadonlySet<string> = new Set([
  'case',
  'disabled',
  'enabled',
  'exact',
  'ignore',
  'insensitive',
  'ordered',
  'regex',
  'sensitive',
  'skip',
  'skipped',
  'strict',
])
