import { escapePattern } from '../texts.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether the agent's output holds a text, letter by letter. */
export function checkContains(declared: Declared<'contains'>, run: AgentRun): CheckResult {
  const { kind, value, at } = declared
  if (run.output.includes(value)) return { kind, value, at, outcome: 'passed', message: '' }

  const message = `expected the output to contain ${JSON.stringify(value)} but ${describeMiss(value, run.output)}`
  return { kind, value, at, outcome: 'failed', message, expected: value, actual: shorten(run.output) }
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
export function shorten(output: string, length = 4000): string {
  if (output.length <= length) return output
  const half = length / 2
  return `${output.slice(0, half)}\n[${output.length - length} characters left out]\n${output.slice(-half)}`
}
