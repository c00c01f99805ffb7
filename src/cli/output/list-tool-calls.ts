import { join } from 'node:path'
import { parseTranscript, type PageEvent } from '../../report/page/parse-transcript.ts'

import { foldersUpwards, tryReadText } from '../../files.ts'

/**
 * The tool calls of a stored run, one line each.
 *
 * @param folder - as the report names it, relative to the Vitest root.
 * @param from - absolute path of a folder below that root. What is not found has no calls to list.
 */
export function listToolCalls(folder: string, from: string): readonly string[] {
  // A report from elsewhere must not choose which file is read.
  if (!folder.startsWith('.vitest/agent-evals/') || folder.split('/').includes('..')) return []
  const text = foldersUpwards(from)
    .map((root) => tryReadText(join(root, folder, 'transcript.jsonl')))
    .find((found) => found !== null)
  if (text === undefined) return []
  const { events } = parseTranscript(text)
  const results = new Map(events.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event]] : [])))
  return events.flatMap((event) => (event.kind === 'tool-call' ? [describeCall(event, results.get(event.id))] : []))
}

type ToolCall = Extract<PageEvent, { readonly kind: 'tool-call' }>
type ToolResult = Extract<PageEvent, { readonly kind: 'tool-result' }>

function describeCall({ tool, input, agent }: ToolCall, result: ToolResult | undefined): string {
  const json = JSON.stringify(input)
  const given = json.length > MOST_INPUT ? `${json.slice(0, MOST_INPUT)}...` : json
  const by = agent === null ? '' : ` (sub-agent ${agent})`
  return `${endingOf(result).padEnd(7)}  ${tool} ${given}${by}`
}

function endingOf(result: ToolResult | undefined): string {
  if (result === undefined) return 'open'
  if (result.blockedBy !== null) return 'blocked'
  return result.isError ? 'failed' : 'done'
}

const MOST_INPUT = 160
