import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { toPathSegment } from '../../formats/paths.ts'
import { hasExtra } from '../../formats/registry.ts'
import { formatJson } from '../../lib/json.ts'
import { thousandths } from '../../lib/rates.ts'
import type { Report, ReportCase, ReportInput } from '../report.ts'
import { writeForSuites, type ResultsTarget } from '../results/case-folder.ts'
import { copyKept, namedByType, readIndex } from '../results/kept-files.ts'
import type { CaseResult } from '../results/result.ts'
import { describeLift } from '../summary/rows.ts'
import { buildBenchmark } from './benchmark.ts'
import { readRun, type BenchmarkRun, type ExportedRun } from './skill-creator-run.ts'

/**
 * Writes what skill-creator and its viewer read, a folder for each skill: `benchmark.json`, and for each eval, arm and run
 * `grading.json`, `timing.json` and `outputs/`. Returns the absolute paths of the folders.
 *
 * Its documents want the files of an arm in the arm's folder and its scripts in `run-N/` below; where there is one run they
 * are in both.
 */
export function exportSkillCreator(root: string, runFolder: string, reports: readonly Report[]): readonly string[] {
  const folders: string[] = []
  for (const report of reports) {
    const evals = report.cases.filter(({ format, trigger }) => hasExtra(format, 'skill-creator') && trigger === null)
    const targets = new Set(evals.map(({ target }) => target ?? ''))
    for (const target of targets) {
      const ofTarget = evals.filter((one) => (one.target ?? '') === target)
      const folder = freeFolder(join(runFolder, 'skill-creator', `${toPathSegment(skillOf(target))}-workspace`))
      const iteration = join(folder, 'iteration-1')
      writeSkill(root, iteration, report, target, ofTarget)
      folders.push(iteration)
    }
  }
  return folders
}

function writeSkill(root: string, folder: string, report: Report, target: string, cases: readonly ReportCase[]): void {
  const ids = evalIds(cases)
  const runs = cases.flatMap((one) => {
    const evalFolder = join(folder, `eval-${toPathSegment(bareId(one))}`)
    const read = one.runs.map((run) => readRun(root, one, run))
    const [first] = read
    if (first !== undefined) writeMetadata(evalFolder, ids(one), one, first)
    const armFolder = join(evalFolder, one.arm ?? 'with_skill')
    for (const run of read) writeRun(root, join(armFolder, `run-${run.index}`), run)
    if (read.length === 1 && first !== undefined) writeRun(root, armFolder, first)
    return read.map((run): BenchmarkRun => ({ ...run, evalId: ids(one), evalName: nameOf(one) }))
  })
  const lift = report.lift?.find((one) => one.target === target)
  const benchmark = buildBenchmark({
    skillName: skillOf(target),
    skillPath: pathOf(Object.values(report.inputs), skillOf(target)),
    model: report.agent.model,
    timestamp: report.timestamp,
    runs,
    notes: lift === undefined ? [] : [`Lift ${describeLift(lift)}.`],
  })
  writeJson(join(folder, 'benchmark.json'), benchmark)
}

function writeMetadata(folder: string, id: number | string, one: ReportCase, { prompt, grading }: ExportedRun): void {
  const assertions = grading?.expectations.map(({ text }) => text) ?? []
  writeJson(join(folder, 'eval_metadata.json'), { eval_id: id, eval_name: nameOf(one), prompt, assertions })
}

function writeRun(root: string, folder: string, run: ExportedRun): void {
  writeJson(join(folder, 'timing.json'), run.timing)
  // One that is not there says that nothing was graded; a rate of 0 would say that all had failed.
  if (run.grading !== null) writeJson(join(folder, 'grading.json'), run.grading)
  const outputs = join(folder, 'outputs')
  mkdirSync(outputs, { recursive: true })
  if (run.folder === null) return
  const artifacts = join(root, run.folder, 'artifacts')
  const left = readIndex(artifacts).filter(({ when }) => when === 'after')
  copyKept(artifacts, outputs, left, namedByType)
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, formatJson(value))
}

// Skill-creator numbers its evals and sorts by that: only where all are numbers it gets numbers.
function evalIds(cases: readonly ReportCase[]): (one: ReportCase) => number | string {
  const isNumbered = cases.every((one) => /^(?:0|[1-9]\d{0,8})$/.test(bareId(one)))
  return (one) => (isNumbered ? Number(bareId(one)) : bareId(one))
}

function bareId({ id, arm }: ReportCase): string {
  const whole = id.slice(id.indexOf('#') + 1)
  return arm === null ? whole : whole.slice(0, -arm.length - 1)
}

function nameOf({ name, arm }: ReportCase): string {
  return arm === null ? name : name.slice(0, -` (${arm})`.length)
}

function skillOf(target: string): string {
  return target.replace(/^skill:/, '')
}

function pathOf(inputs: readonly ReportInput[], skill: string): string {
  const files = inputs.filter(({ role }) => role === 'skill').map(({ path }) => path)
  return files.find((path) => path.endsWith(`${skill}/SKILL.md`))?.replace(/\/SKILL\.md$/, '') ?? skill
}

function freeFolder(path: string): string {
  for (let n = 1; ; n++) {
    const folder = n === 1 ? path : `${path}-${n}`
    if (!existsSync(folder)) return folder
  }
}

/** Writes `triggers-result.json` for each suite with trigger queries, in the words of the BMAD eval runner. */
export function writeTriggerResults(target: ResultsTarget, run: string, results: readonly CaseResult[]): void {
  const queries = results.filter(({ trigger }) => trigger !== null)
  writeForSuites(target, 'triggers-result.json', queries, (ofSuite) => describe(run, ofSuite))
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
