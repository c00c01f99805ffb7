import type { AgentRun, EventOrigin, UnnumberedEvent } from '../../src/transcript/transcript.ts'
import { numberEvents } from '../../src/transcript/select.ts'

/** A completed run with what a test cares about. */
export function agentRun(part: Partial<AgentRun> = {}, events: readonly UnnumberedEvent[] = []): AgentRun {
  return {
    engine: 'claude-code',
    engineVersion: '2.1.330',
    status: 'completed',
    problem: null,
    problemCode: null,
    exitCode: 0,
    signal: null,
    sessionId: 'sess_1',
    modelAsked: null,
    model: 'claude-opus-5-5',
    record: 'gateway',
    output: 'done',
    finalMessage: 'done',
    transcript: numberEvents(events.map((event) => ({ from: ORIGINS[event.kind] ?? 'cli', ...event }))),
    files: { created: [], modified: [], deleted: [], unreadable: [] },
    usage: null,
    costUsd: 0,
    requests: 1,
    durationMs: 1200,
    sandbox: { asked: 'prefer', enforced: 'bubblewrap' },
    stderrTail: '',
    workspace: null,
    ...part,
  }
}

const ORIGINS: Readonly<Record<string, EventOrigin>> = {
  message: 'model',
  'tool-call': 'model',
  'tool-result': 'given to the model',
  'skill-used': 'given to the model',
  hook: 'hook',
}

/** A hook's decision as an event. */
export function hook(part: Partial<Extract<UnnumberedEvent, { kind: 'hook' }>> = {}): UnnumberedEvent {
  return {
    kind: 'hook',
    agent: null,
    event: 'pre-tool-use',
    tool: 'Write',
    decision: 'allowed',
    exitCode: 0,
    reason: '',
    ...part,
  }
}

/** A tool call and its result as events. */
export function stoppedCall(blockedBy: 'hook' | 'permission' | 'sandbox' | null): readonly UnnumberedEvent[] {
  return [
    { kind: 'tool-call', agent: null, id: 'toolu_1', tool: 'Write', input: { file_path: '/etc/config.txt' } },
    { kind: 'tool-result', agent: null, id: 'toolu_1', text: 'refused', isError: true, blockedBy },
  ]
}
