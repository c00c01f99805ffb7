import { basename, relative } from 'node:path'
import { findEngineOf } from '../../case/prepare/resolve-engine.ts'
import { findShortSecrets, MIN_SECRET_LENGTH, type Redactor } from '../../gateway/redact.ts'
import { AgentEvalsError, withoutOwnStack, withoutStack } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import { recoverRuns } from '../../report/fold/other-runs.ts'
import type { Provenance } from '../../report/results/provenance.ts'
import { keepProvenance, type RunFolder } from '../../report/results/run-folder.ts'
import { createRunFolder, type PlannedRun } from '../../report/results/start-run.ts'
import { findReportProblem } from '../../report/write-report.ts'
import { sweepLeftovers } from '../../session/sweep-leftovers.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'
import { printBy } from '../../report/summary/terminal.ts'

/** A run that has begun. */
interface BegunRun {
  readonly folder: RunFolder
  /** Resolves when the leftovers of killed runs are removed; never rejects. */
  readonly swept: Promise<void>
}

/**
 * Begins a run: nothing of an earlier one is lost, and no money is spent on a report that cannot be written.
 *
 * @throws {AgentEvalsError} `report-unwritable`
 */
export function beginRun(
  { settings, report, vitest, provenanceOf }: EvalsReporterOptions,
  plan: PlannedRun,
  redactor: Redactor,
): BegunRun {
  const unwritable = typeof report === 'string' ? findReportProblem(report) : null
  if (unwritable !== null) throw withoutStack(unwritable)

  for (const { path, written, problem } of recoverRuns(settings.root, redactor)) {
    if (problem !== null) {
      printBy(
        vitest.logger,
        'warn',
        `agent-evals: a run that was killed left ${path}, which cannot be recovered: ${problem}`,
      )
      continue
    }
    if (written.length === 0) {
      printBy(
        vitest.logger,
        'warn',
        `agent-evals: a run that was killed left no results: ${relative(settings.root, path)}`,
      )
      continue
    }
    const paths = written.map((one) => relative(settings.root, one.path)).join(', ')
    printBy(vitest.logger, 'error', `agent-evals: recovered the results of a killed run: ${paths}`)
  }
  // What runs without a sandbox is shown once here, not only in the report.
  const { sandbox } = settings
  const decision = 'code' in sandbox ? sandbox.ownRepository : sandbox
  if (decision !== null && decision.notice !== null) printBy(vitest.logger, 'warn', decision.notice)
  const short = findShortSecrets(process.env)
  if (short.length > 0) printBy(vitest.logger, 'warn', describeShortSecrets(short))
  const folder = openFolder(settings, plan)
  for (const { packageRoot } of plan.reports) void keepEarly(folder.path, packageRoot, provenanceOf)
  return { folder, swept: sweep(vitest) }
}

function openFolder({ root, runFolder }: EvalsReporterOptions['settings'], plan: PlannedRun): RunFolder {
  try {
    return createRunFolder(root, basename(runFolder), plan)
  } catch (error) {
    throw withoutOwnStack(error)
  }
}

function describeShortSecrets(names: readonly string[]): string {
  const [are, values] = names.length === 1 ? ['is', 'its value is'] : ['are', 'their values are']
  return `agent-evals: ${names.join(', ')} ${are} shorter than ${MIN_SECRET_LENGTH} characters, so ${values} not redacted from reports and answers.`
}

// Git and python take their time; the cases need not wait for them.
async function keepEarly(
  path: string,
  packageRoot: string,
  provenanceOf: (packageRoot: string) => Promise<Provenance>,
): Promise<void> {
  try {
    keepProvenance(path, packageRoot, await provenanceOf(packageRoot))
  } catch {
    // Only what a recovery would say gets poorer.
  }
}

async function sweep(vitest: EvalsReporterOptions['vitest']): Promise<void> {
  try {
    for (const warning of await sweepLeftovers()) printBy(vitest.logger, 'warn', `agent-evals: ${warning}`)
  } catch (error) {
    printBy(vitest.logger, 'warn', `agent-evals: leftovers of killed runs were not removed: ${String(error)}`)
  }
}

/**
 * Refuses a run whose engine is too old with one error, not with one for each case.
 *
 * @throws {AgentEvalsError} `engine-too-old`
 */
export async function checkEngines(
  { cases, files }: Pick<PlannedRun, 'cases' | 'files'>,
  settings: RunSettings,
): Promise<void> {
  const names = new Set([...cases, ...files].map(({ engineName }) => engineName))
  await Promise.all([...names].map((name) => checkEngine(name, settings)))
}

async function checkEngine(name: string, settings: RunSettings): Promise<void> {
  try {
    await findEngineOf(name, settings)
  } catch (error) {
    // A case that needs no engine can do without one; the others have the error themselves.
    if (error instanceof AgentEvalsError && error.code === 'engine-too-old') throw withoutOwnStack(error)
  }
}
