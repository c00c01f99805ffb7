import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { isJsonObject, stringOrNull } from '../../lib/json.ts'
import type { HookPlan, PlannedHook, RecordedDecision, SaidWords } from './hook-plan.ts'

// Runs inside the sandbox as part of the hook shim: what it imports is bundled into it, so it imports little.

type Json = Record<string, unknown>

/**
 * What hooks get of a call in the universal spelling. A patch may change several files, and a hook that guards
 * files looks at one: it is asked about each of them.
 */
export function universalCalls(payload: Json, cwd: string): readonly Json[] {
  const patch = patchOf(payload)
  if (patch === null) return [withFilePath(payload)]
  const changes = [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, kind = '', file = '']) => {
    return { tool: kind === 'Add' ? 'Write' : 'Edit', file }
  })
  const moves = [...patch.matchAll(/^\*\*\* Move to: (.+)$/gm)].map(([, file = '']) => ({ tool: 'Write', file }))
  const calls = [...changes, ...moves].map(({ tool, file }) => {
    return { toolName: tool, toolInput: { file_path: resolve(cwd, file.trim()), command: patch } }
  })
  return calls.length === 0 ? [{}] : calls
}

// Some engines call the file of a call `path`.
function withFilePath({ tool_name: tool, tool_input: input }: Json): Json {
  const { path, file_path: named } = objectOf(input)
  const isOfFile = tool === 'Write' || tool === 'Edit' || tool === 'Read'
  if (!isOfFile || typeof path !== 'string' || named !== undefined) return {}
  return { toolInput: { ...objectOf(input), file_path: path } }
}

/** A payload with its fields in the engine's spelling and in the package format's. */
export function inBothSpellings(payload: Json, hook: PlannedHook): Json {
  const universal = Object.entries(payload).map(([key, value]) => [
    key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return { ...Object.fromEntries(universal), ...payload, hookEventName: hook.event }
}

/** A payload for a script that was written for Claude Code; `call` is what {@link universalCalls} says of it. */
export function forNativeHook(payload: Json, call: Json): Json {
  const { toolName = payload['tool_name'], toolInput = payload['tool_input'], ...rest } = call
  const { tool_name: _, tool_input: __, ...others } = payload
  const tool = toolName === undefined ? {} : { tool_name: toolName, tool_input: toolInput }
  return { ...others, ...rest, ...tool }
}

/** A payload in which fields have the names of Claude Code: some engines tell some events in other words. */
export function withSnakeCase(payload: Json): Json {
  const snake = Object.entries(payload).map(([key, value]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return { ...Object.fromEntries(snake), ...payload }
}

/** An answer in the words of the engine that asked. */
export function inNativeSpelling(answer: Json, payload: Json, hook: PlannedHook): Json {
  const specific = answer['hookSpecificOutput']
  const native = payload['hook_event_name']
  if (typeof specific !== 'object' || specific === null || native === undefined) return answer
  const answeredEvent = (specific as Json)['hookEventName']
  if (answeredEvent !== undefined && answeredEvent !== hook.event) return answer
  return { ...answer, hookSpecificOutput: { ...specific, hookEventName: native } }
}

/** A denial in the only words that some engines understand; `null` when nothing was denied. */
export function denialAsJson(
  { decision, reason }: Pick<RecordedDecision, 'decision' | 'reason'>,
  payload: Json,
  hook: PlannedHook,
): Json | null {
  if (decision !== 'blocked-exit-2' && decision !== 'denied-json') return null
  if (hook.event === 'permission-request') return { behavior: 'deny', message: reason }
  if (hook.event !== 'pre-tool-use') return { decision: 'block', reason }
  const specific = { permissionDecision: 'deny', permissionDecisionReason: reason }
  return { hookSpecificOutput: { hookEventName: payload['hook_event_name'], ...specific } }
}

/** Words for the model in the only place where some engines look for them; `null` where there are none to move. */
export function contextAsJson(stdout: string, answer: Json | null, hook: Pick<PlannedHook, 'event'>): Json | null {
  if (answer?.['additionalContext'] !== undefined) return null
  const context = saidBy(stdout, { hook }).find(({ what }) => what === 'context')
  return context === undefined ? null : { ...answer, additionalContext: context.text }
}

/** What finds the call of a payload again that does not tell its id. */
export function nameOfCall({ tool_use_id: callId, tool_input: input }: Json): Pick<RecordedDecision, 'input'> {
  return callId === undefined && input !== undefined ? { input: hashOfInput(input) } : {}
}

/** Names a call by its input, for engines that do not tell hooks its id. */
export function hashOfInput(input: unknown): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 16)
}

/** The file that a call is about; empty when it is about none. */
export function touchedFile(call: Json): string {
  const input = objectOf(call['toolInput'] ?? call['tool_input'])
  const paths = [input['file_path'], input['notebook_path'], input['path']]
  return paths.find((path) => typeof path === 'string') ?? ''
}

function patchOf(payload: Json): string | null {
  const input = payload['tool_input']
  // Some engines name the tool like the one that replaces a text, and give the patch itself.
  if (typeof input === 'string') return input.startsWith('*** Begin Patch') ? input : null
  const { command } = objectOf(input)
  return payload['tool_name'] === 'apply_patch' && typeof command === 'string' ? command : null
}

/** What the output of a hook that exited 0 comes to. */
export type ReadHookAnswer =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'denied'; readonly reason: string }
  /** It was meant to decide, and engines ignore it: why, as the end of a sentence about the hook. */
  | { readonly kind: 'invalid'; readonly reason: string }

/** For whom an answer is. */
export interface AnswerReader {
  readonly hook: Pick<PlannedHook, 'event'>
  /** The engine's own name of the event, as the hook received it. */
  readonly nativeEvent: string | null
  readonly answers?: HookPlan['answers']
  readonly unheeded?: HookPlan['unheeded']
}

/** Reads what a hook printed. An answer that no engine acts on is named: its author believes that it decides. */
export function readHookAnswer(stdout: string, reader: AnswerReader): ReadHookAnswer {
  const text = stdout.trim()
  const answer = parseAnswer(text)
  if (answer === null) return readText(text, reader)
  const reason = findMistake(answer, reader)
  if (reason !== null) return { kind: 'invalid', reason }
  const denial = findDenial(answer)
  return denial === null ? { kind: 'allowed' } : { kind: 'denied', reason: denial }
}

/** What a hook that exited with 0 told the model and the user, apart from why it denied. */
export function saidBy(stdout: string, { hook }: Pick<AnswerReader, 'hook'>): readonly SaidWords[] {
  const answer = parseAnswer(stdout.trim())
  // Only these events take plain text as context.
  if (answer === null) return CONTEXT_EVENTS.has(hook.event) ? words('context', stdout.trim()) : []
  const specific = objectOf(answer['hookSpecificOutput'])
  const output = specific['updatedToolOutput'] ?? specific['updatedMCPToolOutput'] ?? answer['modifiedResult']
  return [
    ...words('context', specific['additionalContext'] ?? answer['additionalContext']),
    ...words('message', answer['systemMessage']),
    ...words('input', specific['updatedInput'] ?? answer['modifiedArgs']),
    ...words('output', output),
  ]
}

function words(what: SaidWords['what'], value: unknown): readonly SaidWords[] {
  const text = typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
  return text === '' ? [] : [{ what, text: text.slice(0, MOST_CHARACTERS) }]
}

const MOST_CHARACTERS = 8000

/** Reads an answer in JSON; `null` for any other text. */
export function parseAnswer(text: string): Json | null {
  if (!text.trimStart().startsWith('{')) return null
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}

// Some events take plain text as context for the model.
function readText(text: string, { hook }: AnswerReader): ReadHookAnswer {
  if (!MEANT.test(text)) return { kind: 'allowed' }
  if (text.startsWith('{') || text.startsWith('['))
    return { kind: 'invalid', reason: 'its answer is not one JSON object' }
  if (CONTEXT_EVENTS.has(hook.event)) return { kind: 'allowed' }
  const line = text.split('\n').findIndex((one) => parseAnswer(one) !== null)
  if (line < 0) return { kind: 'allowed' }
  return { kind: 'invalid', reason: 'it prints text beside its JSON answer; print the JSON alone' }
}

const MEANT = /"(?:decision|permissionDecision|continue)"\s*:/
const CONTEXT_EVENTS: ReadonlySet<string> = new Set(['pre-prompt', 'session-start'])

function findMistake(answer: Json, reader: AnswerReader): string | null {
  const specific = answer['hookSpecificOutput']
  if (specific !== undefined && !isJsonObject(specific)) return 'hookSpecificOutput is not an object'
  return (
    wrongEvent(objectOf(specific), reader) ??
    wrongPermission(answer, objectOf(specific), reader) ??
    wrongDecision(answer, objectOf(specific), reader) ??
    unheededAnswer(answer, objectOf(specific), reader) ??
    wrongWords(answer)
  )
}

function wrongEvent({ hookEventName }: Json, { hook, nativeEvent }: AnswerReader): string | null {
  if (hookEventName === undefined || hookEventName === hook.event || hookEventName === nativeEvent) return null
  return `hookEventName is ${show(hookEventName)}, and the event is ${hook.event}`
}

function wrongPermission(answer: Json, specific: Json, { answers }: AnswerReader): string | null {
  const { permissionDecision } = specific
  if (permissionDecision !== undefined && !PERMISSIONS.includes(permissionDecision))
    return `permissionDecision is ${show(permissionDecision)}, and only ${PERMISSIONS.join(', ')} are known`
  // The engine that understands nothing but JSON reads it at the top, too.
  if (answers === 'json' || answer['permissionDecision'] === undefined) return null
  return 'permissionDecision is not inside hookSpecificOutput'
}

const PERMISSIONS: readonly unknown[] = ['allow', 'deny', 'ask', 'defer']

function wrongDecision(answer: Json, specific: Json, { hook, answers }: AnswerReader): string | null {
  const { decision } = answer
  // A denial is written anew for such an engine.
  const allowed = answers === 'json' ? [...DECISIONS, 'deny'] : DECISIONS
  if (decision !== undefined && !allowed.includes(decision))
    return `decision is ${show(decision)}, and only ${DECISIONS.join(' and ')} are known`
  if (specific['decision'] === undefined) return null
  if (hook.event !== 'permission-request')
    return 'hookSpecificOutput.decision is for the event permission-request; write permissionDecision'
  const { behavior } = objectOf(specific['decision'])
  return BEHAVIORS.has(behavior) ? null : `behavior is ${show(behavior)}, and only allow and deny are known`
}

function unheededAnswer(answer: Json, specific: Json, { hook, unheeded = [] }: AnswerReader): string | null {
  if (hook.event !== 'pre-tool-use') return null
  if (specific['permissionDecision'] === 'ask' && unheeded.includes('ask'))
    return 'permissionDecision is "ask", which this engine does not know; write "deny"'
  return answer['continue'] === false && unheeded.includes('continue')
    ? 'continue is false, which this engine does not heed before a call; write permissionDecision'
    : null
}

const DECISIONS: readonly unknown[] = ['block', 'approve']
const BEHAVIORS: ReadonlySet<unknown> = new Set(['allow', 'deny'])

function wrongWords(answer: Json): string | null {
  const { continue: goesOn } = answer
  if (goesOn !== undefined && typeof goesOn !== 'boolean') return `continue is ${show(goesOn)}, not true or false`
  const text = ['reason', 'stopReason'].find((name) => answer[name] !== undefined && typeof answer[name] !== 'string')
  if (text !== undefined) return `${text} is not a text`
  const entries = Object.entries(answer)
  if (entries.some(([name]) => FIELDS.has(name))) return null
  const denying = entries.find(([, value]) => typeof value === 'string' && DENYING.test(value))
  return denying === undefined
    ? null
    : `no engine knows its field ${show(denying[0])}; write decision or permissionDecision`
}

const FIELDS: ReadonlySet<string> = new Set([
  'continue',
  'decision',
  'hookSpecificOutput',
  'reason',
  'permissionDecision',
  'stopReason',
  'suppressOutput',
  'systemMessage',
])
const DENYING = /^(?:block|deny|denied|reject|refuse|forbid)/i

/** The reason of an answer that denies, or `null`. A session without a person takes `ask` for a denial. */
function findDenial(answer: Json): string | null {
  const specific = objectOf(answer['hookSpecificOutput'])
  const permission = specific['permissionDecision']
  if (permission === 'deny' || permission === 'ask') return stringOrNull(specific['permissionDecisionReason']) ?? ''
  const decision = objectOf(specific['decision'])
  if (decision['behavior'] === 'deny') return stringOrNull(decision['message']) ?? ''
  if (answer['decision'] === 'block' || answer['decision'] === 'deny') return stringOrNull(answer['reason']) ?? ''
  return answer['continue'] === false ? (stringOrNull(answer['stopReason']) ?? '') : null
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 60)
}

function objectOf(value: unknown): Json {
  return isJsonObject(value) ? value : {}
}
