import type { HookRuntime } from '../../engines/hooks/hook-plan.ts'
import { engines } from '../../engines/registry.ts'
import type { HookTest } from '../../formats/free-tests/test-suite.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { JsonObject } from '../../lib/json.ts'
import { findHookEvent } from '../../packages/hook-events.ts'

/** Name of an engine that sends hooks events in a shape of its own. */
export type Runtime = string

/** How an engine sends events to hooks. */
export function hookRuntimeOf(name: Runtime): HookRuntime {
  const runtime = engines[name]?.hookRuntime
  if (runtime !== undefined) return runtime
  throw new AgentEvalsError('unsupported-engine', `The engine "${name}" does not define the format of its hook events.`)
}

/** Where the event takes place. */
interface PayloadPaths {
  readonly cwd: string
  readonly transcript: string
}

/** An event as the runtime sends it, or why it never sends such a one. */
type NativePayload =
  | { readonly payload: JsonObject; readonly renamed: readonly string[]; readonly reason: null }
  | { readonly payload: null; readonly reason: string }

/** Rewrites a test's event into what a runtime really sends. */
export function nativePayload(
  { event, payload }: HookTest,
  { fields, toolCall }: HookRuntime,
  paths: PayloadPaths,
): NativePayload {
  const native = findHookEvent(event)?.native ?? event
  const written = Object.entries(payload).map(([key, value]) => [nativeKey(key), value] as const)
  const renamed = Object.keys(payload).flatMap((key) =>
    nativeKey(key) === key ? [] : [`\`${nativeKey(key)}\` for \`${key}\``],
  )
  const isTool = TOOL_EVENTS.has(event)
  const common: JsonObject = {
    session_id: '00000000-0000-4000-8000-000000000000',
    transcript_path: paths.transcript,
    cwd: paths.cwd,
    ...fields,
    ...(isTool ? { tool_use_id: 'toolu_000000000000000000000001' } : {}),
    ...Object.fromEntries(written),
    hook_event_name: native,
  }
  if (!isTool) return { payload: common, renamed, reason: null }
  const tool = toolCall(common['tool_name'], common['tool_input'])
  if (typeof tool === 'string') return { payload: null, reason: tool }
  return { payload: { ...common, ...tool }, renamed, reason: null }
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(['pre-tool-use', 'permission-request', 'post-tool-use'])

function nativeKey(key: string): string {
  return SPECIAL_KEYS[key] ?? key.replaceAll(/(?<=[a-z0-9])([A-Z])/g, (letter) => `_${letter.toLowerCase()}`)
}

const SPECIAL_KEYS: Readonly<Record<string, string | undefined>> = {
  toolOutput: 'tool_response',
  toolResult: 'tool_response',
  userPrompt: 'prompt',
}
