import { describe, expect, it } from 'vitest'
import type { AgentRun, UnnumberedEvent } from '../../../src/transcript/transcript.ts'
import { agentRun } from '../../support/agent-run.ts'
import { gradeBy } from '../../support/plugin-eval/grader.ts'

// What `claude plugin eval` 2.1.330 decided about the same values.
describe('regex', () => {
  const run = graded([message('earlier'), message('Hello WORLD hello\nline two hello aaa')])
  it.each([
    ['hello', '', 'contains', true],
    ['HELLO', '', 'contains', false],
    ['HELLO', 'i', 'contains', true],
    ['earlier', '', 'contains', false],
    ['absent', '', 'not_contains', true],
    ['hello', '', 'not_contains', false],
    ['hello', '', 2, true],
    ['hello', 'g', 2, true],
    ['hello', 'i', 3, true],
    ['hello', '', 1, false],
    ['aa', '', 1, true],
    ['x*', '', 0, false],
    ['zzz', '', 0, true],
    ['^line', '', 'contains', false],
    ['^line', 'm', 'contains', true],
    ['hello.line', '', 'contains', false],
    ['hello.line', 's', 'contains', true],
    ['WORLD', 'y', 'contains', false],
    ['Hello', 'y', 'contains', true],
    ['\\u{48}ello', 'u', 'contains', true],
  ] as const)('/%s/%s %s: %s', (pattern, flags, match, passes) => {
    const grader = { type: 'regex', pattern, flags, match: typeof match === 'number' ? `count:${match}` : match }
    expect(gradeBy(grader, run).outcome).toBe(passes ? 'passed' : 'failed')
  })

  it.each(['contains', 'not_contains', 0] as const)('fails on a file that does not exist, with %s', (match) => {
    const grader = {
      type: 'regex',
      pattern: '.',
      match: typeof match === 'number' ? `count:${match}` : match,
      target: { source: 'file', path: 'nope.txt' },
    }
    expect(gradeBy(grader, run)).toEqual({ outcome: 'failed', explanation: 'the file nope.txt does not exist' })
  })

  it('errors on a pattern that takes for ever', () => {
    const slow = graded([message(`${'a'.repeat(40)}!`)])
    expect(gradeBy({ type: 'regex', pattern: '^(a+)+$' }, slow).outcome).toBe('errored')
  })

  it('reads each target', () => {
    const whole = agentRun({
      trace: ['{"type":"system"}', '{"type":"result"}'],
      files: { created: [file('b.txt'), file('a.txt')], modified: [file('old.txt')], deleted: [], unreadable: [] },
      mockCalls: [{ server: 's', tool: 'mcp__plugin_p_s__t', input: { id: '7' }, output: 'ticket 7', verdict: 'ok' }],
    })
    const targets = new Map([['notes/x.md', { kind: 'text' as const, text: 'in the file' }]])
    const matches = (target: unknown, pattern: string): string =>
      gradeBy({ type: 'regex', pattern, target }, whole, targets).outcome
    expect(matches('trace', '^\\{"type":"system"\\}\\n\\{"type":"result"\\}$')).toBe('passed')
    expect(matches('files', '^a.txt\\nb.txt$')).toBe('passed')
    expect(matches({ source: 'file', path: 'notes/x.md' }, '^in the file$')).toBe('passed')
    expect(
      matches(
        'mock_calls',
        '^\\{"tool":"mcp__plugin_p_s__t","input":\\{"id":"7"\\},"output":"ticket 7","verdict":"ok"\\}$',
      ),
    ).toBe('passed')
    expect(
      gradeBy({ type: 'regex', pattern: '.', match: 'not_contains', target: 'mock_calls' }, agentRun()).outcome,
    ).toBe('failed')
  })
})

describe('tools', () => {
  const run = graded([
    called('Read', { file_path: 'x1' }),
    called('Write', { file_path: 'a.txt', content: 'hi' }),
    called('Edit', { file_path: 'a.txt' }),
    called('Write', { file_path: 'b.txt', content: 'hi' }),
    called('Read', { file_path: 'a.txt' }),
  ])

  it.each([
    ['Read', null, null, null, true],
    ['Read', null, 2, null, true],
    ['Read', null, 3, null, false],
    ['Read', null, null, 1, false],
    ['Bash', null, null, 0, false],
    ['Bash', null, 0, 0, true],
    ['read', null, null, null, false],
    ['*', null, null, null, false],
    ['Read|Write', null, null, null, false],
    ['Write', 'b\\.txt', null, null, true],
    ['Write', '"content":"hi"', 2, 2, true],
    ['Write', '"content": "hi"', null, null, false],
    ['Write', 'B\\.TXT', null, null, false],
    ['Write', '^\\{"file_path"', 2, null, true],
  ] as const)('uses %s with input %s, %s..%s: %s', (tool, inputMatch, min, max, passes) => {
    const limits = Object.fromEntries(
      Object.entries({ input_match: inputMatch, min, max }).filter(([, value]) => value !== null),
    )
    expect(gradeBy({ type: 'tool_used', tool, ...limits }, run).outcome).toBe(passes ? 'passed' : 'failed')
  })

  it.each([
    ['Read', null, 'Write', null, true],
    ['Write', null, 'Read', null, false],
    ['Edit', null, 'Write', null, false],
    ['Bash', null, 'Write', null, false],
    ['Write', null, 'Bash', null, false],
    ['Write', null, 'Write', null, false],
    ['Edit', null, 'Write', 'b.txt', true],
    ['Write', 'b.txt', 'Edit', null, false],
    ['Read', 'a.txt', 'Edit', null, false],
  ] as const)('%s %s comes before %s %s: %s', (before, one, after, other, passes) => {
    const call = (tool: string, inputMatch: string | null): unknown =>
      inputMatch === null ? tool : { tool, input_match: inputMatch }
    const grader = { type: 'tool_order', before: call(before, one), after: call(after, other) }
    expect(gradeBy(grader, run).outcome).toBe(passes ? 'passed' : 'failed')
  })
})

it.each([
  ['*.txt', true],
  ['b.txt', false],
  ['**/c.txt', true],
  ['**/root.txt', true],
  ['sub/*.txt', true],
  ['sub', false],
  ['sub/', false],
  ['.hidden*', true],
  ['*hidden.txt', true],
  ['{root,z}.txt', false],
  ['[rs]oot.txt', false],
  ['ro?t.txt', true],
  ['sub?b.txt', true],
  ['sub**c.txt', true],
  ['**.txt', true],
  ['***', true],
  ['sub/**/b.txt', true],
  ['sub/**/y/**/c.txt', true],
  ['r**t.txt', true],
  ['/root.txt', false],
  ['./root.txt', false],
  ['root.tx.', false],
  ['sub//b.txt', false],
  ['x/**/b.txt', false],
  ['ROOT.TXT', false],
  ['!root.txt', false],
] as const)('finds a file for %s: %s', (path, isThere) => {
  const run = graded([], ['root.txt', '.hidden.txt', 'sub/b.txt', 'sub/x/y/c.txt'])
  const outcomes = [true, false].map((exists) => gradeBy({ type: 'file_exists', path, exists }, run).outcome)
  expect(outcomes).toEqual(isThere ? ['passed', 'failed'] : ['failed', 'passed'])
})

it.each([
  ['contains', 'link', 'errored'],
  ['contains', 'seen', 'passed'],
  ['not_contains', 'link', 'errored'],
  ['not_contains', 'seen', 'failed'],
  ['not_contains', 'other', 'passed'],
  ['count:1', 'seen|link', 'errored'],
  ['count:1', 'seen', 'passed'],
])('%s of %s is %s where a new file was not read', (match, pattern, outcome) => {
  const unreadable = [{ path: 'link.txt', reason: 'is a link', kind: 'other' as const, isNew: true }]
  const run = agentRun({ files: { created: [file('seen.txt')], modified: [], deleted: [], unreadable } })
  expect(gradeBy({ type: 'regex', pattern, match, target: 'files' }, run).outcome).toBe(outcome)
})

it('says what a grader has found, and what it found instead', () => {
  const run = graded([message('Hello')], ['a.txt'])
  const graders = [
    { type: 'regex', pattern: 'Hello' },
    { type: 'regex', pattern: 'bye' },
    { type: 'regex', pattern: 'l', match: 'count:3' },
    { type: 'tool_used', tool: 'Read' },
    { type: 'file_exists', path: '*.txt', exists: false },
  ]
  expect(graders.map((grader) => gradeBy(grader, run).explanation)).toEqual([
    'The last message matches /Hello/',
    'expected something in the last message to match /bye/ but nothing does',
    'expected /l/ to match 3 times in the last message but it matches 2 times',
    'expected Read to be called but it was not',
    'expected *.txt not to be created but it was',
  ])
})

function graded(events: readonly UnnumberedEvent[], created: readonly string[] = []): AgentRun {
  return agentRun({ files: { created: created.map(file), modified: [], deleted: [], unreadable: [] } }, events)
}

function file(path: string): { readonly path: string; readonly size: number; readonly hash: string } {
  return { path, size: 1, hash: 'h' }
}

function message(text: string): UnnumberedEvent {
  return { kind: 'message', agent: null, text }
}

let calls = 0
function called(tool: string, input: Readonly<Record<string, string>>): UnnumberedEvent {
  calls += 1
  return { kind: 'tool-call', agent: null, id: `call_${calls}`, tool, input }
}
