import { isJsonObject, type JsonObject, type JsonValue } from '../../json.ts'
import { sum, sumOf } from '../../lists.ts'

/** What a case of a report cost, agent and judge together. */
export interface EntryCost {
  /** US dollars; `null` when a part is unknown. */
  readonly usd: number | null
  /** US dollars of the known parts. */
  readonly knownUsd: number
}

/** Reads the cost of a case out of a report, also out of one of 0.1, whose `cost_usd` is the agent's alone. */
export function costOfEntry(entry: JsonObject): EntryCost {
  const { cost } = entry
  const whole = numberOf(entry['cost_usd'])
  if (isJsonObject(cost)) return { usd: whole, knownUsd: whole ?? numberOf(cost['known_usd']) ?? 0 }
  const parts = [whole, ...judgesOf(entry).map((judge) => numberOf(judge['cost_usd']))]
  const known = parts.filter((part) => part !== null)
  const knownUsd = sum(known)
  return { usd: known.length === parts.length ? knownUsd : null, knownUsd }
}

/** Reads the tokens of a case, agent and judge together; `null` when none are known. */
export function tokensOfEntry(entry: JsonObject): number | null {
  const own = tokensIn(entry['usage'])
  if (own === null || isJsonObject(entry['cost'])) return own
  return own + sumOf(judgesOf(entry), (judge) => tokensIn(judge['usage']) ?? 0)
}

function judgesOf(entry: JsonObject): readonly JsonObject[] {
  const verdicts = arrayOf(entry['runs']).flatMap((run) =>
    isJsonObject(run) && isJsonObject(run['verdict']) ? [run['verdict']] : [],
  )
  return (verdicts.length === 0 ? [entry] : verdicts).map((one) => one['judge_verdict']).filter(isJsonObject)
}

function tokensIn(usage: JsonValue | undefined): number | null {
  return isJsonObject(usage) ? sumOf(Object.values(usage), (value) => numberOf(value) ?? 0) : null
}

function arrayOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : []
}

function numberOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
