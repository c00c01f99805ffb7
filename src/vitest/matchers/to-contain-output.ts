import { toPrintableMessage } from '../../results/printable.ts'
import { AgentEvalsError } from '../../errors.ts'
import { contains } from '../../checks/contains.ts'
import { noteCheck, passes } from './note-check.ts'
import { expectation, requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** Passes when the agent's output holds a text, or matches a regular expression. */
export function toContainOutput(this: MatcherState, received: unknown, expected: string | RegExp): MatcherResult {
  const run = requireRun(received, 'toContainOutput')
  if (expected === '') throw new AgentEvalsError('invalid-options', 'toContainOutput("") passes for every run.')
  // `lastIndex` of a global expression would make the second call differ.
  const pass =
    typeof expected === 'string' ? passes(contains, { value: expected }, run) : run.output.search(expected) !== -1
  return noteCheck(this, received, 'toContainOutput', String(expected), {
    pass,
    message: () =>
      expectation(
        this,
        `contain ${typeof expected === 'string' ? JSON.stringify(expected) : String(expected)} in its output`,
      ),
    actual: toPrintableMessage(run.output),
    expected: String(expected),
  })
}
