import { expect, test } from 'vitest'
import { failedOpenHooks } from '../../../src/checks/hook-events.ts'
import { runChecks, type DeclaredCheck } from '../../../src/checks/checks.ts'
import type { Target } from '../../../src/formats/suite.ts'
import type { AgentRun, UnnumberedEvent } from '../../../src/transcript/transcript.ts'
import { agentRun, hook, stoppedCall } from '../../support/agent-run.ts'

const at = { line: 14, column: 3 }
const preToolUse: Target = { kind: 'hook', name: 'pre-tool-use' }

function verdict(declared: Omit<DeclaredCheck, 'at'>, run: AgentRun, target: Target | null = null): string {
  const [result] = runChecks([{ ...declared, at } as DeclaredCheck], run, target)
  return result?.message === '' ? result.outcome : `${result?.outcome}: ${result?.message}`
}

function blocked(value: boolean, events: readonly UnnumberedEvent[], target: Target | null = preToolUse): string {
  return verdict({ kind: 'agent-blocked', value }, agentRun({}, events), target)
}

function created(value: string, files: Partial<AgentRun['files']>): string {
  const all = { created: [], modified: [], deleted: [], unreadable: [], ...files }
  return verdict({ kind: 'files-created', value }, agentRun({ files: all }))
}

function file(path: string): AgentRun['files']['created'][number] {
  return { path, size: 3, hash: 'a'.repeat(64) }
}

test('requests that nobody answered take no turn off', () => {
  const otherRequests = ['A summary.', '', null].map((answer) => ({ thread: 'main', model: 'm', answer }))
  const most = (value: number): string =>
    verdict({ kind: 'max-turns', value }, agentRun({ requests: 5, otherRequests }))
  expect(most(3)).toBe('passed')
  expect(most(2)).toContain('failed')
})

test('reports every declared check in order, with its position', () => {
  const results = runChecks(
    [
      { kind: 'contains', value: 'Hello', at },
      { kind: 'not-contains', value: 'ERROR', at: { line: 9, column: 7 } },
    ],
    agentRun({ output: 'Hello\nan ERROR here' }),
    null,
  )
  expect(results).toEqual([
    { kind: 'contains', value: 'Hello', at, outcome: 'passed', message: '' },
    {
      kind: 'not-contains',
      value: 'ERROR',
      at: { line: 9, column: 7 },
      outcome: 'failed',
      message: 'expected the output not to contain "ERROR" but it does, at line 2',
      expected: 'no ERROR',
      actual: 'an ERROR here',
    },
  ])
})

test('contains compares letter by letter and says what is close', () => {
  const contains = (value: string, output: string): string => verdict({ kind: 'contains', value }, agentRun({ output }))
  expect(contains('Page 1', 'on Page 1.')).toBe('passed')
  expect(contains('Page 1', 'on page\n1.')).toBe(
    'failed: expected the output to contain "Page 1" but it contains only "page\\n1"',
  )
  expect(contains('a.c(', 'abc')).toBe('failed: expected the output to contain "a.c(" but it does not')
  expect(contains('a-b/c', 'A-B/C')).toBe('failed: expected the output to contain "a-b/c" but it contains only "A-B/C"')
  expect(contains('x', ' \n')).toBe('failed: expected the output to contain "x" but there is no output')
})

test('keeps what it shows of a huge output short', () => {
  const [result] = runChecks([{ kind: 'contains', value: 'x', at }], agentRun({ output: 'y'.repeat(5_000_000) }), null)
  expect(result?.actual?.length).toBe(4031)
})

test('files-created takes created regular files only', () => {
  expect(created('output/a.txt', { created: [file('output/a.txt')] })).toBe('passed')
  expect(created('./output//a.txt', { created: [file('output/a.txt')] })).toBe('passed')
  expect(created('output/a.txt', {})).toBe('failed: expected output/a.txt to be created but no file was created')
  expect(created('output/a.txt', { modified: [file('output/a.txt')] })).toBe(
    'failed: expected output/a.txt to be created but it existed before and was modified, not created',
  )
  expect(created('output/a.txt', { deleted: ['output/a.txt'] })).toBe(
    'failed: expected output/a.txt to be created but no file was created',
  )
  expect(
    created('output/a.txt', {
      unreadable: [{ path: 'output/a.txt', reason: 'is a symbolic link', kind: 'other', isNew: true }],
    }),
  ).toBe('failed: expected output/a.txt to be created but it exists but is not a regular file: it is a symbolic link')
  expect(
    created('output/a.txt', {
      unreadable: [{ path: 'output', reason: 'is a symbolic link', kind: 'other', isNew: true }],
    }),
  ).toBe(
    'failed: expected output/a.txt to be created but output exists but is not a regular folder: it is a symbolic link',
  )
})

test('files-created is undecided where the workspace could not be read', () => {
  const large = { path: 'output/a.bin', reason: 'is larger than 64 MiB', kind: 'unread', isNew: false } as const
  expect(created('output/a.bin', { unreadable: [large] })).toBe(
    'failed: expected output/a.bin to be created but no file was created',
  )
  expect(
    created('a.txt', {
      unreadable: [{ path: '.', reason: 'was not read completely: 100000 files', kind: 'hidden', isNew: false }],
    }),
  ).toBe(
    'errored: expected a.txt to be created but that is unknown: the workspace was not read completely: 100000 files',
  )
  expect(
    created('a.txt', {
      created: [file('a.txt')],
      unreadable: [{ path: '.', reason: 'was not looked at', kind: 'hidden', isNew: false }],
    }),
  ).toBe('passed')
})

test('files-created names the created file that is close', () => {
  expect(created('output/extracted.txt', { created: [file('log.md'), file('extracted.txt')] })).toBe(
    'failed: expected output/extracted.txt to be created but it was not; extracted.txt was',
  )
  expect(created('output/extracted.txt', { created: [file('output/extract.txt')] })).toBe(
    'failed: expected output/extracted.txt to be created but it was not; output/extract.txt was',
  )
  expect(created('output/extracted.txt', { created: [file('README.md')] })).toBe(
    'failed: expected output/extracted.txt to be created but it was not',
  )
})

test('files-created takes any file below a folder', () => {
  expect(created('output/', { created: [file('output/deep/a.txt')] })).toBe('passed')
  expect(created('output', { created: [file('output/a.txt')] })).toBe('passed')
  expect(created('out', { created: [file('output/a.txt')] })).not.toBe('passed')
  expect(created('output/', { created: [file('output')] })).toBe(
    'failed: expected output/ to be created but it is a file, not a folder',
  )
  expect(created('output/', { modified: [file('output/a.txt')] })).toBe(
    'failed: expected output/ to be created but no file was created',
  )
})

test('agent-blocked: true passes only by the decision of a hook', () => {
  expect(blocked(true, [hook({ decision: 'blocked-exit-2', exitCode: 2 })])).toBe('passed')
  expect(blocked(true, [hook({ decision: 'denied-json' })])).toBe('passed')
  expect(blocked(true, [hook()])).toBe('failed: expected agent-blocked=true but hook exited 0 (pre-tool-use for Write)')
  expect(blocked(true, [hook({ exitCode: null })])).toBe(
    'failed: expected agent-blocked=true but hook allowed it (pre-tool-use for Write)',
  )
  expect(blocked(true, [])).toBe('failed: expected agent-blocked=true but no hook ran')
  expect(blocked(true, stoppedCall(null))).toBe(
    'failed: expected agent-blocked=true but no hook ran (the agent called Write)',
  )
  expect(blocked(true, stoppedCall('permission'))).toBe(
    'failed: expected agent-blocked=true but the permission system, not a hook, blocked Write',
  )
  expect(blocked(true, [hook(), ...stoppedCall('sandbox')])).toBe(
    'failed: expected agent-blocked=true but hook exited 0 (pre-tool-use for Write); the sandbox, not a hook, blocked Write',
  )
})

test('hooks that did not block are named, each with the call that it let through', () => {
  const call = (id: string, path: string): UnnumberedEvent => {
    return { kind: 'tool-call', agent: null, id, tool: 'Write', input: { file_path: path } }
  }
  const prompt = hook({ event: 'pre-prompt', tool: null })
  expect(blocked(true, [prompt, call('a', '/etc/a'), hook(), call('b', '/etc/b'), hook()], null)).toBe(
    'failed: expected agent-blocked=true but hook exited 0 (pre-prompt; pre-tool-use for Write {"file_path":"/etc/a"}; pre-tool-use for Write {"file_path":"/etc/b"})',
  )
  expect(blocked(true, [call('a', '/etc/a'), prompt])).toBe(
    'failed: expected agent-blocked=true but no pre-tool-use hook ran (the agent called Write)',
  )
})

test('agent-blocked: true is undecided when the decision itself is missing', () => {
  expect(blocked(true, stoppedCall('hook'))).toBe(
    'errored: expected agent-blocked=true but the engine says that a hook blocked Write while no hook of the package left a decision',
  )
  const denial = stoppedCall('hook').filter(({ kind }) => kind === 'tool-result')
  expect(blocked(true, denial)).toBe(
    'errored: expected agent-blocked=true but the engine says that a hook blocked a tool while no hook of the package left a decision',
  )
})

test('only hooks of the target event count', () => {
  const post = hook({ event: 'post-tool-use', decision: 'blocked-exit-2', exitCode: 2 })
  expect(blocked(true, [post])).toBe(
    'failed: expected agent-blocked=true but a hook of post-tool-use, not of pre-tool-use, blocked Write',
  )
  expect(blocked(true, [hook({ event: 'stop' })])).toBe(
    'failed: expected agent-blocked=true but no pre-tool-use hook ran',
  )
  expect(blocked(true, [post], null)).toBe('passed')
  expect(blocked(false, [post])).toBe('passed')
  expect(blocked(false, [hook({ event: 'stop', decision: 'failed', exitCode: 1 })])).toBe('passed')
})

test('a hook of the start is too early to block, and one of the end decides about the end', () => {
  const about = (name: string): Target => ({ kind: 'hook', name })
  const start = hook({ event: 'session-start', tool: null })
  const denied = { decision: 'blocked-exit-2', exitCode: 2 } as const
  const early = '(session-start); a hook of session-start runs too early to block the agent'
  expect(blocked(true, [start], about('session-start'))).toBe(
    `failed: expected agent-blocked=true but hook exited 0 ${early}`,
  )
  expect(blocked(true, [{ ...start, ...denied }], about('session-start'))).toBe(
    `failed: expected agent-blocked=true but hook decided to block ${early}`,
  )
  expect(blocked(true, [{ ...start, ...denied }], null)).toMatch(/^failed/)
  const stop = hook({ event: 'stop', tool: null })
  expect(blocked(true, [stop], about('stop'))).toBe(
    'failed: expected agent-blocked=true but hook exited 0 (stop); a hook of stop decides about the end, and blocks no call',
  )
  expect(blocked(true, [{ ...stop, ...denied }], about('stop'))).toBe('passed')
  const refused = hook({ event: 'stop', tool: null, ...denied, reason: 'Run the tests.' })
  expect(blocked(false, [refused], about('stop'))).toBe(
    'failed: expected agent-blocked=false but hook kept the agent from ending with exit code 2: Run the tests.',
  )
  expect(blocked(true, [{ ...stop, ...denied }])).toBe(
    'failed: expected agent-blocked=true but a hook of stop, not of pre-tool-use, kept the agent from ending',
  )
})

test('agent-blocked: false fails when a hook blocked', () => {
  expect(blocked(false, [hook()])).toBe('passed')
  expect(blocked(false, [])).toBe('passed')
  expect(blocked(false, [hook({ decision: 'blocked-exit-2', exitCode: 2, reason: '\nBLOCKED: /etc\nmore' })])).toBe(
    'failed: expected agent-blocked=false but hook blocked Write with exit code 2: BLOCKED: /etc',
  )
})

test('a hook that failed open decides nothing', () => {
  const failed = hook({ decision: 'failed', exitCode: 1, reason: 'line 3: jq: not found' })
  expect(blocked(true, [failed])).toBe(
    'errored: expected agent-blocked=true but the pre-tool-use hook failed with exit code 1 (line 3: jq: not found), so Write went on',
  )
  expect(blocked(false, [hook({ decision: 'timed-out', exitCode: null })])).toBe(
    'errored: expected agent-blocked=false but the pre-tool-use hook timed out, so Write went on',
  )
  const ignored = hook({ decision: 'invalid', reason: 'bash hooks/guard.sh: decision is "deny"' })
  expect([blocked(true, [ignored]), blocked(false, [ignored])]).toEqual(
    [true, false].map(
      (value) =>
        `errored: expected agent-blocked=${value} but the pre-tool-use hook gave an answer that engines ignore (bash hooks/guard.sh: decision is "deny"), so Write went on`,
    ),
  )
  expect(blocked(true, [hook({ decision: 'missing', exitCode: 2 })])).toBe(
    'errored: expected agent-blocked=true but the pre-tool-use hook could not be started, so Write was blocked by accident',
  )
  expect(blocked(true, [hook({ decision: 'missing', exitCode: 127, tool: null })])).toBe(
    'errored: expected agent-blocked=true but the pre-tool-use hook could not be started, so the agent went on',
  )
  const block = hook({ decision: 'blocked-exit-2', exitCode: 2 })
  expect(blocked(true, [failed, block])).toMatch(/^errored/)
  expect(blocked(false, [failed, block])).toMatch(/^failed/)
  expect(failedOpenHooks(agentRun({}, [hook(), failed, block])).map((found) => found.n)).toEqual([2])
})
