import { isJsonObject } from '../json.ts'
import { plainName } from './plain-name.ts'
import type { AgentRun } from './agent-run.ts'
import type { Blocker, EventOrigin, TranscriptEvent, UnnumberedEvent } from './transcript.ts'

/** A tool call with what came of it; `result` is `null` when the run ended before it. */
export interface ToolCall {
  readonly call: EventOf<'tool-call'>
  readonly result: EventOf<'tool-result'> | null
}

/** A tool call that was stopped. */
export interface BlockedCall extends ToolCall {
  readonly by: Blocker
}

type EventOf<Kind extends TranscriptEvent['kind']> = Extract<TranscriptEvent, { kind: Kind }>

/** What the functions below read of a run. */
export type WithTranscript = Pick<AgentRun, 'transcript'>

/** Numbers events by their position, from 1. */
export function numberEvents(events: readonly UnnumberedEvent[]): readonly TranscriptEvent[] {
  return events.map((event, index) => ({
    n: index + 1,
    ...event,
    from: event.from ?? (event.kind === 'hook' ? 'hook' : 'cli'),
  }))
}

/** All tool calls of a run in order, those of sub-agents included. */
export function toolCalls(run: WithTranscript): readonly ToolCall[] {
  const results = new Map(eventsOf(run, 'tool-result').map((result) => [result.id, result]))
  return eventsOf(run, 'tool-call').map((call) => ({ call, result: results.get(call.id) ?? null }))
}

/** The tool calls that were stopped, by anybody or by one. */
export function blockedCalls(run: WithTranscript, by?: Blocker): readonly BlockedCall[] {
  return toolCalls(run).flatMap((call) => {
    const blocker = call.result?.blockedBy ?? null
    return blocker === null || (by !== undefined && blocker !== by) ? [] : [{ ...call, by: blocker }]
  })
}

/** The skills that were used, each once, in the order of their first use. */
export function skillsUsed(run: WithTranscript): readonly string[] {
  return [...new Set(eventsOf(run, 'skill-used').map((event) => event.skill))]
}

/** Skills whose call failed, each once, with what came back. */
export function failedSkillCalls(
  run: WithTranscript,
): readonly { readonly skill: string; readonly agent: string | null; readonly text: string }[] {
  const failed = toolCalls(run).flatMap(({ call, result }) => {
    if (call.tool.toLowerCase() !== 'skill' || result?.isError !== true || !isJsonObject(call.input)) return []
    const name = call.input['skill']
    return typeof name === 'string'
      ? [{ skill: plainName(name.replace(/^\//, '')), agent: call.agent, text: result.text }]
      : []
  })
  const names = failed.map(({ skill }) => skill)
  return failed.filter(({ skill }, index) => names.indexOf(skill) === index)
}

/** What the hooks decided, in order; of one universal event such as `pre-tool-use`, or of all. */
export function hookDecisions(run: WithTranscript, event?: string): readonly EventOf<'hook'>[] {
  return eventsOf(run, 'hook').filter((hook) => event === undefined || hook.event === event)
}

/** The last text of the main thread; empty when it has none. */
export function finalMessage(run: Pick<AgentRun, 'finalMessage'>): string {
  return run.finalMessage
}

/** What the heading of an event adds where only the engine tells of it; empty for what the gateway saw, and for hooks. */
export function originNote({ kind, from }: { readonly kind: string; readonly from?: EventOrigin }): string {
  return from === 'cli' && DEEDS.has(kind) ? ' (from the cli alone)' : ''
}

const DEEDS: ReadonlySet<string> = new Set(['skill-used', 'tool-call', 'tool-result'])

function eventsOf<Kind extends TranscriptEvent['kind']>(run: WithTranscript, kind: Kind): readonly EventOf<Kind>[] {
  return run.transcript.filter((event): event is EventOf<Kind> => event.kind === kind)
}
