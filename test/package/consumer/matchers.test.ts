import { expect, test } from 'vitest'
import type { AgentRun } from 'vitest-agent-evals'
import 'vitest-agent-evals/matchers/register'

const run: AgentRun = {
  engine: 'claude-code',
  engineVersion: '2.1.0',
  status: 'completed',
  problem: null,
  problemCode: null,
  exitCode: 0,
  signal: null,
  sessionId: null,
  modelAsked: null,
  model: null,
  record: 'gateway',
  output: 'Hello, World',
  finalMessage: 'Hello, World',
  transcript: [],
  files: {
    created: [{ path: 'output/extracted.txt', size: 12, hash: 'aa' }],
    modified: [{ path: 'brief.md', size: 3, hash: 'bb' }],
    deleted: [],
    unreadable: [],
  },
  usage: null,
  costUsd: 0,
  requests: 1,
  durationMs: 5,
  sandbox: { asked: 'auto', enforced: 'none' },
  stderrTail: '',
  workspace: null,
}

test('the matchers pass', () => {
  expect(run).toContainOutput('Hello')
  expect(run).toContainOutput(/World$/)
  expect(run).toHaveCreatedFile('output/extracted.txt')
  expect(run).toHaveModifiedFile('brief.md')
  expect(run).not.toHaveCalledTool('Bash', { input: { command: 'ls' }, times: 1 })
  expect(run).not.toHaveCalledToolsInOrder(['Read', 'Edit'])
  expect(run).not.toHaveRunHook('PreToolUse', { times: 1 })
  expect.soft(run).not.toBeBlocked()
})

test('the matchers fail', () => {
  expect(run).toContainOutput('Goodbye')
})

export function misuse(): void {
  // @ts-expect-error: a text or a regular expression
  expect(run).toContainOutput(1)
  // @ts-expect-error: a path is needed
  expect(run).toHaveCreatedFile()
  // @ts-expect-error: hook, permission or sandbox
  expect(run).toBeBlocked({ by: 'luck' })
  // @ts-expect-error: times is a number
  expect(run).toHaveCalledTool('Bash', { times: 'once' })
}
