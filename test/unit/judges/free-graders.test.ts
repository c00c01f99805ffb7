import { describe, expect, it } from 'vitest'
import { gradeFree, type FreeGrader, type GradedRun } from '../../../src/judges/free-graders.ts'
import { numberEvents } from '../../../src/transcript/select.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

const BASE = { name: 'g', weight: 1, arm: null, at: { line: 1, column: 1 } } as const

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
    const grader: FreeGrader = {
      ...BASE,
      type: 'regex',
      pattern,
      flags,
      match: typeof match === 'number' ? { count: match } : match,
      target: { kind: 'last_message' },
    }
    expect(gradeFree(grader, run).outcome).toBe(passes ? 'passed' : 'failed')
  })

  it.each(['contains', 'not_contains', 0] as const)('fails on a file that does not exist, with %s', (match) => {
    const grader: FreeGrader = {
      ...BASE,
      type: 'regex',
      pattern: '.',
      flags: '',
      match: typeof match === 'number' ? { count: match } : match,
      target: { kind: 'file', path: 'nope.txt' },
    }
    expect(gradeFree(grader, run)).toEqual({ outcome: 'failed', explanation: 'the file nope.txt does not exist' })
  })

  it('errors on a pattern that takes for ever', () => {
    const slow = graded([message(`${'a'.repeat(40)}!`)])
    const grader: FreeGrader = {
      ...BASE,
      type: 'regex',
      pattern: '^(a+)+$',
      flags: '',
      match: 'contains',
      target: { kind: 'last_message' },
    }
    expect(gradeFree(grader, slow).outcome).toBe('errored')
  })

  it('reads each target', () => {
    const whole: GradedRun = {
      run: {
        transcript: [],
        trace: ['{"type":"system"}', '{"type":"result"}'],
        files: { created: [file('b.txt'), file('a.txt')], modified: [file('old.txt')], deleted: [], unreadable: [] },
      },
      files: new Map([['notes/x.md', { kind: 'text', text: 'in the file' }]]),
      mockCalls: [{ tool: 'mcp__plugin_p_s__t', input: { id: '7' }, output: 'ticket 7', verdict: 'ok' }],
    }
    const matches = (target: Extract<FreeGrader, { type: 'regex' }>['target'], pattern: string): string =>
      gradeFree({ ...BASE, type: 'regex', pattern, flags: '', match: 'contains', target }, whole).outcome
    expect(matches({ kind: 'trace' }, '^\\{"type":"system"\\}\\n\\{"type":"result"\\}$')).toBe('passed')
    expect(matches({ kind: 'files' }, '^a.txt\\nb.txt$')).toBe('passed')
    expect(matches({ kind: 'file', path: 'notes/x.md' }, '^in the file$')).toBe('passed')
    expect(
      matches(
        { kind: 'mock_calls' },
        '^\\{"tool":"mcp__plugin_p_s__t","input":\\{"id":"7"\\},"output":"ticket 7","verdict":"ok"\\}$',
      ),
    ).toBe('passed')
    expect(
      gradeFree(
        { ...BASE, type: 'regex', pattern: '.', flags: '', match: 'not_contains', target: { kind: 'mock_calls' } },
        { ...whole, mockCalls: null },
      ).outcome,
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
    const grader: FreeGrader = { ...BASE, type: 'tool_used', tool, inputMatch, min, max }
    expect(gradeFree(grader, run).outcome).toBe(passes ? 'passed' : 'failed')
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
    const grader: FreeGrader = {
      ...BASE,
      type: 'tool_order',
      before: { tool: before, inputMatch: one },
      after: { tool: after, inputMatch: other },
    }
    expect(gradeFree(grader, run).outcome).toBe(passes ? 'passed' : 'failed')
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
  const outcomes = [true, false].map((exists) => gradeFree({ ...BASE, type: 'file_exists', path, exists }, run).outcome)
  expect(outcomes).toEqual(isThere ? ['passed', 'failed'] : ['failed', 'passed'])
})

function graded(events: readonly UnnumberedEvent[], created: readonly string[] = []): GradedRun {
  const files = { created: created.map(file), modified: [], deleted: [], unreadable: [] }
  return { run: { transcript: numberEvents(events), files }, files: new Map(), mockCalls: null }
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
