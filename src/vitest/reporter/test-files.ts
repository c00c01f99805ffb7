import type { TestCase, TestModule, TestSpecification } from 'vitest/node'
import { enginesOf, planCase, planTest, type TestFile } from '../../case/plan/plan-case.ts'
import { errorResult, skipResult } from '../../case/result/build-result.ts'
import { TEST_FORMAT } from '../../formats/paths.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { Journal } from '../../report/results/journal.ts'
import { sharedId, type PlannedCase } from '../../report/results/result.ts'
import type { PlannedRun } from '../../report/results/start-run.ts'
import { addNotices, createCopyNotices, isBroken, lintNotices, planBrokenSuite, planReport } from './create-plan.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'

/** Plans the tests of files in TypeScript, which are known only when their file was collected. */
interface TestFiles {
  /** Takes in files before they are run. */
  add(specifications: readonly TestSpecification[]): Promise<readonly TestFile[]>
  /** Writes what is planned into the journal, with the results of tests that are skipped where they are declared. */
  collected(module: TestModule): Promise<void>
  /** Writes a placeholder for a file that could not be loaded: it must not look like fewer tests. */
  ended(module: TestModule): Promise<void>
}

/** Creates the plan of one Vitest process. The journal is opened when there is something to write. */
export function createTestFiles(
  { settings, store, vitest }: Pick<EvalsReporterOptions, 'settings' | 'store' | 'vitest'>,
  openOwnJournal: () => Journal,
): TestFiles {
  const files = new Map<
    string,
    TestFile & Pick<TestSpecification, 'testLines' | 'testNamePattern' | 'testTagsFilter'>
  >()
  let journal: Journal | undefined
  const write = (): Journal => (journal ??= openOwnJournal())
  async function take({ moduleId, testLines, testNamePattern, testTagsFilter }: TestSpecification): Promise<TestFile> {
    const found = await store.testFile(moduleId)
    files.set(moduleId, {
      ...found,
      testLines,
      testNamePattern: testNamePattern ?? vitest.getGlobalTestNamePattern(),
      testTagsFilter,
    })
    return found
  }

  return {
    add: (specifications) => Promise.all(specifications.map(take)),
    async collected(module) {
      const file = files.get(module.moduleId)
      if (file === undefined) return
      for (const test of module.children.allTests()) {
        const planned = planTest(file, { name: test.fullName, at: placeOf(test) }, settings)
        if (test.options.mode === 'run') write().plan(planned)
        // What a filter left out is in no report.
        else if (isAsked(test, file)) await write().end(skipResult(planned, SKIPPED, new Date()))
      }
      write().collected(planFile(file, settings))
    },
    async ended(module) {
      const file = files.get(module.moduleId)
      const [error] = module.errors()
      if (file === undefined || error === undefined || module.children.size > 0) return
      const message = `The file could not be loaded: ${error.message.replaceAll(`${settings.root}/`, '')}`
      await write().end(
        errorResult(planFile(file, settings), new AgentEvalsError('invalid-suite', message), new Date()),
      )
    },
  }
}

/** A plan with test files, and the reports of the packages that own them and `userProjects`. */
export async function withTestFiles(
  plan: PlannedRun,
  { files, userProjects }: { readonly files: readonly TestFile[]; readonly userProjects: readonly TestFile[] },
  { settings, store }: Pick<EvalsReporterOptions, 'settings' | 'store'>,
): Promise<PlannedRun> {
  const noticesOfCopies = createCopyNotices(settings)
  const reports = [...plan.reports]
  for (const file of [...files, ...userProjects]) {
    const { engineName: only, packageRoot } = planFile(file, settings)
    const engines = enginesOf(file, settings)
    const pkg = await store.packageOf(packageRoot)
    const copied = await noticesOfCopies({ suite: file, selected: [{ kind: 'task' }], package: pkg })
    const notices = [...lintNotices(file, pkg, settings.root), ...copied]
    for (const engineName of engines.length === 0 ? [only] : engines) {
      const found = reports.findIndex((one) => one.packageRoot === packageRoot && one.engineName === engineName)
      const report = reports[found] ?? planReport(file, engineName, settings, pkg)
      reports.splice(found === -1 ? reports.length : found, 1, addNotices(report, notices))
    }
  }
  return { ...plan, files: files.map((file) => planFile(file, settings)), reports }
}

function placeOf({ location }: TestCase): PlannedCase['at'] {
  return { line: location?.line ?? 1, column: location?.column ?? 1 }
}

function isAsked(
  { fullName, location, project }: TestCase,
  {
    testLines,
    testNamePattern: pattern,
    testTagsFilter = project.config.tagsFilter ?? [],
  }: Pick<TestSpecification, 'testLines' | 'testNamePattern' | 'testTagsFilter'>,
): boolean {
  if (testTagsFilter.length > 0) return false
  if (testLines !== undefined && testLines.length > 0 && !testLines.includes(location?.line ?? 1)) return false
  return pattern === undefined || fullName.replaceAll(' > ', ' ').search(pattern) !== -1
}

function planFile(file: TestFile, settings: EvalsReporterOptions['settings']): PlannedCase {
  const name = pathFrom(file.packageRoot, file.file)
  // A file that cannot be read is no case, and in no quarantine.
  const planned = planTest(file, { name, at: { line: 1, column: 1 } }, { ...settings, quarantine: [] })
  return { ...planned, id: planned.suite }
}

const SKIPPED = 'skipped in its file, by `.skip` or `.todo` or for another that has `.only`'

/** Tells the cases that a watching Vitest has run and that are in no file any more: renamed, or deleted with it. */
export async function findRemoved({
  store,
  settings,
}: Pick<EvalsReporterOptions, 'settings' | 'store'>): Promise<(planned: PlannedCase) => boolean> {
  const there = new Set<string>()
  for (const file of await store.find()) {
    const suite = await store.load(file)
    const planned = isBroken(suite)
      ? [planBrokenSuite(suite, settings)]
      : suite.cases.map((evalCase) => planCase(suite, evalCase, settings))
    for (const one of planned) there.add(keyOf(one))
  }
  return (planned) => planned.format !== TEST_FORMAT && !there.has(keyOf(planned))
}

// An arm is a case too, and is written nowhere.
function keyOf({ packageRoot, ...planned }: PlannedCase): string {
  return `${packageRoot}\0${sharedId(planned)}`
}
