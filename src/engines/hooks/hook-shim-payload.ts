// Runs inside the sandbox beside the hook shim: it may import from Node only.
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import type { PlannedHook, RecordedDecision } from './hook-plan.ts'

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

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
