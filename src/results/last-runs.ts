import { join } from 'node:path'
import { isJsonObject } from '../json.ts'
import { perRun, readReports } from './past-runs.ts'

/** What the newest completed run of a case took, whatever answered. */
export interface LastRun {
  /** Requests to a model or to what stood in for it, in one run. */
  readonly calls: number | null
  readonly durationSeconds: number | null
  /** Whether a model answered. */
  readonly isLive: boolean
}

/** Reads what the last runs took, by case id, from the reports of a package and engine. */
export function readLastRuns(packageRoot: string, engineName: string): ReadonlyMap<string, LastRun> {
  const last = new Map<string, LastRun>()
  for (const report of readReports(join(packageRoot, 'evals', 'reports'))) {
    for (const entry of Array.isArray(report['cases']) ? report['cases'] : []) {
      if (!isJsonObject(entry) || typeof entry['id'] !== 'string' || last.has(entry['id'])) continue
      // A run that broke off says nothing of what a whole one takes.
      if (entry['verdict'] !== 'PASS' && entry['verdict'] !== 'FAIL') continue
      const runs = Array.isArray(entry['runs']) ? entry['runs'] : []
      if (entry['engine'] !== engineName || runs.length === 0) continue
      const calls = runs.map((run: unknown) =>
        isJsonObject(run) && typeof run['requests'] === 'number' ? run['requests'] : null,
      )
      const seconds = entry['duration_seconds']
      last.set(entry['id'], {
        calls: perRun(sum(calls), runs),
        durationSeconds: typeof seconds === 'number' ? seconds : null,
        isLive: entry['source'] === 'live' || entry['source'] === 'record',
      })
    }
  }
  return last
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce((total, value) => (total === null || value === null ? null : total + value), 0 as number | null)
}
