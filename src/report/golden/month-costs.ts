import { join } from 'node:path'
import { addCosts } from '../../gateway/budget/spending.ts'
import { listNames, readTextFile } from '../../lib/files.ts'
import { isJsonObject, tryParseJson, type JsonObject } from '../../lib/json.ts'
import { sum } from '../../lib/lists.ts'
import type { RunLogLine } from './run-log-line.ts'

/** What an agent cost in a month, US dollars. */
export interface MonthCosts {
  /** Such as `2026-05`. */
  readonly month: string
  /** Work of its own; `null` when its log has nothing of this month. */
  readonly operational: MonthCost | null
  /** Name of the helpers' model family, such as `Haiku`; `null` when not known. */
  readonly helperModel: string | null
  readonly helpers: MonthCost | null
  /** Agents and judges of golden tests. */
  readonly evals: MonthCost
  /** Different tests, and about how often each was run. */
  readonly tests: number
  readonly runs: number
}

/** A sum of known amounts. */
export interface MonthCost {
  readonly usd: number
  /** Lines of the log with a part of unknown cost. */
  readonly unknownCases: number
}

/** Adds up what an agent's logs say: `log/*.jsonl` of its own work, `evals/runs/*.jsonl` of its golden tests. */
export function monthCosts(agentDir: string): readonly MonthCosts[] {
  const ownLines = readLogFolder(join(agentDir, 'log'))
  const evals = readLogFolder(join(agentDir, 'evals', 'runs'))
  const months = new Set([...ownLines, ...evals].flatMap((line) => monthOf(line) ?? []))
  return [...months].toSorted().map((month) => ofMonth(month, ownLines, evals))
}

function ofMonth(month: string, ownLines: readonly JsonObject[], evals: readonly JsonObject[]): MonthCosts {
  // A line with `trigger: eval` in its own log is of a golden test that the other log has, too.
  const work = ownLines.filter((line) => monthOf(line) === month && line['trigger'] !== 'eval')
  const helped = work.filter(isHelper)
  const operated = work.filter((line) => !isHelper(line))
  const tested = evals.filter((line) => monthOf(line) === month && typeof line['test_id'] === 'string')
  const tests = new Set(tested.map((line) => JSON.stringify([line['category'], line['test_id']]))).size
  return {
    month,
    operational: sumOf(operated, costOf),
    helperModel: familyOf(helped),
    helpers: sumOf(helped, costOf),
    evals: sumOf(tested, evalCostOf) ?? { usd: 0, unknownCases: 0 },
    tests,
    runs: tests === 0 ? 0 : Math.round((tested.length / tests) * 10) / 10,
  }
}

function monthOf(line: JsonObject): string | null {
  const ts = line['ts'] ?? line['timestamp']
  return typeof ts === 'string' && /^\d{4}-\d\d/.test(ts) ? ts.slice(0, 7) : null
}

function isHelper(line: JsonObject): boolean {
  return ['helper', 'helper_name'].some((key) => typeof line[key] === 'string') || line['trigger'] === 'helper'
}

function familyOf(lines: readonly JsonObject[]): string | null {
  const families = new Set(
    lines.flatMap((line) => {
      const model = line['model'] ?? line['helper_model']
      const family = typeof model === 'string' ? /haiku|sonnet|opus|gpt|gemini|kimi/i.exec(model)?.[0] : undefined
      return family === undefined ? [] : [`${family.charAt(0).toUpperCase()}${family.slice(1).toLowerCase()}`]
    }),
  )
  return families.size === 1 ? ([...families][0] ?? null) : null
}

function costOf(line: JsonObject): LineCost {
  const cost = line['cost_usd'] ?? line['agent_cost_usd']
  return typeof cost === 'number' ? { usd: cost, knownUsd: cost } : { usd: null, knownUsd: 0 }
}

function evalCostOf(line: JsonObject): LineCost {
  const parts = [line['agent_cost_usd'], line['judge_cost_usd']]
  const costs = parts.filter((part) => typeof part === 'number')
  const knownUsd = sum(costs)
  // A test whose agent crashed had no judge.
  const isWhole = costs.length === 2 || (typeof parts[0] === 'number' && line['judge_model'] === null)
  return { usd: isWhole ? knownUsd : null, knownUsd }
}

interface LineCost {
  /** `null` when a part is unknown. */
  readonly usd: number | null
  readonly knownUsd: number
}

function sumOf(lines: readonly JsonObject[], cost: (line: JsonObject) => LineCost): MonthCost | null {
  return lines.length === 0 ? null : addCosts(lines.map(cost))
}

/** Reads every `<date>.jsonl` of a folder, oldest first, without half lines of a run that was killed. */
function readLogFolder(folder: string): readonly JsonObject[] {
  return listNames(folder)
    .filter((name) => /^\d{4}-\d\d(-\d\d)?.*\.jsonl$/.test(name))
    .toSorted()
    .flatMap((name) => readTextFile(join(folder, name)).split('\n'))
    .map(tryParseJson)
    .filter(isJsonObject)
}

/** The lines of golden tests, for reading them again. Lines of another shape are left out. */
export function readRunLog(evalsDir: string): readonly RunLogLine[] {
  return readLogFolder(join(evalsDir, 'runs')).filter(isRunLogLine)
}

function isRunLogLine(line: JsonObject): line is JsonObject & RunLogLine {
  return ['ts', 'test_id', 'verdict', 'agent'].every((key) => typeof line[key] === 'string')
}
