import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createReader } from '../../../../src/engines/codex/stream.ts'
import { describeShared } from '../../../support/shared.ts'
import type { StreamSummary } from '../../../../src/engines/stream.ts'
import type { UnnumberedEvent } from '../../../../src/transcript/transcript.ts'

function read(text: string): { readonly events: readonly UnnumberedEvent[]; readonly summary: StreamSummary } {
  const reader = createReader()
  const events = text.split('\n').flatMap((line) => reader.line(line))
  return { events, summary: reader.end() }
}

function words({ events }: { readonly events: readonly UnnumberedEvent[] }): readonly string[] {
  return events.map((event) => {
    if (event.kind === 'tool-call') return `call ${event.tool} ${JSON.stringify(event.input)}`
    if (event.kind === 'tool-result') return `${event.isError ? 'error' : 'result'} ${JSON.stringify(event.text)}`
    return `${event.kind} ${'text' in event ? event.text : 'message' in event ? event.message : ''}`
  })
}

describeShared('real streams', (shared) => {
  const sample = (name: string) => read(readFileSync(join(shared, `transcripts/codex/${name}.stdout.jsonl`), 'utf8'))

  test.for(['tools-fn', 'tools-code'])('%s: commands and patches, in both regimes of tools', (name) => {
    const run = sample(name)
    expect(run.summary).toMatchObject({ status: 'completed', problem: null })
    const calls = run.events.flatMap((event) => (event.kind === 'tool-call' ? [event.tool] : []))
    expect(calls).toContain('Bash')
    expect(run.events.some((event) => event.kind === 'tool-result' && event.isError)).toBe(true)
  })

  test('a file that is read', () => {
    expect(words(sample('skillread'))).toMatchInlineSnapshot(`
      [
        "message Using ws-agents skill.",
        "call Bash {"command":"cat .agents/skills/ws-agents/SKILL.md"}",
        "result "---\\nname: ws-agents\\ndescription: Skill ws-agents. Use when asked about ws-agents things.\\n---\\n# ws-agents\\nSay MAGIC-ws-agents.\\n"",
        "message MAGIC-ws-agents",
      ]
    `)
  })

  test('a tool of a server, and a sub-agent', () => {
    expect(words(sample('mcp-approve'))).toMatchInlineSnapshot(`
      [
        "call mcp__demo__add {"a":2,"b":3}",
        "result "SUM=5 cwd=/workspace env=HOME,MCP_LOG,PATH,TMPDIR"",
        "message ok",
      ]
    `)
    expect(words(sample('subagent'))).toMatchInlineSnapshot(`
      [
        "notice Model metadata for \`gpt-unknown\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.",
        "call spawn_agent {"prompt":"Review the thing"}",
        "result """,
        "message A",
      ]
    `)
  })

  test('an error that is made good is a retry, one that is not ends the run', () => {
    expect(words(sample('cut-mid-then-ok'))).toMatchInlineSnapshot(`
      [
        "api-retry Reconnecting... 1/1 (stream disconnected before completion: Transport error: network error: error decoding response body)",
        "message ok after cut",
      ]
    `)
    expect(sample('cut-mid-then-ok').summary.status).toBe('completed')
    expect(sample('e401').summary).toMatchObject({
      status: 'api-error',
      problem: expect.stringContaining('401') as string,
    })
  })

  test('a prompt that a hook blocked is a run without a word', () => {
    expect(sample('hook-promptblock')).toMatchObject({ events: [], summary: { status: 'completed' } })
  })
})

test('A7: a stream without an end says nothing of how the run went', () => {
  expect(read('{"type":"thread.started","thread_id":"t"}\n').summary).toMatchObject({ status: null, sessionId: 't' })
})

test('A8: what is no line of the stream is told once and then rarely', () => {
  const lines = ['panic!', '[]', '{"type":7}', 'null', ...Array.from({ length: 20 }, () => 'noise')]
  expect(words(read(lines.join('\n')))).toEqual([
    'notice A line is not JSON of the stream: panic!',
    'notice The 10th line that is not JSON of the stream: noise',
  ])
})

test.for([
  '{"type":"item.completed"}',
  '{"type":"item.completed","item":{"type":"command_execution"}}',
  '{"type":"error"}',
])('reads %s without falling over', (line) => {
  expect(() => read(line)).not.toThrow()
})
