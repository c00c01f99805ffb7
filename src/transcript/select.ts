import { isJsonObject } from '../lib/json.ts'
import type { AgentRun, Blocker, EventOrigin, TranscriptEvent, UnnumberedEvent } from './transcript.ts'

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
type WithTranscript = Pick<AgentRun, 'transcript'>

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

/** The use of a skill by the main thread that decides a run: the rest of it is not waited for, and costs nothing. */
export interface DecidingUse {
  /** Their plain names; `null` for any skill. */
  readonly skills: readonly string[] | null
}

/** Whether the use of a skill of this name decides. Pure. */
export function isDeciding(name: string, { skills }: DecidingUse): boolean {
  return skills === null || skills.includes(plainName(name))
}

/** Whether an event decides its run: nothing that comes after it can change what is counted. Pure. */
export function decidesRun(event: UnnumberedEvent, use: DecidingUse): boolean {
  return event.kind === 'skill-used' && event.agent === null && isDeciding(event.skill, use)
}

/**
 * Whether an output says nothing at all. Such outputs are known to be judged good (arXiv 2507.08794), so no judge is
 * asked about them: blank, only punctuation or invisible characters, or an opening without anything behind it.
 */
export function saysNothing(output: string): boolean {
  const words = output
    .slice(0, LONGEST)
    .replaceAll(/[\s\p{P}\p{Sc}\p{Sk}\p{Sm}\p{C}\p{Z}]+/gu, ' ')
    .trim()
  return output.length <= LONGEST && (words === '' || OPENING.test(words))
}

const LONGEST = 200

const OPENING =
  /^(?:thought process|reasoning|analysis|thinking|solution|answer|final answer|output|result|response|let s think step by step|let s solve this problem step by step|解|解答|かいせつ|respuesta|réponse|antwort|ответ)$/iu

/** Whether a run left anything in files that can be judged without its words. */
export function hasChangedFiles({ files: { created, modified, deleted } }: Pick<AgentRun, 'files'>): boolean {
  return created.length + modified.length + deleted.length > 0
}

/** A skill's name as its folder has it: a plugin's skills carry its name in front. */
export function plainName(skill: string): string {
  return skill.slice(skill.lastIndexOf(':') + 1)
}

/** What decided a run of a trigger query. */
export interface RunDecision {
  readonly by: DecidedBy
  /** Why the first turn alone did not; `null` where it did, or was not to. */
  readonly because: string | null
}

/** The first model turn alone, the first turn and the session that went on with it, or a session of its own. */
type DecidedBy = 'full' | 'probe' | 'probe+full'
