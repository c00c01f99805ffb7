import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether a text stays out of the agent's output. */
export function checkNotContains(declared: Declared<'not-contains'>, run: AgentRun): CheckResult {
  const { kind, value, at } = declared
  const index = run.output.indexOf(value)
  if (index === -1) return { kind, value, at, outcome: 'passed', message: '' }

  const message = `expected the output not to contain ${JSON.stringify(value)} but it does, at line ${lineOf(run.output, index)}`
  return {
    kind,
    value,
    at,
    outcome: 'failed',
    message,
    expected: `no ${value}`,
    actual: around(run.output, index, value),
  }
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split('\n').length
}

function around(text: string, index: number, value: string): string {
  const start = Math.max(text.lastIndexOf('\n', index - 1) + 1, index - 200)
  const afterValue = index + value.length
  const lineEnd = text.indexOf('\n', afterValue)
  return text.slice(start, Math.min(lineEnd === -1 ? text.length : lineEnd, afterValue + 200))
}
