import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createReader } from '../../../../src/engines/copilot/stream.ts'
import type { StreamSummary } from '../../../../src/engines/stream.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

interface ReadStream {
  readonly events: readonly UnnumberedEvent[]
  readonly summary: StreamSummary
}

function read(text: string): ReadStream {
  const reader = createReader()
  const events = text.split('\n').flatMap((line) => reader.line(line))
  return { events, summary: reader.end() }
}

/** Lines that the CLI, 1.0.102, wrote to a model server on loopback. */
function sample(name: string): ReadStream {
  return read(readFileSync(new URL(`samples/${name}.jsonl`, import.meta.url), 'utf8'))
}

function words({ events }: ReadStream): readonly string[] {
  return events.map((event) => {
    const agent = event.agent === null ? '' : `${event.agent}: `
    if (event.kind === 'tool-call') return `${agent}call ${event.tool} ${JSON.stringify(event.input)}`
    if (event.kind === 'tool-result')
      return `${agent}${event.blockedBy ?? (event.isError ? 'error' : 'result')} ${event.text}`
    if (event.kind === 'api-retry') return `retry ${event.status} ${event.message}`
    return `${agent}${event.kind} ${'text' in event ? event.text : ''}`
  })
}

test('calls, skills, refusals and sub-agents', () => {
  const run = sample('calls')
  expect(words(run)).toMatchInlineSnapshot(`
    [
      "message Let me look.",
      "call skill {"skill":"greet"}",
      "call Bash {"command":"echo ok > out.txt","description":"write"}",
      "result Skill "greet" loaded successfully. Follow the instructions in the skill context.",
      "result 
    <shellId: 0 completed with exit code 0>",
      "call Bash {"command":"echo forbidden","description":"x"}",
      "call nosuch {"a":1}",
      "call Read {"path":"/etc/passwd"}",
      "hook Denied by preToolUse hook: hook exited with code 2",
      "error Tool 'nosuch' does not exist.",
      "permission Permission denied because no interactive user response was available. Retry in an interactive session so the user can approve it, or try an alternative that does not require this permission.",
      "call Agent {"name":"crit","agent_type":"critic","description":"Criticise","prompt":"Look at the greeting Hi.","mode":"sync"}",
      "critic#call_2_0: call Bash {"command":"echo insub","description":"x"}",
      "critic#call_2_0: hook Denied by preToolUse hook: hook exited with code 2",
      "critic#call_2_0: message It is short.",
      "result It is short.",
      "message Done.",
    ]
  `)
  expect(run.summary).toMatchInlineSnapshot(`
    {
      "hooksWithoutVerdict": 0,
      "model": null,
      "problem": null,
      "sessionId": "fc99a291-b318-4d0d-b1da-e62fc7d04da1",
      "skills": [
        "greet",
      ],
      "status": "completed",
      "version": null,
    }
  `)
})

test('free text, MCP tools and an unknown skill', () => {
  const run = sample('patch-and-mcp')
  expect(words(run)).toMatchInlineSnapshot(`
    [
      "call Edit "*** Begin Patch\\n*** Add File: a.txt\\n+one\\n*** End Patch\\n"",
      "call Grep {"pattern":"AGENTS"}",
      "call mcp__tally__count {"word":"World"}",
      "call skill {"skill":"nosuch"}",
      "error Skill not found: nosuch",
      "error Failed to apply patch: Error: File already exists: /workspace/a.txt",
      "result 5 /tmp",
      "result ./AGENTS.md",
      "call Bash {"command":"echo jsondeny","description":"x"}",
      "call Bash {"command":"echo plainblock","description":"x"}",
      "call Bash {"command":"echo camelblock","description":"x"}",
      "call Bash {"command":"echo exit1","description":"x"}",
      "hook Denied by preToolUse hook: my json reason",
      "hook Denied by preToolUse hook: camel reason",
      "hook Denied by preToolUse hook from ".github/hooks/agent-evals.json" (hook errored)",
      "result plainblock
    <shellId: 0 completed with exit code 0>",
      "message Done.",
    ]
  `)
  const ids = run.events.flatMap((event) => ('id' in event ? [event.id] : []))
  expect(ids).toContain('call_0_0')
})

test('a refusal of the API ends the run, in the words of the CLI', () => {
  const run = sample('refused')
  expect(words(run)).toMatchInlineSnapshot(`
    [
      "retry 401 {"type":"authentication_error","message":"no"}",
      "retry 401 {"type":"authentication_error","message":"no"}",
      "notice Authentication failed with provider at http://127.0.0.1:41261 (HTTP 401).
      Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.",
    ]
  `)
  expect(run.summary).toMatchInlineSnapshot(`
    {
      "hooksWithoutVerdict": 0,
      "model": null,
      "problem": "Authentication failed with provider at http://127.0.0.1:41261 (HTTP 401).
      Check your COPILOT_PROVIDER_API_KEY, COPILOT_PROVIDER_API_KEY_COMMAND, or COPILOT_PROVIDER_BEARER_TOKEN.",
      "sessionId": "ff7e8fd9-e9d8-4ac1-8612-105d15c5ece6",
      "skills": [],
      "status": "api-error",
      "version": null,
    }
  `)
})

test('a retry is no failure', () => {
  const run = sample('rate-limited')
  expect(words(run)).toMatchInlineSnapshot(`
    [
      "retry 429 {"type":"rate_limit_error","message":"no"}",
      "message Done.",
    ]
  `)
  expect(run.summary).toMatchObject({ status: 'completed', problem: null })
})

test('a prompt that a hook refuses is a run in which nothing was asked', () => {
  const run = sample('prompt-blocked')
  expect(words(run)).toMatchInlineSnapshot(`
    [
      "notice nono",
    ]
  `)
  expect(run.summary).toMatchObject({ status: 'completed', problem: null })
})

test('a stream without its last line has not ended', () => {
  const { events, summary } = read('{"type":"assistant.message","data":{"content":"Half"}}')
  expect(summary).toMatchObject({ status: null, sessionId: null, skills: null })
  expect(events).toEqual([{ kind: 'message', agent: null, text: 'Half' }])
})

test('what is no line of the stream is said once, and shapes of no kind do not break it', () => {
  const run = read(
    [
      'Segmentation fault',
      'again',
      '[]',
      '{"type":1}',
      '{"type":"tool.execution_start"}',
      '{"type":"tool.execution_complete","data":{"error":[]}}',
      '{"type":"session.skills_loaded","data":{"skills":[1,{"name":2},{"name":"x"}]}}',
      '{"type":"session.mcp_server_status_changed","data":{"serverName":"tally","status":"failed","error":"gone"}}',
      '{"type":"result","exitCode":"0"}',
    ].join('\n'),
  )
  expect(words(run)).toMatchInlineSnapshot(`
    [
      "notice A line is not JSON of the stream: Segmentation fault",
      "call  null",
      "error ",
      "notice The MCP server "tally" failed: gone",
    ]
  `)
  expect(run.summary).toMatchObject({ status: 'api-error', skills: ['x'] })
})
