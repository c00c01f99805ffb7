import { pathFrom } from '../../packages/package-root.ts'
import { writeForSuites, type SuiteResults, type SuitesPlace } from '../../results/suite-folders.ts'
import { hasExtra } from '../../suites/formats/registry.ts'
import type { CaseResult } from '../../results/result.ts'

/** Writes `execution-summary.json` for each suite with artifact evals, in the words of the BMAD eval runner. */
export function writeExecutionSummaries(place: SuitesPlace, run: string, results: readonly CaseResult[]): void {
  const evals = results.filter(
    ({ format, trigger, error }) =>
      hasExtra(format, 'execution-summary') && trigger === null && error?.code !== 'invalid-suite',
  )
  const runDir = pathFrom(place.root, place.runFolder)
  writeForSuites(place, 'execution-summary.json', evals, (own) => describe(run, runDir, own))
}

function describe(run: string, runDir: string, evals: SuiteResults): object {
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
  return runs.map(({ index, status, exitCode, durationMs, problem, folder, verdict }) => ({
    ...common,
    ...(verdict === undefined ? {} : { outcome: verdict.outcome, reason: verdict.reason }),
    executed: true,
    run_number: index,
    status,
    // As `metrics.json` has it.
    return_code: status === 'timed-out' ? -1 : exitCode,
    elapsed_s: Math.round(durationMs / 10) / 100,
    error: problem,
    folder,
  }))
}
