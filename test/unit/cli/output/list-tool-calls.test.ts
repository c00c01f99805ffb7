import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { listToolCalls } from '../../../../src/cli/output/format-shown.ts'

const EVENTS = [
  { n: 1, agent: null, kind: 'message', text: 'I look.' },
  { n: 2, agent: null, kind: 'tool-call', id: 'a', tool: 'Bash', input: { command: 'ls' } },
  { n: 3, agent: null, kind: 'tool-result', id: 'a', text: 'notes.md', isError: false },
  { n: 4, agent: 'critic', kind: 'tool-call', id: 'b', tool: 'Write', input: { content: 'x'.repeat(500) } },
  { n: 5, agent: 'critic', kind: 'tool-result', id: 'b', text: 'no', isError: true, blockedBy: 'hook' },
  { n: 6, agent: null, kind: 'prompt', turn: 2, text: 'And now?\nGo.' },
  { n: 7, agent: null, kind: 'tool-call', id: 'c', tool: 'Read', input: { file: 'a' } },
]
const TRANSCRIPT = EVENTS.map((event) => JSON.stringify(event)).join('\n')

test('lists the calls of a stored run, with how each ended', async () => {
  await using folder = await createFixture({
    '.vitest/agent-evals/run/cases/a/transcript.jsonl': `${TRANSCRIPT}\n{"torn`,
    'packages/one/evals/reports/x.json': '{}',
  })
  const calls = listToolCalls('.vitest/agent-evals/run/cases/a', folder.getPath('packages/one/evals/reports'))
  expect(calls.map((line) => line.replace(/x{9,}/, 'xx'))).toEqual([
    'done     Bash {"command":"ls"}',
    'blocked  Write {"content":"xx... (sub-agent critic): no',
    'turn 2: And now? Go.',
    'open     Read {"file":"a"}',
  ])
  expect(calls[1]?.length).toBeLessThan(220)
})

test('reads nothing outside of run folders, and misses nothing that is gone', async () => {
  await using folder = await createFixture({ 'secret/transcript.jsonl': TRANSCRIPT })
  const root = folder.path
  expect(listToolCalls('secret', root)).toEqual([])
  expect(listToolCalls('.vitest/agent-evals/../../secret', root)).toEqual([])
  expect(listToolCalls('.vitest/agent-evals/gone', root)).toEqual([])
})
