import { describe, expect, test } from 'vitest'
import { compareHooks, type HookRecords } from '../../../src/session/compare-decisions.ts'
import { requireEngine } from '../../../src/engines/registry.ts'
import type { RecordedDecision } from '../../../src/engines/hooks/hook-plan.ts'
import type { UnnumberedEvent } from '../../../src/transcript/transcript.ts'

const PLAN = {
  hooks: ['pre-tool-use', 'post-tool-use', 'pre-prompt'].map((event) => ({
    id: `${event}-0-0`,
    event,
    matcher: null,
    command: 'sh guard.sh',
    timeout: 1,
  })),
}
const FILES = { created: [], modified: [], deleted: [], unreadable: [] }

/** Two calls of Bash, of which a hook blocked the second, as an engine and the shim record them. */
function recordsOf(engine: string): HookRecords {
  const coverage = requireEngine(engine).hookCoverage
  if (coverage === undefined) throw new Error(`${engine} has no hooks`)
  const events = [...callOf('a', 'fine', null), ...callOf('b', 'Denied by preToolUse hook: no', 'hook')]
  const decisions = [
    lineOf('pre-prompt', null, 'allowed'),
    lineOf('pre-tool-use', 'a', 'allowed'),
    lineOf('post-tool-use', 'a', 'allowed'),
    lineOf('pre-tool-use', 'b', 'blocked-exit-2'),
  ]
  const calls = ['a', 'b'].map((id) => ({ kind: 'tool-call' as const, id, name: 'Bash', input: {} }))
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 }
  const answer = { id: 'm', model: 'm', content: calls, stopReason: 'tool-calls' as const, usage }
  const turn = { model: 'm', texts: [], offers: [], results: [], answer, order: 0, after: null }
  const conversation = { threads: [{ thread: 'main', given: null, turns: [turn] }], unanswered: [] }
  const hookRuns = engine === 'claude-code' ? decisions.map((line) => ({ ...line })) : null
  return { coverage, hookPlan: PLAN, events, conversation, decisions, hookRuns, files: FILES, isResumed: false }
}

function callOf(id: string, text: string, blockedBy: 'hook' | null): readonly UnnumberedEvent[] {
  const isError = blockedBy !== null
  return [
    { kind: 'tool-call', agent: null, id, tool: 'Bash', input: { command: id } },
    { kind: 'tool-result', agent: null, id, text, isError, blockedBy },
  ]
}

function lineOf(event: string, toolCallId: string | null, decision: RecordedDecision['decision']): RecordedDecision {
  const exitCode = decision === 'allowed' ? 0 : 2
  const tool = toolCallId === null ? null : 'Bash'
  return { id: `${event}-0-0`, event, tool, toolCallId, decision, exitCode, reason: '', durationMs: 1 }
}

describe.for(['claude-code', 'codex', 'copilot'])('the records of %s', (engine) => {
  const records = recordsOf(engine)
  const differ = (changes: Partial<HookRecords>): string | null => compareHooks({ ...records, ...changes })
  const line = (index: number): RecordedDecision => records.decisions[index] as RecordedDecision

  test('agree where nothing was changed', () => {
    expect(differ({})).toBeNull()
  })

  test.for([0, 1, 3])('differ without line %i', (index) => {
    expect(differ({ decisions: records.decisions.toSpliced(index, 1) })).toContain('decisions.jsonl has no line for it')
  })

  test('differ where a call has two lines, or a line has no call or no hook', () => {
    expect(differ({ decisions: [...records.decisions, line(1)] })).toContain(
      'decisions.jsonl has 2 lines of pre-tool-use',
    )
    const unknown = { ...line(3), toolCallId: 'c' }
    expect(differ({ decisions: [...records.decisions, unknown] })).toContain('neither the gateway nor the engine')
    expect(differ({ decisions: [...records.decisions, { ...line(1), id: 'x' }] })).toContain(
      'is not a hook of the plan',
    )
  })

  test.for(['post-tool-use', 'session-start', 'stop'])('differ where a line of %s became a denial', (event) => {
    const hookPlan = { hooks: [...PLAN.hooks, ...PLAN.hooks.map((hook) => ({ ...hook, id: `${event}-0-0`, event }))] }
    const [thread] = records.conversation.threads
    const [first] = thread?.turns ?? []
    if (thread === undefined || first === undefined) throw new Error('there is no turn')
    const results = [{ id: 'a', text: 'fine', isError: false }]
    const withTexts = (texts: readonly string[]): HookRecords['conversation'] => {
      return { ...records.conversation, threads: [{ ...thread, turns: [first, { ...first, texts, results }] }] }
    }
    const edited = { ...lineOf(event, event === 'post-tool-use' ? 'a' : null, 'denied-json'), exitCode: 0 }
    const decisions = [
      ...records.decisions.filter((one) => one.event !== event),
      { ...edited, reason: 'This is not\nallowed.' },
    ]
    const hookRuns = records.hookRuns === null ? null : decisions
    const found = (texts: readonly string[]): string | null =>
      differ({ hookPlan, decisions, hookRuns, conversation: withTexts(texts) })
    expect(found(['another text'])).toContain(`${event}-0-0 decided denied-json, and the gateway saw neither`)
    expect(found(['<system-reminder>Hook: This is not allowed.</system-reminder>'])).toBeNull()
  })

  test('differ where a call that ran well is called blocked', () => {
    const decisions = records.decisions.with(1, { ...line(1), decision: 'blocked-exit-2' })
    expect(differ({ decisions })).toContain(
      'pre-tool-use-0-0 blocked Bash (a), and the model received a result that is not from a hook',
    )
  })

  test('differ where a blocked call is called allowed, or an answered prompt blocked', () => {
    expect(
      differ({ decisions: records.decisions.with(3, { ...line(3), decision: 'allowed', exitCode: 0 }) }),
    ).not.toBeNull()
    const prompt = { ...line(0), decision: 'denied-json' as const }
    expect(differ({ decisions: records.decisions.with(0, prompt) })).toContain('the gateway saw the model answer it')
  })

  test('agree on a call that the engine refused by itself and one whose end was not seen', () => {
    const [call] = callOf('a', '', null)
    const events = [...(call === undefined ? [] : [call]), ...records.events.slice(2)]
    expect(differ({ events, decisions: records.decisions.toSpliced(2, 1) })).toBeNull()
  })
})

test('a failure that is edited into consent differs from what Claude Code saw', () => {
  const records = recordsOf('claude-code')
  const hookRuns = (records.hookRuns ?? []).with(1, { event: 'pre-tool-use', tool: 'Bash', exitCode: 1 })
  expect(compareHooks({ ...records, hookRuns })).toContain('the engine reported no such end of a hook')
})

test('hooks before a compaction have run as often as Claude Code made room or asked for a summary', () => {
  const records = recordsOf('claude-code')
  const hooks = [...PLAN.hooks, { id: 'pre-compact-0-0', event: 'pre-compact', matcher: null, command: '', timeout: 1 }]
  const decisions = [...records.decisions, lineOf('pre-compact', null, 'allowed')]
  const given = { ...records, hookPlan: { hooks }, decisions }
  const hookRuns = [...(records.hookRuns ?? []), { event: 'pre-compact', tool: null }]
  expect(compareHooks({ ...given, hookRuns })).toBeNull()
  expect(compareHooks(given)).toContain('the engine reported no such end of a hook')
  const twice = { ...given, hookRuns, decisions: [...decisions, lineOf('pre-compact', null, 'allowed')] }
  expect(compareHooks(twice)).toContain('the engine reported no such end of a hook')
  const [main] = records.conversation.threads
  const threads = main === undefined ? [] : [main, { ...main, thread: 'side:compact' }]
  expect(compareHooks({ ...twice, conversation: { threads, unanswered: [] } })).toBeNull()
})

test('a denial that stands for a broken hook is no block', () => {
  const records = recordsOf('copilot')
  const events = records.events.map((event) =>
    event.kind === 'tool-result' && event.id === 'b'
      ? { ...event, text: 'Denied by preToolUse hook from ".github/hooks/package.json" (hook errored)' }
      : event,
  )
  expect(compareHooks({ ...records, events })).toContain('is not from a hook')
})

test('a file that only a blocked call names must not change', () => {
  const records = recordsOf('claude-code')
  const write = {
    kind: 'tool-call',
    agent: null,
    id: 'b',
    tool: 'Write',
    input: { file_path: '/workspace/x.txt' },
  } as const
  const events = [write, ...records.events.slice(3)]
  const decisions = [line0(records), { ...lineOf('pre-tool-use', 'b', 'blocked-exit-2'), tool: 'Write' }]
  const hookRuns = decisions.map((line) => ({ ...line }))
  const files = { ...FILES, created: [{ path: 'x.txt', size: 1, hash: '' }] }
  expect(compareHooks({ ...records, events, decisions, hookRuns })).toBeNull()
  expect(compareHooks({ ...records, events, decisions, hookRuns, files })).toContain('its file x.txt changed')
})

function line0({ decisions }: HookRecords): RecordedDecision {
  return decisions[0] as RecordedDecision
}
