import type { RecordTable, ShownCall, ShownResult } from '../engines/stream.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** What the stream of an engine tells of calls, by the ids that it knows them by. */
export interface Told {
  readonly calls: ReadonlyMap<string, ShownCall>
  readonly results: ReadonlyMap<string, ShownResult>
  /** The name of a tool with the name of its server as the engine has it, which a model may be shown differently. */
  toolNamed(tool: string): string
}

export function readTold(stream: readonly UnnumberedEvent[], table: RecordTable): Told {
  const calls = stream.filter((event) => event.kind === 'tool-call')
  const results = stream.filter((event) => event.kind === 'tool-result')
  const ofServers = calls.filter(({ tool }) => tool.startsWith('mcp__'))
  const names = new Map(ofServers.map(({ tool }) => [table.plainTool(tool), tool]))
  return {
    calls: new Map(calls.map((call) => [call.id, call])),
    results: new Map(results.map((result) => [result.id, result])),
    toolNamed: (tool) => names.get(table.plainTool(tool)) ?? tool,
  }
}

/** A result with the skills that its call used. */
export function withSkills(result: ShownResult, call: ShownCall, table: RecordTable): readonly UnnumberedEvent[] {
  const used = result.isError ? [] : table.skillsOf(call, result.text)
  const { agent, from } = result
  return [result, ...used.map((use) => ({ kind: 'skill-used', agent, ...use, ...(from && { from }) }) as const)]
}
