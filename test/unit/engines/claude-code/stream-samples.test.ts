import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { describeShared } from '../../../support/shared.ts'
import { messagesIn, readStream, type ReadStream } from '../../../support/read-claude-stream.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

describeShared('real streams', (shared) => {
  const folder = join(shared, 'transcripts/claude-code')
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'))
  const readFile = (name: string): ReadStream => readStream(readFileSync(join(folder, name), 'utf8').split('\n'))

  // Payloads of hooks, not a stream.
  test.for(files.filter((name) => name !== 'hook-inputs.jsonl'))('%s is read without remark', (name) => {
    const { events, summary } = readFile(name)
    expect(summary.version).toBe('2.1.330')
    expect(events.filter((event) => event.kind === 'notice' && event.text.includes('line'))).toEqual([])
    const ids = new Set(events.flatMap((event) => (event.kind === 'tool-call' ? [event.id] : [])))
    expect(events.filter((event) => event.kind === 'tool-result' && !ids.has(event.id))).toEqual([])
  })

  test('end as their CLI said', () => {
    const endings = files.map((name) => [name.replace('.jsonl', ''), readFile(name)] as const)
    expect(
      endings.map(
        ([
          name,
          {
            events,
            summary: { status, hooksWithoutVerdict },
          },
        ]) => `${name}: ${status}, ${JSON.stringify(messagesIn(events).at(-1) ?? '')}, ${hooksWithoutVerdict}`,
      ),
    ).toMatchInlineSnapshot(`
      [
        "all: completed, "final answer", 0",
        "basic: completed, "Hello from mock.", 0",
        "bg: completed, "main after notification", 0",
        "fail-401: null, "", 0",
        "fail-429_twice_then_ok: completed, "ok", 0",
        "fail-529_retries_2: api-error, "", 0",
        "fail-bad_mcp: completed, "ok", 0",
        "fail-budget_0_01: limit-reached, "", 0",
        "fail-max_turns_2: limit-reached, "", 0",
        "fail-refusal: api-error, "", 0",
        "fail-sse_truncated: api-error, "", 0",
        "fail-unknown_tool: completed, "ok", 0",
        "hook-inputs: null, "", 0",
        "hooks-exit0: completed, "The write was denied by a hook.", 0",
        "hooks-exit2: completed, "The write was denied by a hook.", 0",
        "hooks-failing: completed, "done", 1",
        "hooks-jsondeny: completed, "The write was denied by a hook.", 0",
        "hooks-permmode: completed, "The write was denied by a hook.", 0",
        "hooks-promptblock: completed, "", 0",
        "hooks-stopblock: completed, "second", 0",
        "multi_text_blocks: completed, "second part", 0",
        "ratelimit_headers: completed, "ok", 0",
        "skill-read: completed, "done", 0",
        "skill-skillTool: completed, "done", 0",
        "skill-slash: completed, "done", 0",
        "skill-unknown: completed, "done", 0",
        "thinking: completed, "answer", 0",
      ]
    `)
  })

  test('show everything that happened', () => {
    const line = (event: UnnumberedEvent): string => {
      const { kind, agent, ...rest } = event
      const what = Object.values(rest).map((value) =>
        typeof value === 'string' ? value.split('\n')[0]?.slice(0, 60) : JSON.stringify(value),
      )
      return `${agent === null ? '' : `[${agent}] `}${kind}: ${what.join(' | ')}`
    }
    const shown = [
      'all',
      'hooks-exit2',
      'hooks-exit0',
      'hooks-failing',
      'hooks-promptblock',
      'hooks-stopblock',
      'fail-429_twice_then_ok',
      'fail-refusal',
      'fail-bad_mcp',
      'skill-unknown',
      'skill-slash',
    ]
    expect(Object.fromEntries(shown.map((name) => [name, readFile(`${name}.jsonl`).events.map(line)])))
      .toMatchInlineSnapshot(`
      {
        "all": [
          "tool-call: toolu_mock_0001 | Bash | {"command":"echo hi"}",
          "tool-call: toolu_mock_0002 | Bash | {"command":"exit 3"}",
          "tool-result: toolu_mock_0001 | hi | false | null",
          "tool-result: toolu_mock_0002 | Exit code 3 | true | null",
          "tool-call: toolu_mock_0003 | ToolSearch | {"query":"select:mcp__mini__lookup"}",
          "tool-result: toolu_mock_0003 | [tool_reference] | false | null",
          "tool-call: toolu_mock_0004 | mcp__mini__lookup | {"q":"x"}",
          "tool-result: toolu_mock_0004 | mcp says {"q":"x"} | false | null",
          "tool-call: toolu_mock_0005 | Agent | {"description":"review a","prompt":"Review a.txt","subagent_type":"reviewer","run_in_background":false}",
          "[reviewer#toolu_mock_0005] tool-call: toolu_mock_0006 | Read | {"file_path":"/workspace/workspace/a.txt"}",
          "[reviewer#toolu_mock_0005] tool-result: toolu_mock_0006 | 1	hello | false | null",
          "tool-result: toolu_mock_0005 |   <tools-used-before-summary>Read</tools-used-before-summary | false | null",
          "message: final answer",
        ],
        "fail-429_twice_then_ok": [
          "api-retry: 429 | rate_limit",
          "api-retry: 429 | rate_limit",
          "message: ok",
        ],
        "fail-bad_mcp": [
          "notice: The MCP server "bad" did not start.",
          "message: ok",
        ],
        "fail-refusal": [
          "notice: Opus 5.5's safeguards stopped the response above · continuin",
          "notice: API Error: Opus 5.5's safeguards flagged this message (https",
        ],
        "hooks-exit0": [
          "tool-call: toolu_mock_0001 | Write | {"file_path":"/etc/config-eval-test.txt","content":"test"}",
          "tool-result: toolu_mock_0001 | Claude requested permissions to write to /etc/config-eval-te | true | permission",
          "message: The write was denied by a hook.",
        ],
        "hooks-exit2": [
          "tool-call: toolu_mock_0001 | Write | {"file_path":"/etc/config-eval-test.txt","content":"test"}",
          "tool-result: toolu_mock_0001 | PreToolUse:Write hook error: ["$CLAUDE_PROJECT_DIR"/.claude/ | true | hook",
          "message: The write was denied by a hook.",
        ],
        "hooks-failing": [
          "tool-call: toolu_mock_0002 | Write | {"file_path":"a.txt","content":"x"}",
          "notice: A hook gave no usable answer, so it didn't check this action",
          "notice: A hook didn't answer in time, so it didn't check this action",
          "tool-result: toolu_mock_0002 | File created successfully at: a.txt (file state is current i | false | null",
          "message: done",
        ],
        "hooks-promptblock": [
          "notice: UserPromptSubmit operation blocked by hook:",
        ],
        "hooks-stopblock": [
          "message: first",
          "notice: Stop hook feedback:",
          "message: second",
        ],
        "skill-slash": [
          "message: done",
        ],
        "skill-unknown": [
          "tool-call: toolu_mock_0002 | Skill | {"skill":"nonexistent"}",
          "tool-result: toolu_mock_0002 | <tool_use_error>Unknown skill: nonexistent</tool_use_error> | true | null",
          "tool-call: toolu_mock_0003 | Skill | {"skill":"manual-only"}",
          "tool-result: toolu_mock_0003 | <tool_use_error>Skill manual-only cannot be used with Skill  | true | null",
          "tool-call: toolu_mock_0004 | Skill | {"skill":"forked","args":"q"}",
          "tool-result: toolu_mock_0004 | Skill "forked" completed (forked execution). | false | null",
          "message: done",
        ],
      }
    `)
  })
})
