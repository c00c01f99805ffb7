import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CaseResult } from './result.ts'

/** Writes `triggers-result.json` for each suite with trigger queries, in the words of the BMAD eval runner. */
export function writeTriggerResults(
  root: string,
  runFolder: string,
  run: string,
  results: readonly CaseResult[],
): void {
  const suites = groupBy(
    results.filter(({ trigger }) => trigger !== null),
    ({ packageRoot, suite }) => `${packageRoot}\0${suite}`,
  )
  for (const queries of suites.values()) {
    const text = `${JSON.stringify(describe(run, queries), null, 2)}\n`
    const folder = suites.size === 1 ? runFolder : folderOf(root, queries)
    if (folder === null) continue
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'triggers-result.json'), text)
  }
}

// Each query's runs lie in a folder of the suite.
function folderOf(root: string, queries: readonly CaseResult[]): string | null {
  const folder = queries.flatMap(({ runs }) => runs.flatMap((run) => run.folder ?? []))[0]
  return folder === undefined ? null : dirname(dirname(join(root, folder)))
}

function describe(run: string, queries: readonly CaseResult[]): object {
  const results = queries.flatMap(({ trigger, outcome, name }) => {
    if (trigger === null) return []
    return [
      {
        query: trigger.query,
        name,
        should_trigger: trigger.shouldTrigger,
        trigger_rate: trigger.rate === null ? null : Math.round(trigger.rate * 1000) / 1000,
        triggers: trigger.fired,
        runs: trigger.completed,
        errors: trigger.errors,
        timeouts: trigger.timeouts,
        fired_instead: trigger.firedInstead,
        pass: outcome === 'errored' || outcome === 'skipped' ? null : outcome === 'passed',
      },
    ]
  })
  const passed = results.filter(({ pass }) => pass === true).length
  const failed = results.filter(({ pass }) => pass === false).length
  return {
    run_id: run,
    completed_at: new Date().toISOString(),
    skill_name: queries[0]?.target?.replace(/^skill:/, '') ?? null,
    results,
    summary: { total: results.length, passed, failed, errored: results.length - passed - failed },
  }
}

function groupBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return groups
}
