import { isJsonObject, type JsonValue } from '../../json.ts'

/** A skill that a tool call uses once it succeeds, by the tool for skills or by reading its file. */
export interface SkillSignal {
  readonly skill: string
  readonly via: 'read' | 'tool'
}

/** The tools of an engine by which a model uses skills. */
export interface SkillTools {
  readonly use: string
  readonly read: string
}

/**
 * Which skill a tool call uses once it succeeds; `null` when it uses none. What commands read is seen by what they print.
 */
export function skillSignal(tool: string, input: JsonValue, { use, read }: SkillTools): SkillSignal | null {
  if (!isJsonObject(input)) return null
  if (tool === use) return signal(input['skill'], /^\/?(.+)$/, 'tool')
  if (tool === read) return signal(input['file_path'] ?? input['path'], /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/, 'read')
  return null
}

function signal(value: JsonValue | undefined, pattern: RegExp, via: SkillSignal['via']): SkillSignal | null {
  const skill = typeof value === 'string' ? pattern.exec(value)?.[1] : undefined
  return skill === undefined ? null : { skill, via }
}
