import { isJsonObject, objectOf, stringOf, tryParseJson, type JsonObject } from '../lib/json.ts'
import type { ObservedResult } from '../recordings/conversation.ts'
import type { AnswerBlock } from '../recordings/messages.ts'
import type { RunStatus, UnnumberedEvent } from '../transcript/transcript.ts'
import type { HookRun, RecordedDecision } from './hooks/hook-plan.ts'
import { hashOfInput } from './hooks/hook-shim-payload.ts'

/** Everything known of a stream when it is over. */
export interface StreamSummary {
  /** How the CLI says the run went; `null` when its last word is missing. */
  readonly status: RunStatus | null
  readonly problem: string | null
  readonly version: string | null
  readonly sessionId: string | null
  readonly model: string | null
  /** All text of the main thread, in order; absent where what the gateway saw is the record. */
  readonly output?: string
  /** The last message of the main thread; absent where what the gateway saw is the record. */
  readonly finalMessage?: string
  /** Skills that the session offered, from its own listing; `null` when it does not say. */
  readonly skills: readonly string[] | null
  /** Names of MCP servers that did not start; absent where the engine names none. */
  readonly failedServers?: readonly string[]
  /** Hooks of native origin that gave no verdict, such as one that timed out. */
  readonly hooksWithoutVerdict: number
  /** The hooks that its own events show, all but those of `session-end`; absent where it shows none. */
  readonly hookRuns?: readonly HookRun[]
}

/** Reads the stream of one process. */
export interface StreamReader {
  /** Takes one line of stdout; returns the events it held. Never throws on a malformed line. */
  line(text: string): readonly UnnumberedEvent[]
  end(): StreamSummary
}

/** A remark of the engine; none for an empty text. */
export function notice(text: string, agent: string | null = null): readonly UnnumberedEvent[] {
  return text === '' ? [] : [{ kind: 'notice', agent, text }]
}

/** Words of the model; none for an empty text. */
export function message(text: string, agent: string | null = null): readonly UnnumberedEvent[] {
  return text === '' ? [] : [{ kind: 'message', agent, text }]
}

/** Reports a line that cannot be read. The first of a kind is shown, and then each tenth power: a flood stays readable. */
export function reportLine(
  count: number,
  text: string,
  what = 'is not JSON of the stream',
): readonly UnnumberedEvent[] {
  if (!Number.isInteger(Math.log10(count))) return []
  const which = count === 1 ? 'A line' : `The ${count}th line that`
  return notice(`${which} ${what}: ${text.slice(0, 120)}`)
}

/** What is known of a stream that tells nothing of its session. */
export const NO_FACTS: Omit<StreamSummary, 'problem' | 'status'> = {
  version: null,
  sessionId: null,
  model: null,
  skills: null,
  hooksWithoutVerdict: 0,
}

/** One line of a CLI's stream of JSON; `null` for whatever else it prints. */
export function parseEvent(line: string): JsonObject | null {
  const value = tryParseJson(line)
  return isJsonObject(value) && typeof value['type'] === 'string' ? value : null
}

/** Finds the call that a decision concerns where the engine gave no id: the n-th decision of a hook on equal calls is the n-th one's. */
export function withCallIds(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
): readonly RecordedDecision[] {
  if (decisions.every(({ input }) => input === undefined)) return decisions
  const calls = events.flatMap((event) =>
    event.kind === 'tool-call' ? [{ ...event, hash: hashOfInput(event.input) }] : [],
  )
  const seen = new Map<string, number>()
  return decisions.map((decision) => {
    if (decision.input === undefined) return decision
    const key = [decision.id, decision.tool, decision.input].join(' ')
    const index = seen.get(key) ?? 0
    seen.set(key, index + 1)
    const alike = calls.filter((call) => call.hash === decision.input && isSameTool(call, decision))
    return { ...decision, toolCallId: alike[index]?.id ?? null }
  })
}

// Hooks know the tools of MCP servers by names of the engine's own.
function isSameTool({ tool }: ShownCall, decision: RecordedDecision): boolean {
  return tool === decision.tool || tool.startsWith('mcp__')
}

/** Whether the result of a call that failed says that the sandbox stopped it. */
export function isSandboxDenial(text: string): boolean {
  return /\bEROFS\b|read-only file system|<sandbox_violations>/i.test(text)
}

/** A skill that a tool call uses once it succeeds, by the tool for skills or by reading its file. */
export interface SkillSignal {
  readonly skill: string
  readonly via: 'read' | 'tool'
}

/** The tools of an engine by which a model uses skills. */
export interface SkillTools {
  readonly use: string
  readonly read: string
}

/** The skill that a tool call uses once it succeeds, if any. What commands read is seen by what they print. */
export function skillSignals(
  { tool, input }: Pick<ShownCall, 'input' | 'tool'>,
  { use, read }: SkillTools,
): readonly SkillSignal[] {
  const { skill, file_path: file, path } = objectOf(input)
  const used = tool === use ? /^\/?(.+)$/.exec(stringOf(skill)) : null
  const opened = tool === read ? /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/.exec(stringOf(file ?? path)) : null
  const name = (used ?? opened)?.[1]
  return name === undefined ? [] : [{ skill: name, via: used === null ? 'read' : 'tool' }]
}

type EventOf<Kind extends UnnumberedEvent['kind']> = Extract<UnnumberedEvent, { kind: Kind }>

/** A call as the gateway saw the model make it. */
export type ModelCall = Extract<AnswerBlock, { kind: 'tool-call' }>

/** A call as the engine's stream shows it. */
export type ShownCall = EventOf<'tool-call'>

/** A result as the engine's stream shows it. */
export type ShownResult = EventOf<'tool-result'>

/** What a result came to. */
export type ResultFacts = Pick<ShownResult, 'blockedBy' | 'isError' | 'text'>

/** How an engine's calls and results look at the gateway, so that its runs can be read from there. */
export interface RecordTable {
  /** A model's call by the tool and input that checks and hooks know it by. */
  callOf(call: ModelCall): Pick<ShownCall, 'input' | 'tool'>
  /** One name for a tool, from that of `callOf` or of the stream, which may know more of it, such as its server. */
  plainTool(tool: string): string
  /**
   * What the model was given as a result. The stream may add, by the id of the call, that it failed and who stopped it
   * where the API has no mark for that, and never what the result says.
   */
  resultOf(given: ObservedResult, shown: ShownResult | undefined): ResultFacts
  /** The skills that a call uses with this result, which did not fail. */
  skillsOf(call: Pick<ShownCall, 'input' | 'tool'>, text: string): readonly SkillSignal[]
  /** The skill that the engine itself put into this text for the model. */
  skillIn?(text: string): string | null
  /** Whether a call of the model is a script that could have made this one of the stream; absent where there are none. */
  couldMake?(script: Pick<ShownCall, 'input' | 'tool'>, shown: ShownCall): boolean
  /** Calls that were refused inside of a script, by what it returned. */
  refusedIn?(script: ModelCall, text: string): readonly RefusedCall[]
}

/** A call that a script made and that was stopped. */
interface RefusedCall extends Pick<ShownCall, 'input' | 'tool'> {
  readonly text: string
}
