import { isSentence } from './sentences.ts'
import { snakeCase } from './snake-case.ts'
import { PROMPT_FIELDS } from './skill-fields.ts'
import { wordsOf } from './worded-names.ts'

/** The field of an entry that is its prompt, as the author wrote it; `null` where there is none, or more than one. */
export function promptNameOf(entry: object): string | null {
  const texts = Object.entries(entry).filter(([, value]: readonly [string, unknown]) => typeof value === 'string')
  const known = texts.find(([name]) => KNOWN.has(snakeCase(name)))
  if (known !== undefined) return known[0]
  const [first, ...others] = texts.filter(([name, value]: readonly [string, unknown]) => isPrompt(name, String(value)))
  return first === undefined || others.length > 0 ? null : first[0]
}

const KNOWN: ReadonlySet<string> = new Set(PROMPT_FIELDS)

// `pressurePrompt`, `test_query`, and what a user says.
function isPrompt(name: string, value: string): boolean {
  const words = wordsOf(name)
  const [first = ''] = words
  if (name.startsWith('_') || !isSentence(value) || words.some((word) => OF_OTHERS.has(word))) return false
  return words.length === 1 ? SPEAKERS.has(first) : ASKING.has(words.at(-1) ?? '')
}

const SPEAKERS: ReadonlySet<string> = new Set(['ask', 'phrase', 'user'])
const ASKING: ReadonlySet<string> = new Set(['message', 'prompt', 'query', 'question', 'request', 'utterance'])

// Of another model, of another arm, of what comes next or of what comes out.
const OF_OTHERS: ReadonlySet<string> = new Set([
  'assistant',
  'bad',
  'baseline',
  'commit',
  'error',
  'expected',
  'final',
  'follow',
  'followup',
  'generated',
  'good',
  'grader',
  'grading',
  'image',
  'improved',
  'judge',
  'merge',
  'must',
  'negative',
  'next',
  'optimized',
  'pull',
  'reference',
  'required',
  'search',
  'should',
  'sql',
  'system',
])
