import { expect, test } from 'vitest'
import { endsByAsking } from '../../../../src/case/assess/findings.ts'
import { agentRun } from '../../../support/agent-run.ts'

test.for([
  ['Shall I go on?', 'Shall I go on?'],
  ['I wrote it.\n\n**Would you like more?**', 'Would you like more?'],
  ['Which one?\n\n1. This\n2. That\n- or that', 'Which one?'],
  ['Done. Is it right? ', 'Is it right?'],
  ['どれにしますか？', 'どれにしますか？'],
  ['Why? Because it is right.', null],
  ['Is it right?\n\nIt is.', null],
  ['It is written.', null],
  ['{"status": "complete"}', null],
  ['', null],
] as const)('%j', ([finalMessage, question]) => {
  const [notice, ...others] = endsByAsking(agentRun({ finalMessage }))
  expect(others).toEqual([])
  expect(notice?.match(/^The run ended by asking (".*?") and/)?.[1]).toBe(
    question === null ? undefined : JSON.stringify(question),
  )
})

test('a tool that asks counts as the last call only', () => {
  const call = (tool: string, input: { readonly [name: string]: string }) =>
    ({ kind: 'tool-call', agent: null, id: tool, tool, input }) as const
  const ask = call('AskUserQuestion', { question: 'For whom?' })
  const asking = agentRun({ finalMessage: 'I stop.' }, [ask])
  expect(endsByAsking(asking)).toEqual([expect.stringContaining('asking "For whom?"')])
  expect(endsByAsking(agentRun({ finalMessage: 'I stop.' }, [ask, call('Bash', { command: 'ls' })]))).toEqual([])
  expect(endsByAsking({ ...asking, status: 'timed-out' })).toEqual([])
})
