import { basename } from 'node:path'
import { caseTimeout } from '../../case/plan/case-timeout.ts'
import { knownProvenance } from '../../results/provenance.ts'
import { NOTHING_ASKED, planCase } from '../../case/plan/plan-case.ts'
import { failsFile } from '../../documents/issue.ts'
import { nearest } from '../../settings.ts'
import { createCopyNotices } from './copy-notices.ts'
import { addNotices, lintNotices } from './lint-notices.ts'
import type { TestSpecification } from 'vitest/node'
import type { Plan } from '../../case/plan/plan.ts'
import type { PlannedRun } from '../../results/start-run.ts'
import type { PlannedReport } from '../../results/run-plan.ts'
import type { PlannedCase } from '../../results/result.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { Suite } from '../../suites/suite.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** Plans a run before its first case starts, from the files alone: workers may die before they have collected theirs. */
export async function createPlan(
  specifications: readonly TestSpecification[],
  plan: Plan,
  { planner, store, settings, vitest, report, runLog }: EvalsReporterOptions,
): Promise<PlannedRun> {
  const noticesOfCopies = createCopyNotices(settings)
  const cases: PlannedCase[] = []
  const reports = new Map<string, PlannedReport>()
  for (const specification of specifications) {
    const suite = await store.load(specification.moduleId)
    const selected = await planner.of(suite)
    const planned = isBroken(suite)
      ? [planBrokenSuite(suite, settings)]
      : selected.map((evalCase) => planCase(suite, evalCase, settings))
    cases.push(...planned)
    const [first] = selected
    const pkg = await (first === undefined ? store.packageOf(suite.packageRoot) : store.packageFor(suite, first))
    const copied = await noticesOfCopies({ suite, selected, package: pkg })
    const notices = [...lintNotices(suite, pkg, settings.root), ...copied]
    for (const engineName of new Set(planned.map((one) => one.engineName))) {
      const key = JSON.stringify([suite.packageRoot, engineName])
      const ofEngine =
        reports.get(key) ?? planReport(suite, engineName, settings, await store.packageOf(suite.packageRoot))
      reports.set(key, addNotices(ofEngine, notices))
    }
  }
  return {
    plan: plan.hash,
    cases,
    files: [],
    reports: [...reports.values()],
    options: JSON.parse(
      JSON.stringify({ ...settings, report, runLog, controlSocket: undefined, requireLive: undefined }),
    ),
    versions: {
      agentEvals: knownProvenance(vitest.version).agentEvalsVersion,
      vitest: vitest.version,
      node: process.versions.node,
    },
  }
}

/** Whether a suite file cannot be run at all. */
export function isBroken(suite: Suite): boolean {
  return suite.issues.some(failsFile)
}

/** Stands in the report for a suite file that cannot be read: a broken file must not look like fewer cases. */
export function planBrokenSuite(suite: Suite, settings: EvalsReporterOptions['settings']): PlannedCase {
  const first = suite.issues.find(failsFile)
  const at = { line: first?.line ?? 1, column: first?.column ?? 1 }
  const name = basename(suite.file).replace(/\.[^.]+$/, '')
  return { ...planCase(suite, NOBODY, settings), id: planCase(suite, NOBODY, settings).suite, name, at, asked: [] }
}

const NOBODY: Parameters<typeof planCase>[1] = { ...NOTHING_ASKED, id: '', name: '', at: { line: 1, column: 1 } }

/** What the report of a package and engine says besides its results. */
export function planReport(
  suite: Pick<Suite, 'config' | 'format' | 'packageRoot'>,
  engineName: string,
  settings: EvalsReporterOptions['settings'],
  { manifest }: AgentPackage,
): PlannedReport {
  return {
    packageRoot: suite.packageRoot,
    engineName,
    packageName: manifest?.name ?? null,
    packageVersion: manifest?.version ?? null,
    judge: nearest<string | null>(settings.judge, suite.config.judge, null),
    timeout: caseTimeout(suite, { timeout: null }, settings),
  }
}
