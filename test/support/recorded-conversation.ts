import type { JsonObject } from '../../src/lib/json.ts'
import type { Conversation, ObservedThread, ObservedTurn } from '../../src/recordings/conversation.ts'
import { createResultForm, type AnswerBlock, type ModelAnswer, type ResultForm } from '../../src/recordings/messages.ts'
import type { PackageText, PackageTexts } from '../../src/recordings/visible-texts.ts'
import { buildRecording, type RecordingFacts } from '../../src/recordings/build.ts'
import { claudeCode } from '../../src/engines/claude-code/engine.ts'
import { INSIDE_TOP_FOLDERS } from '../../src/sandbox/environment.ts'
import { type Recording } from '../../src/recordings/recording.ts'
import { NO_USAGE } from '../../src/transcript/transcript.ts'

/** A turn of a run; what is not said is empty. */
export function turnOf(turn: Partial<ObservedTurn> & { readonly says?: readonly AnswerBlock[] }): ObservedTurn {
  const { says = [{ kind: 'text', text: 'Done.' }], ...rest } = turn
  const answer: ModelAnswer = { id: 'msg', model: 'm', content: says, stopReason: 'end-turn', usage: NO_USAGE }
  return { model: 'm', texts: [], offers: [], results: [], answer, order: 0, after: null, ...rest }
}

export function mainThread(...turns: readonly ObservedTurn[]): ObservedThread {
  return { thread: 'main', given: null, turns }
}

export function agentThread(given: string, ...turns: readonly ObservedTurn[]): ObservedThread {
  return { thread: 'agent', given, turns }
}

export function conversationOf(...threads: readonly ObservedThread[]): Conversation {
  return { threads, unanswered: [] }
}

export function call(id: string, name: string, input: JsonObject = {}): AnswerBlock {
  return { kind: 'tool-call', id, name, input }
}

/** Texts of ours by `path#part`. */
export function ours(texts: Readonly<Record<string, string>>): PackageTexts {
  return {
    texts: Object.entries(texts).map(([key, text]): PackageText => {
      const [path = '', part = ''] = key.split('#')
      return { path, part, text, always: part === 'prompt' && path.includes('cases/') }
    }),
    fileOfTool: (tool) => (tool.startsWith('mcp__') ? 'mcp/server.mjs' : null),
  }
}

export function record(
  conversation: Conversation,
  texts: PackageTexts,
  facts: Partial<RecordingFacts> = {},
): Recording {
  return buildRecording({ ...FACTS, ...facts }, conversation, texts, ['2026-11-22'], FORM)
}

/** How results of Claude Code are written. */
export const FORM: ResultForm = createResultForm(claudeCode.ownValues ?? [], INSIDE_TOP_FOLDERS)

const FACTS: RecordingFacts = {
  recordedAt: '2026-11-22T01:02:03.000Z',
  origin: 'claude-opus-5-5',
  engine: { name: 'claude-code', version: '2.1.330' },
  platform: 'linux-x64',
  credential: 'api-key',
  model: { given: null, asked: 'claude-opus-5-5', observed: 'claude-opus-5-5' },
  usage: null,
  costUsd: null,
  hooks: null,
  inputs: [{ path: 'skills/a/SKILL.md', role: 'package', hash: 'before' }],
}
