import type { FileTree } from 'fs-fixture'
import type { Turn } from '../messages-server.ts'

/** A case of the suite that both runners are given. */
export interface ParityCase {
  /**
   * What the agent says in each arm. `${MODEL}` is the model that is asked, `${CASE}` the folder of the case as the agent
   * would find it, and `${SEES:word}` is yes where the request holds the word.
   */
  readonly turns: readonly Turn[] | { readonly with: readonly Turn[]; readonly without: readonly Turn[] }
  /** Front matter of prompt.md beside the tools. */
  readonly front?: string
  /** `case.yaml` beside `prompt.md`: name and version are added. */
  readonly yaml?: object
  /** The folder of the case; default: its name. */
  readonly folder?: string
  /** By name: front matter, and the text below it. */
  readonly graders: Readonly<Record<string, readonly [front: string, body?: string]>>
  readonly files?: FileTree
  /** Why the two differ; absent where they must not. */
  readonly differs?: string
}

/** Cases by name. */
export type ParityCases = Readonly<Record<string, ParityCase>>

/** An answer without tools. */
export const says = (text: string): Turn => ({ text })
/** A call of one tool. */
export const calls = (name: string, input: object): Turn => ({ tools: [{ name, input }] })
/** A call of Write. */
export const writes = (path: string, content = 'hi'): Turn => calls('Write', { file_path: path, content })
/** A grader by a pattern. */
export const regex = (pattern: string, ...fields: readonly string[]): readonly [string, string] => [
  ['type: regex', ...fields].join('\n'),
  pattern,
]
/** A grader of how often a tool is called. */
export const used = (tool: string, ...fields: readonly string[]): readonly [string] => [
  ['type: tool_used', `tool: ${tool}`, ...fields].join('\n'),
]
/** A grader of which tool comes first. */
export const order = (before: string, after: string): readonly [string] => [
  `type: tool_order\nbefore: ${before}\nafter: ${after}`,
]
/** A grader of created files. */
export const file = (path: string, ...fields: readonly string[]): readonly [string] => [
  ['type: file_exists', `path: "${path}"`, ...fields].join('\n'),
]
/** A grader of the judge; its votes are written into the criteria. */
export const judge = (criteria: string, ...fields: readonly string[]): readonly [string, string] => [
  ['type: llm', ...fields].join('\n'),
  criteria,
]

/** What the agent says in the arm with the plugin, or without it. */
export function turnsOf(turns: ParityCase['turns'], hasPlugin: boolean): readonly Turn[] {
  if (isList(turns)) return turns
  return hasPlugin ? turns.with : turns.without
}

function isList(turns: ParityCase['turns']): turns is readonly Turn[] {
  return Array.isArray(turns)
}
