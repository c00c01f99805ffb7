import { skillSignal } from '../stream/skill-signal.ts'
import { SKILL_TOOLS } from './tool-names.ts'
import { textsOf } from '../../conversation/model.ts'
import { headerOf, openingTexts, type EngineTraffic, type RequestClues } from '../../conversation/traffic.ts'

/** Claude Code names sub-agents in a header; its own calls show in their texts, which change with its version. */
export const traffic: EngineTraffic = {
  threadOf(clues) {
    const id = headerOf(clues, 'x-claude-code-agent-id')
    if (id !== '') return { kind: 'agent', id, prompt: givenPrompt(clues) }
    const name = sideCall(clues)
    return name === null ? null : { kind: 'side', name }
  },
  skillOf: (tool, input) => skillSignal(tool, input, SKILL_TOOLS)?.skill ?? null,
  headers: ['x-app', 'x-claude-code-agent-id', 'x-claude-code-session-id'],
}

function givenPrompt(clues: RequestClues): string {
  const texts = openingTexts(clues).filter((text) => !text.trimStart().startsWith('<system-reminder>'))
  return (texts.at(-1) ?? '').trim()
}

function sideCall({ system, messages, tools }: RequestClues): string | null {
  const words = system.join('\n')
  for (const [name, opening] of SIDE_SYSTEMS) if (words.includes(opening)) return name
  const last = textsOf(messages.findLast((message) => message.role === 'user')).at(-1) ?? ''
  if (last.startsWith('CRITICAL: Respond with TEXT ONLY')) return 'compact'
  const main = MAIN_SYSTEMS.some((opening) => words.includes(opening))
  return tools.length === 0 && words.includes('Claude Code') && !main ? 'other' : null
}

const SIDE_SYSTEMS = [
  ['hook', 'You are evaluating a hook in Claude Code'],
  // Those of `stop` and `sub-agent-end` are sent below the whole conversation.
  ['hook', 'You are evaluating a stop-condition hook in Claude Code'],
  ['web-search', 'You run a web search for another Claude model'],
] as const

const MAIN_SYSTEMS = ['You are a Claude agent', 'You are Claude Code'] as const
