// Runs inside the sandbox beside the hook shim: it may import from Node only.
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'

type Json = Record<string, unknown>

/**
 * What hooks are told of a call in the universal spelling. A patch may change several files, and a hook that guards
 * files looks at one: it is asked about each of them.
 */
export function universalCalls(payload: Json, cwd: string): readonly Json[] {
  const patch = patchOf(payload)
  if (patch === null) return [{}]
  const changes = [...patch.matchAll(/^\*\*\* (Add|Update|Delete) File: (.+)$/gm)].map(([, kind = '', file = '']) => {
    return { tool: kind === 'Add' ? 'Write' : 'Edit', file }
  })
  const moves = [...patch.matchAll(/^\*\*\* Move to: (.+)$/gm)].map(([, file = '']) => ({ tool: 'Write', file }))
  const calls = [...changes, ...moves].map(({ tool, file }) => {
    return { toolName: tool, toolInput: { file_path: resolve(cwd, file.trim()), command: patch } }
  })
  return calls.length === 0 ? [{}] : calls
}

/** Names a call by its input, for engines that do not tell hooks its id. */
export function hashOfInput(input: unknown): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('hex').slice(0, 16)
}

/** The file that a call is about; empty when it is about none. */
export function touchedFile(told: Json): string {
  const input = objectOf(told['toolInput'] ?? told['tool_input'])
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
