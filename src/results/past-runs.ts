import { join } from 'node:path'
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts'
import { listNames, readTextFile } from '../files.ts'

/** What the newest live run of a case took, by the reports of its package. */
export interface PastRun {
  /** US dollars of agent and judge, of one run where there were several; `null` when it was not known. */
  readonly costUsd: number | null
  readonly durationSeconds: number | null
}

/** Reads what live runs took, by case id, from the reports of a package and engine; newest first, as many as needed. */
export function readPastRuns(packageRoot: string, engineName: string): ReadonlyMap<string, PastRun> {
  const past = new Map<string, PastRun>()
  for (const report of readReports(join(packageRoot, 'evals', 'reports'))) {
    // Nothing ran for it.
    if (report['rejudged_from'] !== undefined) continue
    for (const entry of Array.isArray(report['cases']) ? report['cases'] : []) {
      if (!isJsonObject(entry) || typeof entry['id'] !== 'string' || past.has(entry['id'])) continue
      // A replay costs nothing and says nothing about a live run, and neither does one that broke off.
      if (entry['source'] !== 'live' && entry['source'] !== 'record') continue
      if (entry['verdict'] !== 'PASS' && entry['verdict'] !== 'FAIL') continue
      if (entry['engine'] !== engineName) continue
      past.set(entry['id'], {
        costUsd: perRun(numberOf(entry['cost_usd']), entry['runs']),
        durationSeconds: numberOf(entry['duration_seconds']),
      })
    }
  }
  return past
}

/** The reports of a folder, newest first: names begin with the time. Older ones add less and less. */
export function* readReports(folder: string): Generator<JsonObject> {
  for (const name of listReports(folder).slice(-MOST_REPORTS).toReversed()) {
    try {
      const value = JSON.parse(readTextFile(join(folder, name))) as JsonValue
      if (isJsonObject(value)) yield value
    } catch {
      // A report that cannot be read knows no costs.
    }
  }
}

function listReports(folder: string): readonly string[] {
  return listNames(folder)
    .filter((name) => /^\d{4}-\d\d-\d\dT.*\.json$/.test(name))
    .toSorted()
}

/** The share of one run, of what all the runs of a case took. */
export function perRun(amount: number | null, runs: unknown): number | null {
  return amount === null ? null : amount / Math.max(1, Array.isArray(runs) ? runs.length : 1)
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null
}

const MOST_REPORTS = 20
