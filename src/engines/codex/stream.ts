import { objectOf, objectsOf, stringOf, type JsonObject } from '../../lib/json.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'
import type { StreamReader, StreamSummary } from '../stream.ts'
import { NO_FACTS, message as said, parseEvent, notice as remark, reportLine } from '../stream.ts'
import { blockerOf } from './record-table.ts'

/** Reads the lines of `codex exec --json`. */
export function createReader(): StreamReader {
  return new CodexStream()
}

class CodexStream implements StreamReader {
  private sessionId: string | null = null
  private ending: Pick<StreamSummary, 'problem' | 'status'> = { status: null, problem: null }
  private unreadable = 0
  private readonly open = new Set<string>()

  line(text: string): readonly UnnumberedEvent[] {
    if (text.trim() === '') return []
    const line = parseEvent(text)
    if (line === null) return reportLine((this.unreadable += 1), text)
    switch (line['type']) {
      case 'thread.started':
        this.sessionId = stringOf(line['thread_id']) || null
        return []
      case 'item.started':
        return this.begin(objectOf(line['item']))
      case 'item.completed':
        return this.complete(objectOf(line['item']))
      case 'error':
        return retry(stringOf(line['message']))
      case 'turn.failed':
        this.ending = { status: 'api-error', problem: stringOf(objectOf(line['error'])['message']) || null }
        return []
      case 'turn.completed':
        this.ending = { status: 'completed', problem: null }
        return []
      default:
        return []
    }
  }

  end(): StreamSummary {
    return { ...NO_FACTS, ...this.ending, sessionId: this.sessionId }
  }

  private begin(item: JsonObject): readonly UnnumberedEvent[] {
    const call = callOf(item)
    if (call === null) return []
    this.open.add(call.id)
    return [call]
  }

  private complete(item: JsonObject): readonly UnnumberedEvent[] {
    const type = stringOf(item['type'])
    if (type === 'agent_message') return said(stringOf(item['text']))
    if (type === 'error') return notice(stringOf(item['message']))
    const call = callOf(item)
    if (call === null) return []
    const begun = this.open.delete(call.id) ? [] : [call]
    return [...begun, resultOf(item, call.id)]
  }
}

/** The call that an item is; `null` when it is none. */
function callOf(item: JsonObject): Extract<UnnumberedEvent, { kind: 'tool-call' }> | null {
  const id = stringOf(item['id'])
  const call = (tool: string, input: JsonObject): ReturnType<typeof callOf> => {
    return { kind: 'tool-call', agent: null, id, tool, input }
  }
  switch (item['type']) {
    case 'command_execution':
      // The name by which its own hooks know it.
      return call('Bash', { command: innerCommand(stringOf(item['command'])) })
    case 'file_change':
      return call('apply_patch', { changes: item['changes'] ?? [] })
    case 'mcp_tool_call':
      return call(`mcp__${stringOf(item['server'])}__${stringOf(item['tool'])}`, objectOf(item['arguments']))
    case 'collab_tool_call':
      // The model knows it by a longer name.
      return call(item['tool'] === 'wait' ? 'wait_agent' : stringOf(item['tool']), { prompt: item['prompt'] ?? null })
    case 'web_search':
      return call('web_search', { query: item['query'] ?? null })
    default:
      return null
  }
}

function resultOf(item: JsonObject, id: string): UnnumberedEvent {
  const isError = item['status'] === 'failed' || item['status'] === 'declined'
  const text = textOf(item)
  return { kind: 'tool-result', agent: null, id, text, isError, blockedBy: blockerOf(text, isError) }
}

function textOf(item: JsonObject): string {
  if (item['type'] === 'command_execution') return stringOf(item['aggregated_output'])
  if (item['type'] === 'file_change')
    return objectsOf(item['changes'])
      .map((change) => `${stringOf(change['kind'])} ${stringOf(change['path'])}`)
      .join('\n')
  const errorText = stringOf(objectOf(item['error'])['message'])
  const content = objectsOf(objectOf(item['result'])['content']).map((part) =>
    typeof part['text'] === 'string' ? part['text'] : `[${stringOf(part['type'])}]`,
  )
  return errorText === '' ? content.join('\n') : errorText
}

// Alone it is not fatal: the turn decides how a run ends.
function retry(message: string): readonly UnnumberedEvent[] {
  if (!message.startsWith('Reconnecting')) return notice(message)
  const status = /\bstatus:? (\d{3})\b/.exec(message)?.[1]
  return [{ kind: 'api-retry', agent: null, status: status === undefined ? null : Number(status), message }]
}

function notice(text: string): readonly UnnumberedEvent[] {
  // We pass this flag ourselves.
  return text.includes('--dangerously-bypass-hook-trust') ? [] : remark(text)
}

/**
 * The command that a shell was given: the CLI tells the whole call, `/bin/bash -c '...'`, quoted as a shell takes it.
 */
export function innerCommand(call: string): string {
  const words = splitWords(call)
  const flag = words[1] ?? ''
  return words.length === 3 && /^-l?c$/.test(flag) ? (words[2] ?? call) : call
}

function splitWords(text: string): readonly string[] {
  const words = text.match(/(?:'[^']*'|"(?:\\[^]|[^"\\])*"|\\[^]|[^\s'"\\])+/g) ?? []
  return words.map((word) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\[^]|[^"\\])*)"|\\([^])/g,
      (_, single?: string, double?: string, escaped?: string) =>
        single ?? double?.replaceAll(/\\(["$\\`])/g, '$1') ?? escaped ?? '',
    ),
  )
}
