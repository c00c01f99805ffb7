import { escapePattern } from '../lib/text.ts'
import type { CheckKind, TextFields } from './check.ts'
import { listOf, type Zod, type ZodType } from './schemas.ts'

/** Whether the agent's output holds a text, letter by letter. */
export const contains: CheckKind<TextFields> = {
  schema: (zod) => texts(zod).describe('Texts that the output must contain.'),
  run({ value }, { run: { output } }) {
    if (output.includes(value)) return { outcome: 'passed' }
    const message = `expected the output to contain ${JSON.stringify(value)} but ${describeMiss(value, output)}`
    return { outcome: 'failed', message, expected: value, actual: keepEnds(output) }
  },
  describe: ({ value }) => `The output contains ${JSON.stringify(value)}.`,
  needsOutput: true,
}

/** Looks that a text is not in the agent's output. */
export const notContains: CheckKind<TextFields> = {
  schema: (zod) => texts(zod).describe('Texts that the output must not contain.'),
  run({ value }, { run: { output } }) {
    const index = output.indexOf(value)
    if (index === -1) return { outcome: 'passed' }
    const line = output.slice(0, index).split('\n').length
    const message = `expected the output not to contain ${JSON.stringify(value)} but it does, at line ${line}`
    return { outcome: 'failed', message, expected: `no ${value}`, actual: around(output, index, value) }
  },
  describe: ({ value }) => `The output does not contain ${JSON.stringify(value)}.`,
}

function texts(zod: Zod): ZodType<readonly TextFields[]> {
  return listOf(zod, zod.string().min(1, 'must not be empty: every output contains it'))
}

/** Says what there is instead of a text that was not found. */
export function describeMiss(value: string, output: string): string {
  if (output.trim() === '') return 'there is no output'
  const other = findInOtherForm(value, output)
  return other === null ? 'it does not' : `it contains only ${JSON.stringify(other)}`
}

// Letter case and white space are the usual reasons why a text that a person sees is not found.
function findInOtherForm(value: string, output: string): string | null {
  const words = value.trim().split(/\s+/)
  if (words[0] === '' || words.length > 100 || value.length > 1000) return null
  const pattern = words.map(escapePattern).join(String.raw`\s{1,20}`)
  return new RegExp(pattern, 'iu').exec(output.slice(0, 1_000_000))?.[0] ?? null
}

/** Cuts a text for a diff, keeping start and end. */
export function keepEnds(output: string, length = 4000): string {
  if (output.length <= length) return output
  const half = length / 2
  return `${output.slice(0, half)}\n[${output.length - length} characters left out]\n${output.slice(-half)}`
}

function around(text: string, index: number, value: string): string {
  const start = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - 200)
  const afterValue = index + value.length
  const lineEnd = text.indexOf('\n', afterValue)
  return text.slice(start, Math.min(lineEnd === -1 ? text.length : lineEnd, afterValue + 200))
}
