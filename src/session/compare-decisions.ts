import { isBlocking } from '../checks/hook-events.ts'
import {
  namesTool,
  type EndedCall,
  type HookCoverage,
  type HookPlan,
  type HookRun,
  type PlannedHook,
  type RecordedDecision,
} from '../engines/hooks/hook-plan.ts'
import { touchedFile, universalCalls } from '../engines/hooks/hook-shim-payload.ts'
import { withCallIds } from '../engines/stream.ts'
import { withoutSpace } from '../lib/text.ts'
import { COMPACTION, turnAt, type Conversation } from '../recordings/conversation.ts'
import type { FileChanges, UnnumberedEvent } from '../transcript/transcript.ts'
import { callsIn } from './weave-stream.ts'

/** The records of one session that completed, each by another author. */
export interface HookRecords {
  readonly coverage: HookCoverage
  readonly hookPlan: Pick<HookPlan, 'hooks'>
  /** The transcript without them. */
  readonly events: readonly UnnumberedEvent[]
  /** What the gateway saw. */
  readonly conversation: Conversation
  /** The lines of the shim. */
  readonly decisions: readonly RecordedDecision[]
  readonly hookRuns: readonly HookRun[] | null
  readonly files: FileChanges
  /** Whether it went on with an earlier session. */
  readonly isResumed: boolean
}

/**
 * One sentence on the first difference between the records of hooks; `null` when they agree. Hooks and tools run as the
 * same user, so a tool can write the lines of the shim: only together are the records worth something.
 */
export function compareHooks(records: HookRecords): string | null {
  const { events, hookPlan } = records
  const decisions = withCallIds(events, records.decisions)
  const of = groupCalls(records, decisions)
  const planned = new Map(hookPlan.hooks.map((hook) => [hook.id, hook]))
  const found =
    decisions.map((line) => strangeLine(line, planned.get(line.id), of, records)).find(Boolean) ??
    [...of.groups.values()].map((group) => differenceIn(group, records)).find(Boolean) ??
    missingStart(records) ??
    blockedPrompt(records) ??
    unseenRun(records) ??
    decisions.map((line) => unseenDenial(line, records)).find(Boolean) ??
    changedByBlocked(events, decisions, records.files, records.coverage)
  return found === undefined || found === null ? null : `The records of the hooks differ: ${found}.`
}

/** Calls that look alike to hooks. */
interface CallGroup {
  readonly calls: EndedCall[]
  open: number
  readonly name: string
  readonly lines: RecordedDecision[]
}

interface Groups {
  readonly groups: ReadonlyMap<string, CallGroup>
  readonly keyOf: (line: RecordedDecision) => string
}

function groupCalls({ events, conversation }: HookRecords, decisions: readonly RecordedDecision[]): Groups {
  const called = modelCalls(conversation)
  const byTool = decisions.some(({ input }) => input !== undefined)
  const results = new Map(events.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event] as const] : [])))
  const groups = new Map<string, CallGroup>()
  for (const call of events) {
    // What the model has not called is the engine's own, such as a look at a command in the background.
    if (call.kind !== 'tool-call' || !called.has(call.id)) continue
    const key = byTool ? hookTool(call.tool) : call.id
    const group = groups.get(key) ?? { calls: [], open: 0, name: `${call.tool} (${call.id})`, lines: [] }
    groups.set(key, group)
    const result = results.get(call.id)
    if (result === undefined) group.open += 1
    else group.calls.push({ call, result })
  }
  const keyOf = ({ tool, toolCallId }: RecordedDecision): string =>
    byTool ? hookTool(tool ?? '') : (toolCallId ?? 'no call')
  for (const line of decisions) if (isOfTool(line)) groups.get(keyOf(line))?.lines.push(line)
  return { groups, keyOf }
}

// Some hooks know the tools of servers by another name.
function hookTool(tool: string): string {
  return tool.replace(/^mcp__(.+?)__/, '$1-')
}

function isOfTool({ event }: Pick<RecordedDecision, 'event'>): boolean {
  return event === 'pre-tool-use' || event === 'post-tool-use'
}

function strangeLine(
  line: RecordedDecision,
  hook: PlannedHook | undefined,
  { groups, keyOf }: Groups,
  { events, conversation, coverage }: HookRecords,
): string | null {
  if (hook?.event !== line.event) return `decisions.jsonl has a line for ${line.id}, which is not a hook of the plan`
  if (!isOfTool(line) || groups.has(keyOf(line))) return null
  const isUncertain = events.some((event) => event.kind === 'tool-call' && coverage.hidesCalls(event.tool))
  if (isUncertain || modelCalls(conversation).has(line.toolCallId ?? '')) return null
  return `decisions.jsonl has a line of the hook ${line.id} for ${line.tool ?? 'a call'} (${line.toolCallId ?? 'no id'}), which neither the gateway nor the engine saw`
}

function modelCalls({ threads }: Conversation): ReadonlySet<string> {
  // An engine may have made calls of an answer that broke off.
  const made = threads.flatMap(({ turns }) =>
    turns.flatMap(({ answer, others = [] }) => [answer?.content ?? [], ...others].flatMap(callsIn)),
  )
  return new Set(made.map(({ id }) => id))
}

function differenceIn(group: CallGroup, records: HookRecords): string | null {
  const { calls, open, name, lines } = group
  const { coverage, hookPlan } = records
  const most = calls.length + open
  for (const hook of hookPlan.hooks) {
    const ownLines = lines.filter(({ id }) => id === hook.id)
    const { event, matcher } = hook
    if (event !== 'pre-tool-use' && event !== 'post-tool-use') continue
    if (ownLines.length > most)
      return `decisions.jsonl has ${ownLines.length} lines of ${hook.id} for ${name}, and the model made ${most === 1 ? 'one such call' : `${most} such calls`}`
    const sure = calls.filter(
      (one) => matcher !== undefined && namesTool(matcher, one.call.tool) && coverage.isSure(event, one),
    )
    // Some engines ask no further hook once one has denied a call.
    const halts = lines.filter((line) => line.id !== hook.id && line.event === event && line.decision !== 'allowed')
    if (ownLines.length + halts.length < sure.length)
      return `the engine carried out or refused ${name}, which ${hook.id} must have decided, and decisions.jsonl has no line for it`
  }
  return wrongBlock(group, records) ?? silentBlock(group, records)
}

function wrongBlock({ calls, open, name, lines }: CallGroup, { coverage }: HookRecords): string | null {
  const blocking = new Map<string, number>()
  for (const line of lines) if (isBlock(line)) blocking.set(line.id, (blocking.get(line.id) ?? 0) + 1)
  const blocked = calls.filter(
    ({ result }) => result.blockedBy === 'hook' && coverage.isBroken?.(result) !== true,
  ).length
  const [id] = [...blocking].find(([, times]) => times > blocked + open) ?? []
  if (id === undefined) return null
  return `decisions.jsonl says that ${id} blocked ${name}, and the model received a result that is not from a hook`
}

// Where the engine has events of hooks, these are compared instead: it has hooks of its own that leave no line.
function silentBlock({ calls, name, lines }: CallGroup, { hookRuns, decisions }: HookRecords): string | null {
  const others = decisions.some(({ event, decision }) => event === 'permission-request' && decision !== 'allowed')
  if (hookRuns !== null || others || lines.length === 0) return null
  const isBlocked = calls.some(({ result }) => result.blockedBy === 'hook')
  if (!isBlocked || lines.some(({ decision }) => decision !== 'allowed')) return null
  return `the engine says that a hook blocked ${name}, and every line of decisions.jsonl allows it`
}

// Without a matcher these run in every session.
function missingStart({ hookPlan, decisions, hookRuns, isResumed }: HookRecords): string | null {
  const due = hookPlan.hooks.find(
    ({ id, event, matcher }) =>
      matcher === null &&
      (event === 'pre-prompt' || (event === 'session-start' && !isResumed)) &&
      (hookRuns === null || hookRuns.some((run) => run.event === event)) &&
      !decisions.some((line) => line.id === id),
  )
  return due === undefined ? null : `${due.id} runs in every session, and decisions.jsonl has no line for it`
}

// A prompt that was blocked reached no model, and each thread has one prompt; a stop that was blocked is another.
function blockedPrompt({ decisions, conversation }: HookRecords): string | null {
  const { threads } = conversation
  if (decisions.some(({ event, decision }) => event === 'stop' && decision !== 'allowed')) return null
  const agents = threads.filter(({ thread }) => thread === 'agent').length
  const main = threads.find(({ thread }) => thread === 'main')?.turns ?? []
  const answered = new Set(main.flatMap(({ answer, order }) => (answer === null ? [] : [turnAt(conversation, order)])))
  const others = agents + (conversation.prompts?.length ?? 1) - answered.size
  const prompts = decisions.filter(({ event }) => event === 'pre-prompt')
  const of = (id: string): readonly RecordedDecision[] => prompts.filter((line) => line.id === id)
  const wrong = prompts.find(({ id }) => answered.size > 0 && of(id).filter(isBlocking).length > others)
  if (wrong === undefined) return null
  return `decisions.jsonl says that ${wrong.id} blocked the prompt, and the gateway saw the model answer it`
}

// What the shim recorded the engine has seen end, with the same exit code.
function unseenRun({ conversation, decisions, hookRuns, hookPlan }: HookRecords): string | null {
  if (hookRuns === null) return null
  const withMatcher = new Set(hookPlan.hooks.flatMap(({ id, matcher }) => (matcher === undefined ? [] : [id])))
  const left = hookRuns.map(nameOfRun)
  // The engine shows that it makes room and no end of hooks, and of a sub-agent only its request for a summary is seen.
  const requests = conversation.threads.flatMap(({ thread, turns }) => (thread === COMPACTION ? turns : []))
  const compactions = requests.length + hookRuns.filter(({ exitCode }) => exitCode === undefined).length
  for (const [index, line] of decisions.entries()) {
    if (line.event === 'session-end' || !withMatcher.has(line.id)) continue
    const before = decisions.slice(0, index).filter(({ id }) => id === line.id).length
    if (line.event === 'pre-compact' && before < compactions) continue
    const name = nameOfRun({ ...line, exitCode: line.decision === 'timed-out' ? 1 : (line.exitCode ?? 1) })
    const at = left.indexOf(name)
    if (at < 0)
      return `decisions.jsonl says that the hook ${line.id} decided ${line.decision}, and the engine reported no such end of a hook (${name})`
    left.splice(at, 1)
  }
  return null
}

/**
 * A denial after a call, at the start or at a stop has no result of its own, and its hook may exit with 0: the gateway has to
 * have seen its reason in a request, or that the session asked nothing more.
 */
function unseenDenial(
  { id, event, decision, exitCode, reason, toolCallId }: RecordedDecision,
  { conversation: { threads }, hookRuns }: HookRecords,
): string | null {
  if (!LATE_EVENTS.has(event) || !isBlocking({ decision })) return null
  // The engine has seen this exit code.
  if (hookRuns !== null && exitCode === 2) return null
  const turns = threads.flatMap((thread) => thread.turns)
  const said = withoutSpace(reason)
  if (said !== '' && turns.some(({ texts }) => texts.some((text) => withoutSpace(text).includes(said)))) return null
  const isOver =
    event === 'session-start'
      ? turns.every(({ answer }) => answer === null)
      : toolCallId !== null && !turns.some(({ results }) => results.some((result) => result.id === toolCallId))
  if (isOver) return null
  return `decisions.jsonl says that ${id} decided ${decision}, and the gateway saw neither its reason nor that the session stopped`
}

const LATE_EVENTS: ReadonlySet<string> = new Set(['post-tool-use', 'session-start', 'stop', 'sub-agent-end'])

function nameOfRun({ event, tool, exitCode }: HookRun): string {
  return `${event}${isOfTool({ event }) ? ` of ${tool ?? ''}` : ''} with exit code ${exitCode}`
}

/** A clause on a file that changed although the only call that names it was blocked; `null` when there is none. */
function changedByBlocked(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
  { created, modified, unreadable }: FileChanges,
  { readers }: Pick<HookCoverage, 'readers'>,
): string | null {
  const blocked = new Set(decisions.filter(isBlock).map(({ toolCallId }) => toolCallId))
  const calls = events.flatMap((event) => (event.kind === 'tool-call' ? [event] : []))
  // Any other call may have changed it.
  if (blocked.size === 0 || calls.some(({ id, tool }) => !blocked.has(id) && !readers.includes(tool))) return null
  const changed = [...created, ...modified, ...unreadable].map(({ path }) => path)
  for (const { id, tool, input } of calls.filter((call) => blocked.has(call.id))) {
    const named = universalCalls({ tool_name: tool, tool_input: input }, '/').map((one) =>
      touchedFile({ tool_input: input, ...one }),
    )
    const file = changed.find((path) => named.some((one) => one === path || one.endsWith(`/${path}`)))
    if (file !== undefined) return `decisions.jsonl says that ${tool} (${id}) was blocked, and its file ${file} changed`
  }
  return null
}

function isBlock({ event, decision }: RecordedDecision): boolean {
  return event === 'pre-tool-use' && isBlocking({ decision })
}
