import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

/**
 * Reads the event on standard input, in the universal spelling (`toolInput`) or in an engine's own (`tool_input`).
 * `file` is the absolute path that the tool wants to change, or null.
 */
export function readEvent() {
  const payload = JSON.parse(readFileSync(0, 'utf8'))
  const input = payload.toolInput ?? payload.tool_input ?? {}
  const project = process.env.CLAUDE_PROJECT_DIR ?? payload.cwd ?? process.cwd()
  const path = input.file_path ?? input.notebook_path
  return {
    tool: payload.toolName ?? payload.tool_name ?? 'unknown tool',
    project,
    file: typeof path === 'string' ? resolve(payload.cwd ?? project, path) : null,
  }
}
