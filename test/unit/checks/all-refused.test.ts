import { expect, test } from 'vitest'
import { decideOutcome } from '../../../src/report/results/decide-outcome.ts'
import { agentRun } from '../../support/agent-run.ts'
import type { TranscriptEvent } from '../../../src/transcript/transcript.ts'

const call = (n: number, id: string, tool: string, text: string, isError: boolean): readonly TranscriptEvent[] => [
  { n, kind: 'tool-call', agent: null, id, tool, input: {}, from: 'cli' },
  { n: n + 1, kind: 'tool-result', agent: null, id, text, isError, blockedBy: null, from: 'cli' },
]
const UNKNOWN = '<tool_use_error>Error: No such tool available: Bsh</tool_use_error>'
const transcript = [...call(1, 'a', 'Bash', 'ok', false), ...call(3, 'b', 'Bsh', UNKNOWN, true)]

test('a scenario that calls a tool that does not exist is errored, whatever else it does', () => {
  const { outcome, error } = decideOutcome([], null, agentRun({ model: 'scenario', transcript }))
  expect([outcome, error?.code]).toEqual(['errored', 'engine-failed'])
  expect(error?.message).toContain('The scenario calls the tool "Bsh", which the engine does not have')
  // A model may try a tool, and go on without it.
  expect(decideOutcome([], null, agentRun({ model: 'claude-opus-5', transcript })).outcome).toBe('passed')
})
