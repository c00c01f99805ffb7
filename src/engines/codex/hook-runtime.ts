import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { stringOf } from '../../json-fields.ts'
import type { HookRuntime } from '../hooks/hook-runtime.ts'

/** Codex knows a shell, one tool that changes files, and those of MCP servers. */
export const hookRuntime: HookRuntime = {
  title: 'Codex',
  fields: { turn_id: '1', model: 'gpt-5', permission_mode: 'bypassPermissions' },
  toolCall: (name, input) => codexTool(name, input) ?? `Codex has no tool ${JSON.stringify(name)}`,
  variables: () => ({}),
}

function codexTool(name: JsonValue | undefined, input: JsonValue | undefined): JsonObject | null {
  if (typeof name !== 'string' || name === 'Bash' || name === 'apply_patch' || name.startsWith('mcp__')) return {}
  const fields = isJsonObject(input) ? input : {}
  const file = stringOf(fields['file_path'])
  if (name === 'Write') return patch(`*** Add File: ${file}`, lines('+', stringOf(fields['content'])))
  if (name !== 'Edit') return null
  const changes = [...lines('-', stringOf(fields['old_string'])), ...lines('+', stringOf(fields['new_string']))]
  return patch(`*** Update File: ${file}`, ['@@', ...changes])
}

function patch(header: string, body: readonly string[]): JsonObject {
  const command = ['*** Begin Patch', header, ...body, '*** End Patch'].join('\n')
  return { tool_name: 'apply_patch', tool_input: { command } }
}

function lines(mark: string, text: string): readonly string[] {
  return text.split('\n').map((line) => `${mark}${line}`)
}
