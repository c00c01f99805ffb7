import { expect, test } from 'vitest'
import { hookRuntimeOf, nativePayload } from '../../../../src/case/free-tests/hook-payload.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'
import type { HookTest } from '../../../../src/formats/free-tests/test-suite.ts'

const PLACE = { cwd: '/work', transcript: '/t.jsonl' }

function hookTest(event: string, payload: JsonObject): HookTest {
  const at = { line: 1, column: 1 }
  return {
    kind: 'hook',
    id: 'h',
    name: 'h',
    description: null,
    event,
    hookIndex: 0,
    payload,
    assertions: [],
    at,
    runAt: at,
  }
}

test('what Claude Code sends', () => {
  const write = hookTest('pre-tool-use', {
    hookEventName: 'pre-tool-use',
    toolName: 'Write',
    toolInput: { file_path: 'a' },
  })
  expect(nativePayload(write, hookRuntimeOf('claude-code'), PLACE)).toEqual({
    payload: {
      session_id: '00000000-0000-4000-8000-000000000000',
      transcript_path: '/t.jsonl',
      cwd: '/work',
      permission_mode: 'default',
      tool_use_id: 'toolu_000000000000000000000001',
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'a' },
    },
    renamed: ['`hook_event_name` for `hookEventName`', '`tool_name` for `toolName`', '`tool_input` for `toolInput`'],
    reason: null,
  })
})

test('the fixture has the last word, and names that the format leaves open are known', () => {
  const stop = hookTest('stop', { sessionId: 's', stopHookActive: true, userPrompt: 'p', toolOutput: 'o', cwd: '/x' })
  expect(nativePayload(stop, hookRuntimeOf('claude-code'), PLACE).payload).toEqual({
    session_id: 's',
    transcript_path: '/t.jsonl',
    cwd: '/x',
    permission_mode: 'default',
    stop_hook_active: true,
    prompt: 'p',
    tool_response: 'o',
    hook_event_name: 'Stop',
  })
})

test('Codex changes files with one tool, and lacks others', () => {
  const edit = { file_path: 'a', old_string: 'x\ny', new_string: 'z' }
  expect(
    nativePayload(hookTest('pre-tool-use', { toolName: 'Edit', toolInput: edit }), hookRuntimeOf('codex'), PLACE)
      .payload,
  ).toMatchObject({
    turn_id: '1',
    permission_mode: 'bypassPermissions',
    tool_name: 'apply_patch',
    tool_input: { command: '*** Begin Patch\n*** Update File: a\n@@\n-x\n-y\n+z\n*** End Patch' },
  })
  const bash = hookTest('pre-tool-use', { toolName: 'Bash', toolInput: { command: 'ls' } })
  expect(nativePayload(bash, hookRuntimeOf('codex'), PLACE).payload).toMatchObject({
    tool_name: 'Bash',
    tool_input: { command: 'ls' },
  })
  expect(nativePayload(hookTest('pre-tool-use', { toolName: 'Read' }), hookRuntimeOf('codex'), PLACE)).toEqual({
    payload: null,
    reason: 'Codex has no tool "Read"',
  })
})
