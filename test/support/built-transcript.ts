import { requireEngine } from '../../src/engines/registry.ts'
import type { ObservedResult, ObservedTurn, Conversation } from '../../src/recordings/conversation.ts'
import type { AnswerBlock } from '../../src/recordings/messages.ts'
import { buildTranscript, type RunRecord } from '../../src/session/build-transcript.ts'
import type { UnnumberedEvent } from '../../src/transcript/transcript.ts'
import { call, turnOf } from './recorded-conversation.ts'

/** Engines whose record is the gateway's. */
export const ALL = ['claude-code', 'codex', 'copilot'] as const
export type EngineName = (typeof ALL)[number]

/** A command by its name at the API. */
const SHELLS: Readonly<Record<EngineName, { readonly name: string; readonly key: string }>> = {
  'claude-code': { name: 'Bash', key: 'command' },
  codex: { name: 'exec_command', key: 'cmd' },
  copilot: { name: 'bash', key: 'command' },
}

/** Builds the transcript of an engine. */
export function build(engine: EngineName, conversation: Conversation, events: readonly UnnumberedEvent[]): RunRecord {
  const table = requireEngine(engine).recordTable
  if (table === undefined) throw new Error(`${engine} has no table`)
  return buildTranscript(conversation, events, table)
}

export function command(engine: EngineName, id: string, text: string): AnswerBlock {
  const { name, key } = SHELLS[engine]
  return call(id, name, { [key]: text })
}

export function says(text: string): AnswerBlock {
  return { kind: 'text', text }
}

export function result(id: string, text: string, isError = false): ObservedResult {
  return { id, text, isError }
}

/** A thread in which each request goes on from the one before. */
export function chain(...turns: readonly Parameters<typeof turnOf>[0][]): readonly ObservedTurn[] {
  return turns.map((turn, index) => turnOf({ order: index, after: index === 0 ? null : index - 1, ...turn }))
}

export function words(events: readonly UnnumberedEvent[]): readonly string[] {
  return events.map((event) => {
    const by = event.agent === null ? '' : `${event.agent}: `
    switch (event.kind) {
      case 'message':
        return `${by}says ${event.text} [${event.from}]`
      case 'tool-call':
        return `${by}${event.id} ${event.tool} ${JSON.stringify(event.input)} [${event.from}]`
      case 'tool-result':
        return `${by}${event.id} ${event.blockedBy ?? (event.isError ? 'error' : 'result')} ${event.text} [${event.from}]`
      case 'skill-used':
        return `${by}skill ${event.skill} ${event.via} [${event.from}]`
      default:
        return `${event.kind} [${event.from}]`
    }
  })
}

export const shown = {
  says: (text: string, agent: string | null = null): UnnumberedEvent => ({ kind: 'message', agent, text }),
  call: (id: string, text: string): UnnumberedEvent => {
    return { kind: 'tool-call', agent: null, id, tool: 'Bash', input: { command: text } }
  },
  result: (id: string, text: string, isError = false): UnnumberedEvent => {
    return { kind: 'tool-result', agent: null, id, text, isError, blockedBy: null }
  },
}
