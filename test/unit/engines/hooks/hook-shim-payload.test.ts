import { expect, test } from 'vitest'
import {
  contextAsJson,
  parseAnswer,
  denialAsJson,
  hashOfInput,
  nameOfCall,
  touchedFile,
  universalCalls,
  withSnakeCase,
} from '../../../../src/engines/hooks/hook-shim-payload.ts'
import type { HookDecision } from '../../../../src/transcript/transcript.ts'

const PATCH = `*** Begin Patch
*** Add File: ../note.txt
+high water
*** Update File: src/app.ts
*** Move to: /etc/app.ts
@@
-a
+b
*** Delete File: old.txt
*** End Patch
`

test('a patch is told file by file, with absolute paths', () => {
  const calls = universalCalls({ tool_name: 'apply_patch', tool_input: { command: PATCH } }, '/w/workspace')
  expect(calls.map((call) => [call['toolName'], touchedFile(call)])).toEqual([
    ['Write', '/w/note.txt'],
    ['Edit', '/w/workspace/src/app.ts'],
    ['Edit', '/w/workspace/old.txt'],
    ['Write', '/etc/app.ts'],
  ])
})

test.for([{ tool_name: 'Bash', tool_input: { command: PATCH } }, { tool_name: 'apply_patch' }, {}])(
  '%j is told once, as it is',
  (payload) => {
    expect(universalCalls(payload, '/w')).toEqual([{}])
  },
)

test('a patch that is given as it is, by another name, is told file by file too', () => {
  const calls = universalCalls({ tool_name: 'Edit', tool_input: PATCH }, '/w/workspace')
  expect(calls.map(touchedFile)).toEqual([
    '/w/note.txt',
    '/w/workspace/src/app.ts',
    '/w/workspace/old.txt',
    '/etc/app.ts',
  ])
  expect(universalCalls({ tool_name: 'Edit', tool_input: 'no patch' }, '/w')).toEqual([{}])
})

test('a payload in other words has the names of Claude Code beside its own', () => {
  expect(withSnakeCase({ toolName: 'bash', toolInput: { fileText: 'x' }, cwd: '/w' })).toEqual({
    toolName: 'bash',
    tool_name: 'bash',
    toolInput: { fileText: 'x' },
    tool_input: { fileText: 'x' },
    cwd: '/w',
  })
})

test.for<[event: string, decision: HookDecision, answer: object | null]>([
  [
    'pre-tool-use',
    'blocked-exit-2',
    {
      hookSpecificOutput: {
        hookEventName: 'Native',
        permissionDecision: 'deny',
        permissionDecisionReason: 'why',
      },
    },
  ],
  ['permission-request', 'denied-json', { behavior: 'deny', message: 'why' }],
  ['pre-prompt', 'blocked-exit-2', { decision: 'block', reason: 'why' }],
  ['stop', 'denied-json', { decision: 'block', reason: 'why' }],
  ['pre-tool-use', 'failed', null],
  ['pre-tool-use', 'allowed', null],
])('an engine that knows denials only as JSON is told of %s, %s', ([event, decision, answer]) => {
  const hook = { id: 'h', event, command: 'x', timeout: 1 }
  expect(denialAsJson({ decision, reason: 'why' }, { hook_event_name: 'Native' }, hook)).toEqual(answer)
})

test.for<[event: string, printed: string, answer: object | null]>([
  ['session-start', 'Be kind.\n', { additionalContext: 'Be kind.' }],
  ['post-tool-use', 'Be kind.\n', null],
  ['post-tool-use', '{"hookSpecificOutput":{"additionalContext":"a"},"systemMessage":"b"}', { additionalContext: 'a' }],
  ['pre-prompt', '{"additionalContext":"its own"}', null],
  ['pre-prompt', '{"systemMessage":"b"}', null],
])('an engine that knows only its own JSON is given words of %s: %s', ([event, printed, answer]) => {
  const moved = contextAsJson(printed, parseAnswer(printed), { event })
  expect(moved).toEqual(answer === null ? null : expect.objectContaining(answer))
})

test('a call is named by its input only where it has no id', () => {
  const input = { command: 'ls' }
  expect(nameOfCall({ tool_input: input })).toEqual({ input: hashOfInput({ command: 'ls' }) })
  expect([nameOfCall({ tool_input: input, tool_use_id: 'a' }), nameOfCall({ prompt: 'hi' })]).toEqual([{}, {}])
})

test('the file of a call has its universal name on every engine', () => {
  const input = { path: '/w/a.txt', file_text: 'x' }
  expect(universalCalls({ tool_name: 'Write', tool_input: input }, '/w')).toEqual([
    { toolInput: { ...input, file_path: '/w/a.txt' } },
  ])
  expect(universalCalls({ tool_name: 'Grep', tool_input: { path: '/w', pattern: 'x' } }, '/w')).toEqual([{}])
  expect(universalCalls({ tool_name: 'Write', tool_input: { file_path: 'a', path: 'b' } }, '/w')).toEqual([{}])
})
