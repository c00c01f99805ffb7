import { isJsonObject } from '../../json.ts'
import type { JsonObject, JsonValue } from '../../json.ts'

/**
 * Turns each plain text of a scenario into a turn with that `text`, at any depth, and each plain list of the judge into
 * `verdicts`. What has another shape stays as it is.
 *
 * Done before validation, because a choice between two shapes would hide all but the first mistake of a turn.
 */
export function spellOutTurns(scenario: JsonValue): JsonValue {
  if (!isJsonObject(scenario)) return scenario
  const spelled = withTurns(scenario, ['turns', 'side'])
  const { judge } = scenario
  return Array.isArray(judge) ? { ...spelled, judge: judge.map(spellOutJudgement) } : spelled
}

function spellOutJudgement(judgement: JsonValue): JsonValue {
  return Array.isArray(judgement) ? { verdicts: judgement } : spellOut(judgement)
}

function withTurns(value: JsonObject, fields: readonly string[]): JsonObject {
  const spelled = fields.flatMap((field) => {
    const turns = value[field]
    return Array.isArray(turns) ? [[field, turns.map(spellOut)] as const] : []
  })
  return { ...value, ...Object.fromEntries(spelled) }
}

function spellOut(turn: JsonValue): JsonValue {
  if (typeof turn === 'string') return { text: turn }
  if (!isJsonObject(turn) || !Array.isArray(turn['tools'])) return turn
  const tools = turn['tools'].map((tool: JsonValue) => (isJsonObject(tool) ? withTurns(tool, ['turns']) : tool))
  return { ...turn, tools }
}
