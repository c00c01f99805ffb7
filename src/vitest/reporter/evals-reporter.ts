import { basename, resolve } from 'node:path'
import { createPlan, isBroken, planBrokenSuite } from './create-plan.ts'
import { publishReports } from './publish-reports.ts'
import { AgentEvalsError } from '../../errors.ts'
import { openJournal } from '../../report/journal.ts'
import { createProvenanceReader } from '../../report/provenance.ts'
import { createRunFolder, startRound, type RunFolder } from '../../report/run-folder.ts'
import { errorResult } from '../../session/build-result.ts'
import { formatIssue } from '../../suites/issue.ts'
import type { Reporter, TestModule, TestProject, TestSpecification, Vitest } from 'vitest/node'
import type { PlannedCase } from '../../report/result.ts'
import type { WrittenReport } from '../../report/write-report.ts'
import type { RunSettings } from '../../run-settings.ts'
import type { SuiteStore } from '../plugin/suite-store.ts'

/** What the reporter is made from. */
export interface EvalsReporterOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly store: SuiteStore
  readonly settings: RunSettings
  /** Path of the report, `false` for none, `null` for the usual place. */
  readonly report: string | false | null
}

/** Keeps the plan of a run, and folds its journals into reports when it ends. Runs beside the user's own reporters. */
export function createEvalsReporter(options: EvalsReporterOptions): Reporter {
  const { project, settings, store, vitest, report } = options
  const provenanceOf = createProvenanceReader(vitest.version)
  const filtered = new Set<string>()
  let folder: RunFolder | undefined
  let written: readonly WrittenReport[] = []
  let startedAt = 0

  return {
    async onTestRunStart(specifications: readonly TestSpecification[]) {
      const ours = specifications.filter(({ project: owner, moduleId }) => owner === project && store.owns(moduleId))
      if (ours.length === 0 || settings.dryRun) return
      startedAt = performance.now()
      const plan = await createPlan(ours, options)
      folder =
        folder === undefined
          ? createRunFolder(settings.root, basename(settings.runFolder), plan)
          : startRound(folder, plan)
      await journalBrokenSuites(ours, options)
    },
    onTestModuleCollected(module: TestModule) {
      if (module.project !== project) return
      // Later a cancelled test looks the same as one that a filter left out.
      for (const test of module.children.allTests()) {
        const key = keyOf(module.moduleId, test.name)
        if (test.options.mode === 'run') filtered.delete(key)
        else filtered.add(key)
      }
    },
    async onTestRunEnd(_modules, _errors, reason) {
      if (folder === undefined) return
      written = await publishReports({
        vitest,
        folder,
        report,
        interrupted: reason === 'interrupted',
        filtered: (planned) => filtered.has(keyOf(moduleOf(planned, settings), planned.name)),
        provenanceOf,
        durationMs: performance.now() - startedAt,
        earlier: written,
      })
    },
  }
}

function keyOf(moduleId: string, name: string): string {
  return `${moduleId}\0${name}`
}

function moduleOf(planned: PlannedCase, { root }: RunSettings): string {
  return resolve(root, planned.file)
}

// Vitest shows such a file as failed; the report must not be silent about it.
async function journalBrokenSuites(
  specifications: readonly TestSpecification[],
  { store, settings }: EvalsReporterOptions,
): Promise<void> {
  const suites = await Promise.all(specifications.map(({ moduleId }) => store.load(moduleId)))
  const broken = suites.filter(isBroken)
  if (broken.length === 0) return
  await using journal = openJournal(settings.runFolder)
  for (const suite of broken) {
    const errors = suite.issues.filter((issue) => issue.severity === 'error')
    const message = errors.map((issue) => formatIssue(issue, settings.root)).join('\n')
    await journal.end(
      errorResult(planBrokenSuite(suite, settings), new AgentEvalsError('invalid-suite', message), new Date()),
    )
  }
}
