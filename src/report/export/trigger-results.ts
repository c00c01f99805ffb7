import { thousandths } from '../../statistics/round.ts'
import { writeForSuites, type SuitesPlace } from '../../results/suite-folders.ts'
import type { CaseResult } from '../../results/result.ts'

/** Writes `triggers-result.json` for each suite with trigger queries, in the words of the BMAD eval runner. */
export function writeTriggerResults(place: SuitesPlace, run: string, results: readonly CaseResult[]): void {
  const queries = results.filter(({ trigger }) => trigger !== null)
  writeForSuites(place, 'triggers-result.json', queries, (own) => describe(run, own))
}

function describe(run: string, queries: readonly CaseResult[]): object {
  const results = queries.flatMap(({ trigger, outcome, name }) => {
    if (trigger === null) return []
    return [
      {
        query: trigger.query,
        name,
        should_trigger: trigger.shouldTrigger,
        trigger_rate: trigger.rate === null ? null : thousandths(trigger.rate),
        triggers: trigger.fired,
        runs: trigger.completed,
        errors: trigger.errors,
        timeouts: trigger.timeouts,
        undecided: trigger.undecided ?? 0,
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
