import { isJsonObject, tryParseJson } from '../../lib/json.ts'
import { groupBy } from '../../lib/lists.ts'
import { remindersAfter, type Conversation } from '../../recordings/conversation.ts'
import { withoutSpace } from '../../lib/text.ts'
import type { HookWords, UnnumberedEvent } from '../../transcript/transcript.ts'
import { withCallIds } from '../stream.ts'
import type { StartedHook } from './hanging-hooks.ts'
import type { Engine } from '../engine.ts'
import type { PlannedHook, RecordedDecision, SaidWords } from './hook-plan.ts'

/** Reads `decisions.jsonl`; a line that was cut off when the session was killed is left out. */
export function parseDecisions(text: string): readonly RecordedDecision[] {
  return text.split('\n').flatMap((line) => {
    const value = tryParseJson(line)
    if (!isDecision(value)) return []
    const { said, run: _run, ...decision } = value as RecordedDecision & Partial<StartedHook>
    return [Array.isArray(said) && said.every(isSaid) ? { ...decision, said } : decision]
  })
}

function isSaid(value: unknown): value is SaidWords {
  return isJsonObject(value) && typeof value['text'] === 'string' && WHATS.has(value['what'])
}

const WHATS: ReadonlySet<unknown> = new Set<HookWords['what']>(['context', 'input', 'message', 'output'])

/** What is known of the hooks of a session beside their decisions. */
export interface HookContext {
  readonly hooks: readonly PlannedHook[]
  /** What the gateway saw; `null` where nothing listened. */
  readonly conversation: Conversation | null
  readonly wordsAfter?: Engine['wordsAfter']
}

/** Puts each decision of a hook into the transcript once: beside the tool call it concerns, else at the place of its event. */
export function mergeDecisions(
  events: readonly UnnumberedEvent[],
  recorded: readonly RecordedDecision[],
  context: HookContext = { hooks: [], conversation: null },
): readonly UnnumberedEvent[] {
  const toEvent = createEvents(context)
  const decisions = withStoppedCalls(events, withCallIds(events, recorded))
  const calls = new Map(events.flatMap((event) => (event.kind === 'tool-call' ? [[event.id, event] as const] : [])))
  const answered = new Set(events.flatMap((event) => (event.kind === 'tool-result' ? [event.id] : [])))
  const isLoose = ({ toolCallId }: RecordedDecision): boolean => toolCallId === null || !calls.has(toolCallId)
  const loose = decisions.filter(isLoose)
  const byCall = groupBy(decisions, ({ toolCallId }) => toolCallId)

  const after = (event: UnnumberedEvent): readonly UnnumberedEvent[] => {
    if (event.kind !== 'tool-call' && event.kind !== 'tool-result') return []
    const call = calls.get(event.id)
    if (call === undefined) return []

    const concerned = byCall.get(event.id) ?? []
    const isDue = (decision: RecordedDecision): boolean =>
      (event.kind === 'tool-result') === (isAfterCall(decision) && answered.has(event.id))
    const due = concerned.filter(isDue).map((decision) => toEvent(decision, event.agent))
    return event.kind === 'tool-result' ? [...due, ...unrecordedBlock(event, call.tool, concerned)] : due
  }

  return [
    ...loose.filter(isAtStart).map((decision) => toEvent(decision, null)),
    ...events.flatMap((event) => [event, ...after(event)]),
    ...loose.filter((decision) => !isAtStart(decision)).map((decision) => toEvent(decision, null)),
  ]
}

/** Some engines tell hooks of some events another input than the call's: what such a hook stopped is what no other one did. */
function withStoppedCalls(
  events: readonly UnnumberedEvent[],
  decisions: readonly RecordedDecision[],
): readonly RecordedDecision[] {
  const explained = new Set(decisions.filter(isBlock).map(({ toolCallId }) => toolCallId))
  const stopped = events.flatMap((event) =>
    event.kind === 'tool-result' && event.blockedBy === 'hook' && !explained.has(event.id) ? [event.id] : [],
  )
  return decisions.map((decision) => {
    if (decision.toolCallId !== null || decision.tool === null || !isBlock(decision)) return decision
    const id = stopped.shift()
    const call = events.find((event) => event.kind === 'tool-call' && event.id === id)
    return call?.kind === 'tool-call' ? { ...decision, toolCallId: call.id, tool: call.tool } : decision
  })
}

/** A prompt hook is run by the engine itself, so that the engine's word is all there is. */
function unrecordedBlock(
  result: UnnumberedEvent & { kind: 'tool-result' },
  tool: string,
  concerned: readonly RecordedDecision[],
): readonly UnnumberedEvent[] {
  if (result.blockedBy !== 'hook') return []
  // Some engines take a hook that broke for a denial.
  if (concerned.some((decision) => isBlock(decision) || isBroken(decision))) return []
  return [
    {
      kind: 'hook',
      agent: result.agent,
      event: 'pre-tool-use',
      tool,
      decision: 'denied-json',
      exitCode: null,
      reason: result.text,
    },
  ]
}

function createEvents({
  hooks,
  conversation,
  wordsAfter,
}: HookContext): (decision: RecordedDecision, agent: string | null) => UnnumberedEvent {
  const planned = new Map(hooks.map((hook) => [hook.id, hook]))
  let shown: ShownTexts | null = null
  return (decision, agent) => {
    const { id, event, tool, exitCode, reason, said = [] } = decision
    const { matcher, async } = planned.get(id) ?? {}
    const reasons: readonly SaidWords[] = isBlock(decision) && reason !== '' ? [{ what: 'reason', text: reason }] : []
    const told = [...reasons, ...said].map((words): HookWords => {
      const toldText = withoutSpace(words.text)
      if (conversation !== null) shown ??= textsForModel(conversation, wordsAfter)
      const texts = shown === null ? [] : [...shown.byEngine, ...shown.besideResult(decision)]
      return { ...words, reachedModel: toldText !== '' && texts.some((text) => text.includes(toldText)) }
    })
    return {
      kind: 'hook',
      agent,
      event,
      tool,
      decision: decision.decision,
      exitCode,
      reason,
      ...(async === undefined ? {} : { async }),
      ...(matcher === undefined ? {} : { matcher }),
      ...(told.length === 0 ? {} : { told }),
    }
  }
}

interface ShownTexts {
  /** What the engine itself showed the model: all but what tools returned, which any of them can print. */
  readonly byEngine: readonly string[]
  /** What the engine put in the place of a call's result, or beside it. */
  besideResult(decision: RecordedDecision): readonly string[]
}

function textsForModel({ threads }: Conversation, wordsAfter: HookContext['wordsAfter']): ShownTexts {
  const turns = threads.flatMap((thread) => thread.turns)
  const results = turns.flatMap((turn) => [...turn.results, ...(turn.changed ?? [])])
  const ofTools = new Set(results.map(({ text }) => text))
  return {
    byEngine: turns.flatMap(({ texts }) => texts.filter((text) => !ofTools.has(text)).map(withoutSpace)),
    besideResult(decision) {
      const ofCall = results.filter(({ id }) => id === decision.toolCallId)
      // A call that its hook stopped has no other result than the hook's.
      const isAll = isBlock(decision) && !isAfterCall(decision)
      return ofCall.map(({ text }) => {
        const after = (): string => wordsAfter?.({ tool: decision.tool, text }) ?? remindersAfter(text)
        return withoutSpace(isAll ? text : after())
      })
    },
  }
}

// An interpreter may exit 2 because the script is missing: the engine takes that for a block.
function isBlock({ decision, exitCode }: RecordedDecision): boolean {
  return decision === 'blocked-exit-2' || decision === 'denied-json' || (decision === 'missing' && exitCode === 2)
}

function isBroken({ decision, event }: RecordedDecision): boolean {
  return event !== 'post-tool-use' && BROKEN.has(decision)
}

const BROKEN: ReadonlySet<string> = new Set(['failed', 'invalid', 'missing', 'timed-out'])

function isAfterCall({ event }: RecordedDecision): boolean {
  return event === 'post-tool-use'
}

function isAtStart({ event }: RecordedDecision): boolean {
  return event === 'session-start' || event === 'pre-prompt'
}

function isDecision(value: unknown): value is RecordedDecision {
  return (
    isJsonObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['event'] === 'string' &&
    typeof value['decision'] === 'string'
  )
}
