import { expect, test } from 'vitest'
import * as matchers from '../../../../src/matchers.ts'
import type { AgentRun } from '../../../../src/transcript/transcript.ts'
import { agentRun } from '../../../support/agent-run.ts'
import '../../../../src/register.ts'

const run = agentRun(
  {
    output: 'Hello, World\nPage 1',
    files: {
      created: [{ path: 'output/a.txt', size: 1, hash: 'a' }],
      modified: [{ path: 'brief.md', size: 2, hash: 'b' }],
      deleted: [],
      unreadable: [],
    },
  },
  [
    { kind: 'skill-used', agent: null, skill: 'pdf-tools', via: 'tool' },
    { kind: 'tool-call', agent: null, id: '1', tool: 'Read', input: { file_path: '/workspace/a.pdf', limit: 5 } },
    { kind: 'tool-call', agent: null, id: '2', tool: 'Write', input: { file_path: '/etc/x' } },
    {
      kind: 'hook',
      agent: null,
      event: 'pre-tool-use',
      tool: 'Write',
      decision: 'blocked-exit-2',
      exitCode: 2,
      reason: 'no',
    },
    { kind: 'tool-result', agent: null, id: '2', text: 'blocked', isError: true, blockedBy: 'hook' },
    { kind: 'tool-call', agent: null, id: '3', tool: 'Read', input: {} },
  ],
)
const idle = agentRun()

test('toContainOutput', () => {
  expect(run).toContainOutput('Hello, World')
  expect(run).toContainOutput(/^Page \d$/m)
  expect(run).not.toContainOutput('Goodbye')
  expect(messageOf(() => expect(run).toContainOutput('Goodbye'))).toMatchInlineSnapshot(
    `"expected the run to contain "Goodbye" in its output"`,
  )
  expect(messageOf(() => expect(run).not.toContainOutput('Page'))).toMatchInlineSnapshot(
    `"expected the run not to contain "Page" in its output"`,
  )
})

test('a global expression finds the same twice', () => {
  const page = /Page/g
  expect(run).toContainOutput(page)
  expect(run).toContainOutput(page)
})

test('toHaveCreatedFile and toHaveModifiedFile', () => {
  expect(run).toHaveCreatedFile('output/a.txt')
  expect(run).toHaveCreatedFile('./output/a.txt')
  expect(run).not.toHaveCreatedFile('brief.md')
  expect(run).toHaveModifiedFile('brief.md')
  expect(run).not.toHaveModifiedFile('output/a.txt')
  expect(messageOf(() => expect(run).toHaveCreatedFile('b.txt'))).toMatchInlineSnapshot(`
    "expected the run to have created b.txt

    Created files:
      output/a.txt"
  `)
})

test('a file beyond the cap is there; only whether its content has changed is unknown', () => {
  const same = { path: 'same.bin', reason: 'is larger than 64 MiB', kind: 'unread', isNew: false } as const
  const large = (path: string) => ({ path, size: 73_400_320, hash: null })
  const files = { created: [large('new.bin')], modified: [large('grown.bin')], deleted: [], unreadable: [same] }
  expect(agentRun({ files })).toHaveCreatedFile('new.bin')
  expect(agentRun({ files })).toHaveModifiedFile('grown.bin')
  expect(agentRun({ files })).not.toHaveCreatedFile('same.bin')
  expect(agentRun({ files })).not.toHaveModifiedFile('new.bin')
  expect(messageOf(() => expect(agentRun({ files })).toHaveModifiedFile('same.bin'))).toBe(
    'It is unknown whether the run wrote same.bin: same.bin is larger than 64 MiB.',
  )
})

test('toBeBlocked tells who blocked', () => {
  expect(run).toBeBlocked()
  expect(run).toBeBlocked({ by: 'hook' })
  expect(run).not.toBeBlocked({ by: 'permission' })
  expect(idle).not.toBeBlocked()
  expect(messageOf(() => expect(run).toBeBlocked({ by: 'sandbox' }))).toMatchInlineSnapshot(`
    "expected the run to be blocked by a sandbox

    Blocked:
      by hook: pre-tool-use Write
      by hook: blocked"
  `)
})

test('toHaveUsedSkill', () => {
  expect(run).toHaveUsedSkill('pdf-tools')
  expect(run).not.toHaveUsedSkill('pdf')
})

test('toHaveCalledTool matches inputs deeply and counts', () => {
  expect(run).toHaveCalledTool('Read')
  expect(run).toHaveCalledTool('Read', { times: 2 })
  expect(run).toHaveCalledTool('Read', { input: { file_path: '/workspace/a.pdf' }, times: 1 })
  expect(run).toHaveCalledTool('Read', { input: { file_path: expect.stringMatching(/\.pdf$/) } })
  expect(run).not.toHaveCalledTool('Read', { times: 1 })
  expect(run).not.toHaveCalledTool('Bash')
})

test('toHaveCalledToolsInOrder', () => {
  expect(run).toHaveCalledToolsInOrder(['Read', 'Write'])
  expect(run).toHaveCalledToolsInOrder(['Write', 'Read'])
  expect(run).not.toHaveCalledToolsInOrder(['Write', 'Write'])
})

const uses: Record<string, (received: unknown, not: boolean) => void> = {
  toContainOutput: (received, not) => on(received, not).toContainOutput('x'),
  toHaveCreatedFile: (received, not) => on(received, not).toHaveCreatedFile('x'),
  toHaveModifiedFile: (received, not) => on(received, not).toHaveModifiedFile('x'),
  toBeBlocked: (received, not) => on(received, not).toBeBlocked(),
  toHaveUsedSkill: (received, not) => on(received, not).toHaveUsedSkill('x'),
  toHaveCalledTool: (received, not) => on(received, not).toHaveCalledTool('x'),
  toHaveCalledToolsInOrder: (received, not) => on(received, not).toHaveCalledToolsInOrder(['x']),
}

test.for(Object.keys(uses))('%s refuses what is no completed run, also under .not', (name) => {
  const use = uses[name]
  const failed: AgentRun = { ...idle, status: 'timed-out', problem: 'it took too long', problemCode: 'timed-out' }
  for (const not of [false, true]) {
    expect(() => use?.('text', not)).toThrow(expect.objectContaining({ code: 'invalid-options' }))
    expect(() => use?.(Promise.resolve(run), not)).toThrow(/await the run first/)
    expect(() => use?.(failed, not)).toThrow(/needs a completed run, but this one is timed-out: it took too long/)
  }
})

test('every matcher that needs no judge is exported by its name', () => {
  expect(Object.keys(matchers)).toEqual(expect.arrayContaining(Object.keys(uses)))
})

function on(received: unknown, not: boolean): Chai.Assertion {
  return not ? expect(received).not : expect(received)
}

function messageOf(assert: () => void): string {
  try {
    assert()
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
  throw new Error('The assertion held.')
}
