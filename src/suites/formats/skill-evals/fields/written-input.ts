import { valueAt, type FieldPath } from '../../../../documents/document.ts'
import { isSentence } from './sentences.ts'
import { promptNameOf } from './prompt-name.ts'
import { wordsOf } from './worded-names.ts'

/** What an entry has under `input` as an object or beside its prompt. */
export interface WrittenInput {
  /** The field that it is read as. */
  readonly name: 'input_text' | 'prompt'
  readonly text: string
  readonly path: FieldPath
  /** Parts of it that are not sent. */
  readonly unread: readonly string[]
}

/**
 * Reads `input` where it is more than a prompt: an object that holds the prompt or the texts of it, and a text beside an
 * instruction, which speaks of it. `null` where it is the prompt itself, a path, or nothing that can be sent.
 */
export function writtenInput(entry: object): WrittenInput | null {
  const input = valueAt(entry, 'input')
  const { input: _, ...others } = entry as Readonly<Record<string, unknown>>
  const asked = promptNameOf(others)
  const prompt = asked === null ? null : String(others[asked])
  if (typeof input === 'string') {
    const isMaterial = prompt !== null && isSentence(prompt) && isSentence(input) && !prompt.includes(input.trim())
    return isMaterial ? { name: 'input_text', text: input, path: ['input'], unread: [] } : null
  }
  if (typeof input !== 'object' || input === null) return null
  const inner = prompt === null && !Array.isArray(input) ? promptNameOf(input) : null
  if (inner !== null) {
    const unread = Object.keys(input).filter((key) => key !== inner && !key.startsWith('_'))
    return { name: 'prompt', text: String(valueAt(input, inner)), path: ['input', inner], unread }
  }
  const text = textOf(input)
  return text === null ? null : { name: prompt === null ? 'prompt' : 'input_text', text, path: ['input'], unread: [] }
}

// Texts by name, or a list of them; what holds anything else is no text.
function textOf(input: object): string | null {
  const parts = Object.entries(input)
  const areTexts = parts.every(
    ([, part]: readonly [string, unknown]) =>
      isText(part) || (Array.isArray(part) && part.length > 0 && part.every(isText)),
  )
  if (!areTexts || !parts.some(([, part]) => [part].flat().some((one) => isSentence(String(one))))) return null
  const texts = parts.map(([, part]) => [part].flat().join('\n'))
  if (Array.isArray(input)) return texts.join('\n')
  return parts.map(([key], index) => `${wordsOf(key).join(' ')}: ${texts[index] ?? ''}`).join('\n\n')
}

function isText(part: unknown): boolean {
  return typeof part === 'string' && part.trim() !== ''
}
