import { resolve } from 'node:path'
import { isJsonObject, objectOf, stringOrNull, tryParseJson, type JsonObject } from '../../lib/json.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { HookPlan, PlannedHook, RecordedDecision, SaidWords } from './hook-plan.ts'

// Runs inside the sandbox as part of the hook shim: what it imports is bundled into it, so it imports little.

/**
 * What hooks get of a call in the universal spelling. A patch may change several files, and a hook that guards
 * files looks at one: it is asked about each of them.
 */
export function universalCalls(payload: JsonObject, cwd: string): readonly JsonObject[] {
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
function withFilePath({ tool_name: tool, tool_input: input }: JsonObject): JsonObject {
  const { path, file_path: named } = objectOf(input)
  const isOfFile = tool === 'Write' || tool === 'Edit' || tool === 'Read'
  if (!isOfFile || typeof path !== 'string' || named !== undefined) return {}
  return { toolInput: { ...objectOf(input), file_path: path } }
}

/** A payload with its fields in the engine's spelling and in the package format's. */
export function inBothSpellings(payload: JsonObject, hook: PlannedHook): JsonObject {
  const universal = Object.entries(payload).map(([key, value]) => [
    key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ])
  return { ...Object.fromEntries(universal), ...payload, hookEventName: hook.event }
}

/** A payload for a script that was written for Claude Code; `call` is what {@link universalCalls} says of it. */
export function forNativeHook(payload: JsonObject, call: JsonObject): JsonObject {
  const { toolName = payload['tool_name'], toolInput = payload['tool_input'], ...rest } = call
  const { tool_name: _, tool_input: __, ...others } = payload
  const tool = toolName === undefined ? {} : { tool_name: toolName, tool_input: toolInput }
  return { ...others, ...rest, ...tool }
}

/** A payload in which fields have the names of Claude Code: some engines tell some events in other words. */
export function withSnakeCase(payload: JsonObject): JsonObject {
  const snake = Object.entries(payload).map(([key, value]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    value,
  ])
  return { ...Object.fromEntries(snake), ...payload }
}

/** An answer in the words of the engine that asked. */
export function inNativeSpelling(answer: JsonObject, payload: JsonObject, hook: PlannedHook): JsonObject {
  const specific = answer['hookSpecificOutput']
  const native = payload['hook_event_name']
  if (!isJsonObject(specific) || native === undefined) return answer
  const answeredEvent = specific['hookEventName']
  if (answeredEvent !== undefined && answeredEvent !== hook.event) return answer
  return { ...answer, hookSpecificOutput: { ...specific, hookEventName: native } }
}

/** A denial in the only words that some engines understand; `null` when nothing was denied. */
export function denialAsJson(
  { decision, reason }: Pick<RecordedDecision, 'decision' | 'reason'>,
  payload: JsonObject,
  hook: PlannedHook,
): JsonObject | null {
  if (decision !== 'blocked-exit-2' && decision !== 'denied-json') return null
  if (hook.event === 'permission-request') return { behavior: 'deny', message: reason }
  if (hook.event !== 'pre-tool-use') return { decision: 'block', reason }
  const specific = { permissionDecision: 'deny', permissionDecisionReason: reason }
  return { hookSpecificOutput: { hookEventName: payload['hook_event_name'], ...specific } }
}

/** Words for the model in the only place where some engines look for them; `null` where there are none to move. */
export function contextAsJson(
  stdout: string,
  answer: JsonObject | null,
  hook: Pick<PlannedHook, 'event'>,
): JsonObject | null {
  if (answer?.['additionalContext'] !== undefined) return null
  const context = saidBy(stdout, { hook }).find(({ what }) => what === 'context')
  return context === undefined ? null : { ...answer, additionalContext: context.text }
}

/** What finds the call of a payload again that does not tell its id. */
export function nameOfCall({ tool_use_id: callId, tool_input: input }: JsonObject): Pick<RecordedDecision, 'input'> {
  return callId === undefined && input !== undefined ? { input: hashOfInput(input) } : {}
}

/** Names a call by its input, for engines that do not tell hooks its id. */
export function hashOfInput(input: unknown): string {
  return sha256(JSON.stringify(input), 16)
}

/** The file that a call is about; empty when it is about none. */
export function touchedFile(call: JsonObject): string {
  const input = objectOf(call['toolInput'] ?? call['tool_input'])
  const paths = [input['file_path'], input['notebook_path'], input['path']]
  return paths.find((path) => typeof path === 'string') ?? ''
}

function patchOf(payload: JsonObject): string | null {
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
  /** It was meant to decide, and engines ignore it. */
  | { readonly kind: 'invalid' }

/** For whom an answer is. */
export interface AnswerReader {
  readonly hook: Pick<PlannedHook, 'event'>
  /** The engine's own name of the event, as the hook received it. */
  readonly nativeEvent: string | null
  readonly answers?: HookPlan['answers']
  readonly unheeded?: HookPlan['unheeded']
}

/** Reads what a hook printed. An answer that no engine acts on is told apart: its author believes that it decides. */
export function readHookAnswer(stdout: string, reader: AnswerReader): ReadHookAnswer {
  const text = stdout.trim()
  const answer = parseAnswer(text)
  if (answer === null ? isIgnoredText(text, reader) : isIgnored(answer, reader)) return { kind: 'invalid' }
  const denial = answer === null ? null : findDenial(answer)
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
export function parseAnswer(text: string): JsonObject | null {
  const value = tryParseJson(text)
  return isJsonObject(value) ? value : null
}

// Some events take plain text as context for the model.
function isIgnoredText(text: string, { hook }: AnswerReader): boolean {
  if (!/"(?:decision|permissionDecision|continue)"\s*:/.test(text)) return false
  if (text.startsWith('{') || text.startsWith('[')) return true
  return !CONTEXT_EVENTS.has(hook.event) && text.split('\n').some((line) => parseAnswer(line) !== null)
}

const CONTEXT_EVENTS: ReadonlySet<string> = new Set(['pre-prompt', 'session-start'])

function isIgnored(answer: JsonObject, { hook, nativeEvent, answers, unheeded = [] }: AnswerReader): boolean {
  const { hookSpecificOutput = {}, decision, permissionDecision, continue: goesOn, reason, stopReason } = answer
  if (!isJsonObject(hookSpecificOutput)) return true
  const { hookEventName, permissionDecision: permission, decision: ofRequest } = hookSpecificOutput
  // The engine that understands nothing but JSON reads a permission at the top, too, and gets each denial anew.
  const isJson = answers === 'json'
  const isUnheeded =
    hook.event === 'pre-tool-use' &&
    ((permission === 'ask' && unheeded.includes('ask')) || (goesOn === false && unheeded.includes('continue')))
  return (
    isUnheeded ||
    isOther(hookEventName, hook.event, nativeEvent) ||
    isOther(permission, 'allow', 'deny', 'ask', 'defer') ||
    (permissionDecision !== undefined && !isJson) ||
    isOther(decision, 'block', 'approve', isJson ? 'deny' : 'block') ||
    (ofRequest !== undefined && hook.event !== 'permission-request') ||
    (ofRequest !== undefined && !['allow', 'deny'].includes(stringOrNull(objectOf(ofRequest)['behavior']) ?? '')) ||
    isOther(goesOn, true, false) ||
    [reason, stopReason].some((text) => text !== undefined && typeof text !== 'string') ||
    hasOnlyUnknownDenial(answer)
  )
}

function isOther(value: unknown, ...known: readonly unknown[]): boolean {
  return value !== undefined && !known.includes(value)
}

// `{"action": "block"}`: no engine knows the field.
function hasOnlyUnknownDenial(answer: JsonObject): boolean {
  const values = Object.values(answer).filter((value) => typeof value === 'string')
  return !Object.keys(answer).some((name) => FIELDS.has(name)) && values.some((value) => DENYING.test(value))
}

const DENYING = /^(?:block|deny|denied|reject|refuse|forbid)/i

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

/** The reason of an answer that denies, or `null`. A session without a person takes `ask` for a denial. */
function findDenial(answer: JsonObject): string | null {
  const specific = objectOf(answer['hookSpecificOutput'])
  const permission = specific['permissionDecision']
  if (permission === 'deny' || permission === 'ask') return stringOrNull(specific['permissionDecisionReason']) ?? ''
  const decision = objectOf(specific['decision'])
  if (decision['behavior'] === 'deny') return stringOrNull(decision['message']) ?? ''
  if (answer['decision'] === 'block' || answer['decision'] === 'deny') return stringOrNull(answer['reason']) ?? ''
  return answer['continue'] === false ? (stringOrNull(answer['stopReason']) ?? '') : null
}
