import { findHookEvent } from '../packages/hook-events.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import type { HookTest } from '../suites/test-suite.ts'

/** A runtime that sends hooks events in a shape of its own. */
export type Runtime = 'claude-code' | 'codex'

/** Where the event takes place. */
export interface PayloadPlace {
  readonly cwd: string
  readonly transcript: string
}

/** An event as the runtime sends it, or why it never sends such a one. */
export type NativePayload =
  | { readonly payload: JsonObject; readonly renamed: readonly string[]; readonly reason: null }
  | { readonly payload: null; readonly reason: string }

/** Rewrites a test's event into what a runtime really sends. */
export function nativePayload({ event, payload }: HookTest, runtime: Runtime, place: PayloadPlace): NativePayload {
  const native = findHookEvent(event)?.claude ?? event
  const written = Object.entries(payload).map(([key, value]) => [nativeKey(key), value] as const)
  const renamed = Object.keys(payload).flatMap((key) =>
    nativeKey(key) === key ? [] : [`\`${nativeKey(key)}\` for \`${key}\``],
  )
  const isTool = TOOL_EVENTS.has(event)
  const common: JsonObject = {
    session_id: '00000000-0000-4000-8000-000000000000',
    ...(runtime === 'codex' ? { turn_id: '1', model: 'gpt-5' } : {}),
    transcript_path: place.transcript,
    cwd: place.cwd,
    permission_mode: runtime === 'codex' ? 'bypassPermissions' : 'default',
    ...(isTool ? { tool_use_id: 'toolu_000000000000000000000001' } : {}),
    ...Object.fromEntries(written),
    hook_event_name: native,
  }
  if (runtime === 'claude-code' || !isTool) return { payload: common, renamed, reason: null }
  const tool = codexTool(common['tool_name'], common['tool_input'])
  if (tool === null) return { payload: null, reason: `Codex has no tool ${JSON.stringify(common['tool_name'])}` }
  return { payload: { ...common, ...tool }, renamed, reason: null }
}

/** Names of a runtime for people. */
export const RUNTIME_NAMES: Readonly<Record<Runtime, string>> = { 'claude-code': 'Claude Code', codex: 'Codex' }

const TOOL_EVENTS: ReadonlySet<string> = new Set(['pre-tool-use', 'permission-request', 'post-tool-use'])

function nativeKey(key: string): string {
  return SPECIAL_KEYS[key] ?? key.replaceAll(/(?<=[a-z0-9])([A-Z])/g, (letter) => `_${letter.toLowerCase()}`)
}

const SPECIAL_KEYS: Readonly<Record<string, string | undefined>> = {
  toolOutput: 'tool_response',
  toolResult: 'tool_response',
  userPrompt: 'prompt',
}

// Codex knows a shell, one tool that changes files, and those of MCP servers.
function codexTool(name: JsonValue | undefined, input: JsonValue | undefined): JsonObject | null {
  if (typeof name !== 'string' || name === 'Bash' || name === 'apply_patch' || name.startsWith('mcp__')) return {}
  const fields = isJsonObject(input) ? input : {}
  const file = textOf(fields['file_path'])
  if (name === 'Write') return patch(`*** Add File: ${file}`, lines('+', textOf(fields['content'])))
  if (name !== 'Edit') return null
  const changes = [...lines('-', textOf(fields['old_string'])), ...lines('+', textOf(fields['new_string']))]
  return patch(`*** Update File: ${file}`, ['@@', ...changes])
}

function patch(header: string, body: readonly string[]): JsonObject {
  const command = ['*** Begin Patch', header, ...body, '*** End Patch'].join('\n')
  return { tool_name: 'apply_patch', tool_input: { command } }
}

function lines(mark: string, text: string): readonly string[] {
  return text.split('\n').map((line) => `${mark}${line}`)
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : ''
}
