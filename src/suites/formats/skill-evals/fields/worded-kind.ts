import { singleSpaced } from '../../../../texts.ts'
import { isJsonObject } from '../../../../json.ts'
import { valueAt } from '../../../../documents/document.ts'
import { fieldOf, TEXT_FIELDS } from './element-fields.ts'
import { isSetting, sayFact } from './facts.ts'
import { wordsOf } from './worded-names.ts'

/** What an element says by a kind that is no check, in a sentence, and the fields that hold it. */
export interface WordedKind {
  readonly text: string
  readonly fields: readonly string[]
}

type Fields = Readonly<Record<string, unknown>>

/** Reads an element about the use of a skill: `{ "type": "expected_skill", "value": "review" }`. */
export function sayUse(kind: string, element: Fields): WordedKind | null {
  const [, denial = '', , deed = ''] = USE.exec(kind) ?? []
  const field = ['skill', 'skill_name', 'value', 'name'].find((name) => isName(valueAt(element, name)))
  if (field === undefined || deed === '') return null
  const isUsed = denial === '' && !/^(?:avoid|forbid|unexpect)|-not-/.test(kind)
  return { text: `The skill "${String(valueAt(element, field))}" is ${isUsed ? '' : 'not '}used.`, fields: [field] }
}

const USE =
  /^(not-|no-|never-)?((?:avoided|expected|forbidden|required|unexpected)-)?(skill(?:-(?:is-)?(?:not-)?(?:activated|called|fired|invoked|loaded|triggered|used))?)$/

function isName(value: unknown): boolean {
  return typeof value === 'string' && /^[\w:-]+$/.test(value)
}

/**
 * Reads an element about a tool: `{ "type": "tool_use", "tool": "Bash", "pattern": "semgrep" }`. Without a pattern it is
 * a sentence that a check decides.
 */
export function sayTool(kind: string, element: Fields): WordedKind | null {
  const [, denial = '', inner = ''] = TOOL.exec(kind) ?? []
  const field = ['tool', 'tool_name', 'name', 'value'].find((name) => isName(valueAt(element, name)))
  if (!TOOL.test(kind) || field === undefined || fieldOf(element, TEXT_FIELDS.slice(0, -1)) !== null) return null
  const pattern = fieldOf(element, ['pattern', 'args_pattern', 'input_pattern'])
  const deed = `The ${String(valueAt(element, field))} tool is ${denial + inner === '' ? '' : 'not '}called`
  if (pattern === null) return { text: deed, fields: [field] }
  return { text: `${deed} with an input that matches ${quote(pattern.value)}`, fields: [field, pattern.field] }
}

const TOOL = /^(not-|no-|never-)?(?:expected-|required-)?tools?-(?:is-)?(not-)?(?:call|called|invoked|usage|use|used)$/

/** Reads an element whose `check` is the name of a comparison: `{ "check": "tool_invocation_matches", "pattern": "bun" }`. */
export function sayPattern(element: Fields): WordedKind | null {
  const check = valueAt(element, 'check')
  const pattern = fieldOf(element, ['pattern', 'value'])
  if (typeof check !== 'string' || !/^[a-z]+(?:[-_][a-z]+)+$/.test(check) || pattern === null) return null
  return { text: `${wordsOf(check).join(' ')}: ${quote(pattern.value)}`, fields: ['check', pattern.field] }
}

/** Reads a criterion with levels, by the one that has to be reached: `{ "criterion": "Tone", "threshold": 8, "rubric": { "8": "Kind" } }`. */
export function sayLevel(element: Fields): WordedKind | null {
  const rubric = valueAt(element, 'rubric')
  const threshold = valueAt(element, 'threshold')
  const criterion = fieldOf(element, ['criterion', 'criteria', 'name'])
  if (!isJsonObject(rubric) || typeof threshold !== 'number' || criterion === null) return null
  const levels = Object.keys(rubric).map(Number)
  const reached = levels.filter((level) => level >= threshold)
  const level = fieldOf(rubric, [String(Math.min(...reached))])
  if (!levels.every(Number.isFinite) || level === null) return null
  return { text: `${criterion.value}: ${level.value}`, fields: [criterion.field, 'rubric', 'threshold'] }
}

function quote(text: string): string {
  return JSON.stringify(text)
}

/** Reads an element that has nothing but a kind and a value: `{ "type": "requires_approval", "value": true }`. */
export function sayValue(kind: string, element: Fields): WordedKind | null {
  const [field, ...others] = Object.keys(element).filter((key) => !NAMING.has(key) && !key.startsWith('_'))
  const value = field === undefined ? undefined : valueAt(element, field)
  const words = wordsOf(kind)
  if (field === undefined || others.length > 0 || !VALUES.has(field) || words.length === 0) return null
  if (isSetting(words, value) || words.some((word) => PROGRAMS.has(word))) return null
  if (typeof value !== 'boolean' && typeof value !== 'number' && typeof value !== 'string') return null
  return String(value).trim() === '' ? null : { text: singleSpaced(sayFact(words.join(' '), value)), fields: [field] }
}

const NAMING: ReadonlySet<string> = new Set(['id', 'kind', 'type'])
const VALUES: ReadonlySet<string> = new Set(['expected', 'substring', 'value'])

// What another program runs, or a format that it compares by.
const PROGRAMS: ReadonlySet<string> = new Set([
  'bash',
  'cmd',
  'code',
  'command',
  'exec',
  'exit',
  'javascript',
  'js',
  'levenshtein',
  'perplexity',
  'python',
  'rouge',
  'script',
  'shell',
  'similar',
  'webhook',
])
