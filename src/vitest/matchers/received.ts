import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject } from '../../lib/json.ts'
import { toPrintableLine } from '../../lib/text.ts'
import type { AgentRun } from '../../transcript/transcript.ts'

/** What a matcher returns to Vitest. */
export interface MatcherResult {
  readonly pass: boolean
  readonly message: () => string
  readonly actual?: unknown
  readonly expected?: unknown
}

/** The part of Vitest's matcher state that ours use. */
export interface MatcherState {
  readonly isNot?: boolean
  readonly equals: (a: unknown, b: unknown, testers?: never[], strict?: boolean) => boolean
}

/**
 * Makes sure that a matcher looks at a finished agent run.
 *
 * It throws rather than returning `pass: false`: an error turned round by `.not` would be a pass.
 *
 * @throws {AgentEvalsError} `invalid-options` when `received` is no agent run, its own reason when the run did not complete.
 */
export function requireRun(received: unknown, matcher: string): AgentRun {
  if (!isAgentRun(received)) {
    throw new AgentEvalsError(
      'invalid-options',
      `${matcher}() expected an agent run, the result of \`await agent.run(...)\`, but received ${describe(received)}.`,
    )
  }
  if (received.status !== 'completed') {
    const problem = received.problem === null ? '' : `: ${received.problem}`
    throw new AgentEvalsError(
      received.problemCode ?? 'engine-failed',
      `${matcher}() needs a completed run, but this one is ${received.status}${problem}`,
    )
  }
  return received
}

/** Wording of a matcher's failure: `expected the run [not ]to …`. */
export function expectation(state: MatcherState, what: string): string {
  return `expected the run ${state.isNot === true ? 'not ' : ''}to ${what}`
}

/** A list for the end of a message, `(none)` when empty. */
export function listed(title: string, items: readonly string[]): string {
  const lines = items.length === 0 ? ['  (none)'] : items.map((item) => `  ${toPrintableLine(item)}`)
  return `\n\n${title}:\n${lines.join('\n')}`
}

function isAgentRun(value: unknown): value is AgentRun {
  return (
    isJsonObject(value) &&
    typeof value['output'] === 'string' &&
    typeof value['status'] === 'string' &&
    Array.isArray(value['transcript']) &&
    isJsonObject(value['files'])
  )
}

function describe(value: unknown): string {
  if (value instanceof Promise) return 'a promise: await the run first'
  if (value === null || value === undefined) return String(value)
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`
}
