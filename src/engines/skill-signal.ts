import { isJsonObject, type JsonValue } from '../json.ts'

/**
 * Which skill a tool call uses once it succeeds; `null` when it uses none. What commands read is seen by what they print.
 */
export function skillSignal(
  tool: string,
  input: JsonValue,
): { readonly skill: string; readonly via: 'tool' | 'read' } | null {
  if (!isJsonObject(input)) return null
  if (tool === 'Skill') return signal(input['skill'], /^\/?(.+)$/, 'tool')
  if (tool === 'Read') return signal(input['file_path'] ?? input['path'], /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/, 'read')
  return null
}

function signal(value: JsonValue | undefined, pattern: RegExp, via: 'tool' | 'read'): ReturnType<typeof skillSignal> {
  const skill = typeof value === 'string' ? pattern.exec(value)?.[1] : undefined
  return skill === undefined ? null : { skill, via }
}
