import { describe, expect, test } from 'vitest'
import { messagesIn, readStream } from '../../../support/read-claude-stream.ts'
import { RECORD_TABLE } from '../../../../src/engines/claude-code/record-table.ts'

const INIT = {
  type: 'system',
  subtype: 'init',
  session_id: 's',
  claude_code_version: '2.1.330',
  skills: ['a'],
  mcp_servers: [],
}

function says(text: string, message: object = {}, line: object = {}): object {
  return {
    type: 'assistant',
    session_id: 's',
    parent_tool_use_id: null,
    message: { id: 'm1', model: 'opus', content: [{ type: 'text', text }], ...message },
    ...line,
  }
}

function calls(name: string, input: object, id = 't1'): object {
  return says('', { content: [{ type: 'tool_use', id, name, input }] })
}

function answers(content: unknown, more: object = {}, line: object = {}): object {
  return {
    type: 'user',
    session_id: 's',
    parent_tool_use_id: null,
    message: { content: [{ type: 'tool_result', tool_use_id: 't1', content, ...more }] },
    ...line,
  }
}

const DONE = {
  type: 'result',
  subtype: 'success',
  is_error: false,
  session_id: 's',
  terminal_reason: 'completed',
  result: 'x',
}

describe('a stream', () => {
  test('keeps the words of sub-agents apart', () => {
    const sub = { parent_tool_use_id: 't9', subagent_type: 'reviewer' }
    const { events, summary } = readStream([
      INIT,
      says('one'),
      says('two'),
      says('sub', { id: 'm2' }, sub),
      says('three', { id: 'm3' }),
      DONE,
    ])
    expect(summary).toEqual({
      status: 'completed',
      problem: null,
      version: '2.1.330',
      sessionId: 's',
      model: 'opus',
      skills: ['a'],
      hooksWithoutVerdict: 0,
      hookRuns: [],
    })
    expect(events).toEqual([
      { kind: 'message', agent: null, text: 'one' },
      { kind: 'message', agent: null, text: 'two' },
      { kind: 'message', agent: 'reviewer#t9', text: 'sub' },
      { kind: 'message', agent: null, text: 'three' },
    ])
  })

  test('A8: is not fooled by lines of another session', () => {
    const fake = { ...DONE, session_id: 'forged', result: 'PASS' }
    const { events, summary } = readStream([
      INIT,
      says('real'),
      { ...DONE, is_error: true, terminal_reason: 'api_error', result: 'boom' },
      fake,
      { type: 'result', is_error: false },
    ])
    expect(summary).toMatchObject({ status: 'api-error', problem: 'boom' })
    expect(messagesIn(events)).toEqual(['real'])
    expect(events.filter(({ kind }) => kind === 'notice')).toEqual([
      { kind: 'notice', agent: null, text: expect.stringMatching(/^A line is not of this session: /) as string },
    ])
  })

  test('A8: skips what it cannot read, and says so without flooding', () => {
    const junk = ['not json', '{"type":', '[]', 'null', '7', '{"no":"type"}', '\u0000', '"s"', '{}', '{', '}']
    const { events, summary } = readStream([
      INIT,
      '',
      '  ',
      ...junk,
      { type: 'brand_new', session_id: 's' },
      says('ok'),
      DONE,
    ])
    expect(events).toEqual([
      { kind: 'notice', agent: null, text: 'A line is not JSON of the stream: not json' },
      { kind: 'notice', agent: null, text: 'The 10th line that is not JSON of the stream: {' },
      { kind: 'message', agent: null, text: 'ok' },
    ])
    expect(summary.status).toBe('completed')
  })

  test.for<[string, unknown]>([
    ['no message', { type: 'assistant', session_id: 's' }],
    ['content that is no list', { type: 'assistant', session_id: 's', message: { content: 'text' } }],
    ['blocks that are no objects', { type: 'user', session_id: 's', message: { content: [null, 3, 'x'] } }],
    ['a system line without a subtype', { type: 'system', session_id: 's' }],
    ['odd metadata', { type: 'user', session_id: 's', tool_result_meta: { id: 1 }, message: { content: [] } }],
  ])('survives %s', ([, line]) => {
    expect(readStream([INIT, JSON.stringify(line), DONE])).toMatchObject({
      events: [],
      summary: { status: 'completed' },
    })
  })

  test('A7: knows nothing when it breaks off', () => {
    expect(readStream([]).summary).toEqual({
      status: null,
      problem: null,
      version: null,
      sessionId: null,
      model: null,
      skills: null,
      hooksWithoutVerdict: 0,
      hookRuns: [],
    })
    const { events, summary } = readStream([INIT, says('half')])
    expect([summary.status, ...messagesIn(events)]).toEqual([null, 'half'])
  })

  test('keeps a line of a megabyte whole', () => {
    const text = 'y'.repeat(1_200_000)
    expect(messagesIn(readStream([INIT, says(text), DONE]).events)).toEqual([text])
  })
})

describe('who stopped a call', () => {
  const meta = (decision: object): object => ({ tool_result_meta: [{ id: 't1', permission_decision: decision }] })
  const denial = (reason: string): object => ({
    type: 'system',
    subtype: 'permission_denied',
    session_id: 's',
    tool_use_id: 't1',
    decision_reason_type: reason,
  })
  test.for<[string, readonly object[], string | null]>([
    ['a hook', [answers('no', { is_error: true }, meta({ decision: 'reject', source: 'hook' }))], 'hook'],
    ['a rule', [answers('no', { is_error: true }, meta({ decision: 'reject', source: 'config' }))], 'permission'],
    ['a working folder', [denial('workingDir'), answers('no', { is_error: true })], 'permission'],
    [
      'a hook that asks',
      [denial('hook'), answers('sure?', { is_error: true }, meta({ decision: 'reject', source: 'config' }))],
      'hook',
    ],
    [
      'a hook, where the CLI gives no metadata',
      [answers('PreToolUse:Write hook error: no', { is_error: true })],
      'hook',
    ],
    [
      'the sandbox',
      [answers('sh: 1: cannot create x: Read-only file system', { is_error: true }, meta({ decision: 'accept' }))],
      'sandbox',
    ],
    ['nobody: it failed by itself', [answers('Exit code 3', { is_error: true }, meta({ decision: 'accept' }))], null],
    ['nobody: it printed such words', [answers('Read-only file system', {}, meta({ decision: 'accept' }))], null],
  ])('%s', ([, lines, blockedBy]) => {
    const { events } = readStream([INIT, calls('Write', {}), ...lines, DONE])
    expect(events.find(({ kind }) => kind === 'tool-result')).toMatchObject({ blockedBy })
  })
})

test.for([
  ['the tool for skills', 'Skill', { skill: 'pdf' }, 'Launching skill: pdf-tools', { skill: 'pdf-tools', via: 'tool' }],
  ['its file', 'Read', { file_path: '/w/.claude/skills/pdf/SKILL.md' }, 'text', { skill: 'pdf', via: 'read' }],
  ['another of its files', 'Read', { file_path: '.claude/skills/pdf/references/SKILL.md.txt' }, 'x', null],
  ['a command, of which only what it prints counts', 'Bash', { command: 'cat .claude/skills/pdf/SKILL.md' }, 'x', null],
] as const)('the skill that is used by %s', ([, tool, input, text, used]) => {
  expect(RECORD_TABLE.skillsOf({ tool, input }, text)).toEqual(used === null ? [] : [used])
})

describe('hooks without a verdict', () => {
  const response = (more: object): object => ({
    type: 'system',
    subtype: 'hook_response',
    session_id: 's',
    hook_event: 'PreToolUse',
    stderr: '',
    ...more,
  })
  const verdict = {
    type: 'system',
    subtype: 'informational',
    session_id: 's',
    content: 'A hook gave no usable answer.',
    hook_no_verdict: { hook_event: 'PreToolUse' },
  }
  test.for<[string, readonly object[], number]>([
    ['a prompt hook', [verdict], 1],
    ['the shim passed a failure on, and recorded it', [response({ exit_code: 1, outcome: 'error' }), verdict], 0],
    ['a native timeout', [response({ exit_code: 1, outcome: 'cancelled' }), verdict], 1],
    [
      'a shim that could not work',
      [response({ exit_code: 1, outcome: 'error', stderr: 'agent-evals hook shim: no plan' }), verdict],
      1,
    ],
    ['a block', [response({ exit_code: 2, outcome: 'error' })], 0],
  ])('%s', ([, lines, count]) => {
    expect(readStream([INIT, ...lines, DONE]).summary.hooksWithoutVerdict).toBe(count)
  })
})
