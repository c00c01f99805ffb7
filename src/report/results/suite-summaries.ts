import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { hasExtra } from '../../formats/registry.ts'
import { formatJson } from '../../lib/json.ts'
import { groupBy } from '../../lib/lists.ts'
import { thousandths } from '../../lib/rates.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { suiteFolder, type ResultsTarget } from './case-folder.ts'
import { isDecided, type CaseResult } from './result.ts'

/** Writes what the BMAD eval runner writes of a suite: `triggers-result.json` and `execution-summary.json`. */
export function writeSuiteSummaries(target: ResultsTarget, run: string, results: readonly CaseResult[]): void {
  const queries = results.filter(({ trigger }) => trigger !== null)
  writeForSuites(target, 'triggers-result.json', queries, (ofSuite) => describeQueries(run, ofSuite))
  const evals = results.filter(
    ({ format, trigger, error }) =>
      hasExtra(format, 'execution-summary') && trigger === null && error?.code !== 'invalid-suite',
  )
  const runDir = pathFrom(target.root, target.runFolder)
  writeForSuites(target, 'execution-summary.json', evals, (ofSuite) => describeEvals(run, runDir, ofSuite))
}

// Into the run folder where there is one suite, else into the folder of its cases.
function writeForSuites(
  target: ResultsTarget,
  name: string,
  results: readonly CaseResult[],
  describe: (results: readonly CaseResult[]) => object,
): void {
  const suites = groupBy(results, ({ packageRoot, suite }) => `${packageRoot}\0${suite}`)
  for (const ofSuite of suites.values()) {
    const folder = suites.size === 1 ? target.runFolder : folderOf(target, ofSuite)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, name), formatJson(describe(ofSuite)))
  }
}

// Each case's runs are in a folder of the suite.
function folderOf({ root, runFolder }: ResultsTarget, results: readonly CaseResult[]): string {
  const folder = results.flatMap(({ runs }) => runs.flatMap((run) => run.folder ?? []))[0]
  if (folder !== undefined) return dirname(dirname(join(root, folder)))
  return results[0] === undefined ? runFolder : suiteFolder(root, runFolder, results[0])
}

function describeQueries(run: string, queries: readonly CaseResult[]): object {
  const results = queries.flatMap((one) => {
    const { trigger, name } = one
    if (trigger === null) return []
    return [
      {
        query: trigger.internal.query,
        name,
        should_trigger: trigger.should_trigger,
        trigger_rate: trigger.completed === 0 ? null : thousandths(trigger.fired / trigger.completed),
        triggers: trigger.fired,
        runs: trigger.completed,
        errors: trigger.errors,
        timeouts: trigger.timeouts,
        fired_instead: trigger.internal.firedInstead,
        pass: isDecided(one) ? one.outcome === 'passed' : null,
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

function describeEvals(run: string, runDir: string, evals: readonly CaseResult[]): object {
  const executed = evals.filter(({ runs }) => runs.length > 0)
  const broken = executed.filter(({ runs }) => runs.some(({ status }) => status !== 'completed'))
  return {
    run_id: run,
    completed_at: new Date().toISOString(),
    skill_name: evals[0]?.target?.replace(/^skill:/, '') ?? null,
    total: evals.length,
    executed: executed.length,
    exec_failures: broken.length,
    run_dir: runDir,
    results: evals.flatMap(describeEval),
  }
}

function describeEval({ id, outcome, reason, runs }: CaseResult): readonly object[] {
  const common = { eval_id: id.slice(id.indexOf('#') + 1), outcome, reason }
  if (runs.length === 0) return [{ ...common, executed: false }]
  return runs.map(({ index, status, exit_code: exitCode, duration_seconds: seconds, problem, folder, verdict }) => ({
    ...common,
    ...(verdict === undefined ? {} : { outcome: verdict.outcome, reason: verdict.reason }),
    executed: true,
    run_number: index,
    status,
    // As `metrics.json` has it.
    return_code: status === 'timed-out' ? -1 : exitCode,
    elapsed_s: Math.round(seconds * 100) / 100,
    error: problem,
    folder,
  }))
}
