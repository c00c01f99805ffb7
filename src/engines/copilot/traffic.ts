import { headerOf, openingTexts, type EngineTraffic } from '../../conversation/traffic.ts'
import { skillSignal } from '../stream/skill-signal.ts'
import { hookName, SKILL_TOOLS } from './tool-names.ts'
import { sha256 } from '../../sha256.ts'

/**
 * Copilot marks the requests of sub-agents on every API, without their ids: only the prompt, which includes the time,
 * tells one from another.
 */
export const traffic: EngineTraffic = {
  threadOf(clues) {
    if (headerOf(clues, 'x-interaction-type') !== 'conversation-subagent') return null
    const [opening = ''] = openingTexts(clues)
    const prompt = opening.replace(/^\s*<current_datetime>[^<]*<\/current_datetime>/, '').trim()
    return { kind: 'agent', id: sha256(opening, 16), prompt }
  },
  skillOf: (tool, input) => skillSignal(hookName(tool), input, SKILL_TOOLS)?.skill ?? null,
  headers: ['x-initiator', 'x-interaction-type'],
}
