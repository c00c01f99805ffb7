// Runs inside the sandbox beside the hook shim: it may import from Node only.
import { resolve } from 'node:path'

type Json = Record<string, unknown>

/**
 * What hooks are told of a call in the universal spelling. A patch may change several files, and a hook that guards
 * files looks at one: it is asked about each of them.
 */
export function universalCalls(payload: Json, cwd: string): readonly Json[] {
  const patch = objectOf(payload['tool_input'])['command']
  if (payload['tool_name'] !== 'apply_patch' || typeof patch !== 'string') return [{}]
  const changes = [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, kind = '', file = '']) => {
    return { tool: kind === 'Add' ? 'Write' : 'Edit', file }
  })
  const moves = [...patch.matchAll(/^\*\*\* Move to: (.+)$/gm)].map(([, file = '']) => ({ tool: 'Write', file }))
  const calls = [...changes, ...moves].map(({ tool, file }) => {
    return { toolName: tool, toolInput: { file_path: resolve(cwd, file.trim()), command: patch } }
  })
  return calls.length === 0 ? [{}] : calls
}

/** The file that a call is about; empty when it is about none. */
export function touchedFile(told: Json): string {
  const input = objectOf(told['toolInput'] ?? told['tool_input'])
  const paths = [input['file_path'], input['notebook_path'], input['path']]
  return paths.find((path) => typeof path === 'string') ?? ''
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {}
}
