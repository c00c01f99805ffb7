import { openingTexts } from '../../conversation/traffic.ts'
import type { ModelRequest } from '../../conversation/model.ts'
import type { ScenarioToolCall, ScenarioTurn } from './scenario-file.ts'

/** The tool calls with turns of their own that were made and whose sub-agent has not asked yet. */
export interface Delegations {
  /** Notes the calls of a turn that is answered; `place` keeps a repeated answer from counting twice. */
  offer(place: string, turn: ScenarioTurn): void
  /** Takes the turns of the first call that gave a sub-agent its prompt; `null` when none did. */
  claim(request: ModelRequest): readonly ScenarioTurn[] | null
}

export function createDelegations(): Delegations {
  const offered = new Set<string>()
  const open: ScenarioToolCall[] = []
  return {
    offer(place, turn) {
      if (offered.has(place)) return
      offered.add(place)
      open.push(...turn.tools.filter((tool) => tool.turns !== null))
    },
    claim(request) {
      const { thread } = request
      const prompts = thread.kind === 'agent' ? [thread.prompt] : []
      const texts = [...prompts, ...openingTexts(request)].map((text) => text.trim())
      const call =
        open.find((tool) => givenTexts(tool).some((given) => texts.includes(given))) ??
        open.find((tool) => givenTexts(tool).some((given) => texts.some((text) => text.includes(given)))) ??
        // A forked skill is given the skill's text, which is in no field of the call.
        open.find((tool) => givenTexts(tool).length === 0)
      if (call === undefined) return null
      open.splice(open.indexOf(call), 1)
      return call.turns
    },
  }
}

function givenTexts(tool: ScenarioToolCall): readonly string[] {
  if (typeof tool.input === 'string') return []
  const prompt = tool.input['prompt'] ?? tool.input['message']
  return typeof prompt === 'string' && prompt.trim() !== '' ? [prompt.trim()] : []
}
