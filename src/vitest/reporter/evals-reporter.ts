import { resolve } from 'node:path'
import { inspect } from 'node:util'
import type { Reporter, TestCase, TestModule, TestProject, TestSpecification, Vitest } from 'vitest/node'
import { errorResult } from '../../case/result/build-result.ts'
import { BASELINE } from '../../formats/variants.ts'
import { createRedactor, type Redactor } from '../../gateway/redact.ts'
import { errorsOfFile, formatIssue } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { groupBy, sumOf } from '../../lib/lists.ts'
import type { RunSettings } from '../../options/settings.ts'
import { openJournal } from '../../report/results/journal.ts'
import { knownProvenance, type Provenance } from '../../report/results/provenance.ts'
import type { PlannedCase } from '../../report/results/result.ts'
import { readProvenance, type RunFolder } from '../../report/results/run-folder.ts'
import { startRound } from '../../report/results/start-run.ts'
import type { WrittenReport } from '../../report/write-report.ts'
import { safeFrame } from '../source-frame.ts'
import { announceLive } from './announce-live.ts'
import { beginRun, checkEngines } from './begin-run.ts'
import {
  describeUnmatched,
  createNoticePrinter,
  createPlan,
  isBroken,
  planBrokenSuite,
  prepareAhead,
} from './create-plan.ts'
import { onePassAtATime } from './one-pass-at-a-time.ts'
import { announceGates, countGating, withComparison } from './plan-comparison.ts'
import { publishReports, type PublishRequest } from './publish-reports.ts'
import type { EvalsReporterOptions } from './reporter-options.ts'
import { createTestFiles, findRemoved, withTestFiles } from './test-files.ts'
import { printBy } from '../../report/summary/terminal.ts'

/** The reporter of one Vitest process. */
export interface EvalsReporter extends Reporter {
  /** Whether cases run whose reports are not written yet. */
  readonly isRunning: () => boolean
  /** Writes the reports of a watching Vitest again, without the cases that are in no file any more. */
  readonly refresh: () => Promise<void>
}

/** Keeps the plan of a run, and folds its journals into reports when it ends. Runs beside the user's own reporters. */
export function createEvalsReporter(options: EvalsReporterOptions): EvalsReporter {
  const { userProjects, planner, project, settings, store, vitest, watched, progress, provenanceOf } = options
  const redactor = createRedactor(process.env)
  const testFiles = createTestFiles(options, () => openJournal(settings.runFolder, { redactor }))
  const filtered = new Set<string>()
  let planned: ReadonlySet<string> = new Set()
  const printNotices = createNoticePrinter((line) => printBy(vitest.logger, 'warn', line))
  let folder: RunFolder | undefined
  let swept: Promise<void> | undefined
  let written: readonly WrittenReport[] = []
  let startedAt = 0
  let isLeftToOthers = false
  let isRunning = false
  let isGone: (planned: PlannedCase) => boolean = isInNoFile

  const publish = (
    ending: PublishRequest['ending'],
    provenance: PublishRequest['provenanceOf'],
    unmatched: string | null = null,
  ): void => {
    if (folder === undefined || !isRunning) return
    isRunning = false
    try {
      written = publishReports({
        ...options,
        folder,
        ending,
        filtered: (one) => filtered.has(keyOf(moduleOf(one, settings), one.name)),
        provenanceOf: provenance,
        gatewayCostUsd: options.gatewayCostUsd(),
        durationMs: performance.now() - startedAt,
        earlier: written,
        gone: isGone,
        unmatched,
        remarks: (results) => watched.learn(results),
      })
    } catch (error) {
      printBy(
        vitest.logger,
        'error',
        `agent-evals: ${error instanceof AgentEvalsError ? error.message : inspect(error)}`,
      )
      process.exitCode = 1
    }
  }
  const keptProvenance = (packageRoot: string): Provenance =>
    (folder === undefined ? null : readProvenance(folder.path, packageRoot)) ?? knownProvenance(vitest.version)
  // Vitest says nothing when another reporter throws, and nothing when it is left by a signal.
  process.on('exit', () => publish('left', keptProvenance))

  const reporter: EvalsReporter = {
    isRunning: () => isRunning,
    async refresh() {
      if (folder === undefined || isRunning) return
      isGone = await findRemoved(options)
      // A run that has begun meanwhile ends with reports of its own.
      if (isRunning) return
      isRunning = true
      publish('finished', keptProvenance)
    },
    async onTestRunStart(specifications: readonly TestSpecification[]) {
      const due = await watched.narrow(specifications)
      const all = specifications.filter((one) => one.project === project || userProjects.has(one.moduleId))
      const ours = all.filter((one) => one.project === project && store.owns(one.moduleId))
      const casePlan = await planner.begin(ours, vitest, due)
      const dealt = planner.dealer.describe(casePlan)
      // A shard without a case still belongs to its run: a merge must not miss it.
      if ((all.length === 0 && dealt === null) || settings.dryRun) return
      await forgetLines(ours, options)
      startedAt = performance.now()
      const ahead = prepareAhead(ours, options, watched.settings())
      options.prepared.add(ahead)
      // What follows has time while its sessions start.
      await ahead.catch(() => {})
      const withTests = all.filter((one) => one.project === project && !ours.includes(one))
      const mine = withTests.filter(planner.limitTests)
      const files = await testFiles.add(mine)
      const visiting = await testFiles.add(all.filter((one) => one.project !== project))
      const plan = await withComparison(
        await withTestFiles(await createPlan(ours, casePlan, options), { files, userProjects: visiting }, options),
        options,
      )
      const isKnown = options.budgets !== null && files.length + visiting.length === 0
      const gating = isKnown ? await countGating(ours, options) : null
      const deleted = sumOf(plan.reports, ({ against }) => against?.deleted.length ?? 0)
      const apart = new Set(plan.cases.filter(({ quarantined }) => quarantined === true).map(({ id }) => id))
      for (const line of announceGates(casePlan, { ...options, deleted, gating, apart }))
        printBy(vitest.logger, 'log', line)
      if (dealt !== null) printBy(vitest.logger, 'error', `agent-evals: ${dealt}`)
      const [spending] = await Promise.all([
        announceLive(ours, [...files, ...visiting], { ...options, settings: watched.settings() }),
        folder === undefined ? checkEngines(plan, settings) : undefined,
      ])
      printNotices(plan)
      await options.spending.begin(spending)
      isLeftToOthers =
        settings.shard !== null &&
        plan.cases.length + files.length + visiting.length === 0 &&
        casePlan.whole + withTests.length > 0
      planned = new Set(plan.cases.map((one) => keyOf(moduleOf(one, settings), one.name)))
      if (folder === undefined) ({ folder, swept } = beginRun(options, plan, redactor))
      else folder = startRound(folder, plan)
      isRunning = true
      progress.start(namesOf(plan))
      await journalBrokenSuites(ours, options, redactor)
    },
    async onTestModuleCollected(module: TestModule) {
      if (module.project !== project) return
      // Later a cancelled test looks the same as one that a filter left out.
      for (const test of module.children.allTests()) {
        const key = keyOf(module.moduleId, test.fullName)
        // A line makes Vitest run what the plan has left out; its test skips itself.
        const isPlanned = !store.owns(module.moduleId) || planned.has(key)
        if (test.options.mode === 'run' && isPlanned) filtered.delete(key)
        else filtered.add(key)
      }
      await testFiles.collected(module)
    },
    async onTestModuleEnd(module: TestModule) {
      if (module.project === project) addSafeFrames(module, settings.root)
      if (module.project === project) await testFiles.ended(module)
    },
    async onTestRunEnd(modules, _errors, reason) {
      progress.stop()
      if (settings.dryRun) return printBy(vitest.logger, 'error', formatDryRun(modules, project).join('\n'))
      if (!vitest.config.watch && reason !== 'interrupted') {
        const isFiltered = (test: TestCase): boolean => filtered.has(keyOf(test.module.moduleId, test.fullName))
        if (isLeftToOthers) printBy(vitest.logger, 'error', 'agent-evals: no cases in this shard')
        else requireProof(findNoResult(modules, project, isFiltered), vitest)
      }
      if (folder === undefined) return
      const provenance = await readAll(folder.plan, provenanceOf)
      if (vitest.config.watch) isGone = await findRemoved(options)
      // `--bail` is an end that was asked for before: it leaves cases out and interrupts none.
      const isBailed = options.cancelledFor() === 'test-failure'
      const ending = isBailed ? 'bailed' : reason === 'interrupted' ? 'interrupted' : 'finished'
      publish(ending, (root) => provenance.get(root) ?? keptProvenance(root), await describeUnmatched(modules, options))
      // The leftovers of earlier runs can wait for another start; a person who presses Ctrl-C does not.
      if (reason !== 'interrupted') await swept
    },
  }
  return onePassAtATime(reporter, vitest)
}

// Nothing is gone until a watching Vitest has looked.
function isInNoFile(): boolean {
  return false
}

async function readAll(
  { reports }: RunFolder['plan'],
  provenanceOf: (packageRoot: string) => Promise<Provenance>,
): Promise<ReadonlyMap<string, Provenance>> {
  const roots = [...new Set(reports.map(({ packageRoot }) => packageRoot))]
  return new Map(await Promise.all(roots.map(async (root) => [root, await provenanceOf(root)] as const)))
}

// Ids are those of a package: where two have one, it says more than either name.
function namesOf({ cases }: { readonly cases: readonly PlannedCase[] }): ReadonlyMap<string, string> {
  const all = groupBy(cases, ({ id }) => id)
  return new Map(
    [...all].flatMap(([id, [first, ...more]]) => (first === undefined || more.length > 0 ? [] : [[id, first.name]])),
  )
}

function keyOf(moduleId: string, name: string): string {
  return `${moduleId}\0${name}`
}

function moduleOf(planned: PlannedCase, { root }: RunSettings): string {
  return resolve(root, planned.file)
}

// A broken file has no test at any line: Vitest would add a second error to that of the file.
async function forgetLines(
  specifications: readonly TestSpecification[],
  { store }: Pick<EvalsReporterOptions, 'store'>,
): Promise<void> {
  for (const specification of specifications) {
    if (specification.testLines === undefined || !isBroken(await store.load(specification.moduleId))) continue
    Object.assign(specification, { testLines: undefined })
  }
}

function requireProof(missing: string | null, { logger }: Vitest): void {
  if (missing === null) return
  printBy(logger, 'error', `agent-evals: ${missing}`)
  process.exitCode = 1
}

// Vitest shows such a file as failed; the report must not be silent about it.
async function journalBrokenSuites(
  specifications: readonly TestSpecification[],
  { store, settings }: EvalsReporterOptions,
  redactor: Redactor,
): Promise<void> {
  const suites = await Promise.all(specifications.map(({ moduleId }) => store.load(moduleId)))
  const broken = suites.filter(isBroken)
  if (broken.length === 0) return
  // Where Vite has followed a link, Vitest shows the file that it points to.
  process.exitCode = 1
  await using journal = openJournal(settings.runFolder, { redactor })
  for (const suite of broken) {
    const errors = errorsOfFile(suite.issues)
    const message = errors.map((issue) => formatIssue(issue, settings.root)).join('\n')
    await journal.end(
      errorResult(planBrokenSuite(suite, settings), new AgentEvalsError('invalid-suite', message), new Date()),
    )
  }
}

/**
 * Says why a run that shows no failure is not green: none of its cases passed or failed. `null` when something did.
 *
 * A run that was to test other things as well, and of which no case was asked for, is not ours to judge.
 */
export function findNoResult(
  modules: readonly TestModule[],
  project: TestProject,
  wasFiltered: (test: TestCase) => boolean,
): string | null {
  const ours = modules.filter((module) => module.project === project)
  if (ours.length === 0 || ours.some((module) => module.state() === 'failed')) return null
  const all = ours.flatMap((module) => [...module.children.allTests()]).filter((test) => !wasFiltered(test))
  // How it is without the skill proves nothing of the skill, unless that was all that was asked.
  const cases = all.filter(({ name }) => !name.includes(BASELINE))
  const selected = cases.length > 0 ? cases : all
  if (selected.some(isDecided)) return null
  if (selected.length > 0) {
    const skipped = `${selected.length} ${selected.length === 1 ? 'was' : 'were'} skipped`
    return `no case passed or failed (${skipped}), failing the run${firstNote(selected)}`
  }
  return modules.some(provesSomething) ? null : 'no case was selected, failing the run'
}

function provesSomething(module: TestModule): boolean {
  return [...module.children.allTests()].some(isDecided)
}

function isDecided(test: TestCase): boolean {
  // An arm that fails without the skill is shown as skipped: a tick would read as if its case passed.
  return ['passed', 'failed'].includes(test.result().state) || test.meta().agentEvals?.outcome === 'failed'
}

function firstNote(tests: readonly TestCase[]): string {
  const notes = tests.flatMap((test) => {
    const result = test.result()
    return result.state === 'skipped' && result.note !== undefined ? [`${test.name}: ${result.note}`] : []
  })
  return notes[0] === undefined ? '' : `. ${notes[0]}`
}

/** What a dry run found, one line for each selected case: its place, its name, and what would become of it. */
function formatDryRun(modules: readonly TestModule[], project: TestProject): readonly string[] {
  return modules
    .filter((module) => module.project === project)
    .flatMap((module) => [...module.children.allTests()])
    .flatMap((test) => {
      const result = test.result()
      if (result.state !== 'skipped' || result.note === undefined) return []
      return [`${test.module.relativeModuleId}:${test.location?.line ?? 1}  ${test.name}  ${result.note}`]
    })
    .toSorted()
}

/** Gives the errors of tests their lines of a file that Vitest would print with what a terminal acts on. */
function addSafeFrames(module: TestModule, root: string): void {
  const harmless = new Set<string>()
  for (const test of module.children.allTests()) {
    for (const error of test.result().errors ?? []) {
      const at = error.stacks?.[0]
      if (at === undefined || error['frame'] !== undefined || harmless.has(at.file)) continue
      const frame = safeFrame(at, root)
      if (frame === null) harmless.add(at.file)
      else Object.assign(error, { frame: ` ❯ ${at.line}:${at.column}\n${frame}` })
    }
  }
}
