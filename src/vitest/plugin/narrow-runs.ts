import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject, TestSequencer, TestSpecification, Vitest } from 'vitest/node'
import { createFileDealer, type FileDealer } from '../../case/plan/deal-shards.ts'
import { planCases, plannedCases, type FileChoice, type NamedCases, type Plan } from '../../case/plan/plan.ts'
import { escapePath } from '../../formats/discover.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { isPlainTag } from '../../formats/variants.ts'
import { failsFile } from '../../lib/documents/document.ts'
import { tryStat } from '../../lib/files.ts'
import { toPrintableLine } from '../../lib/text.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import { printBy } from '../../report/summary/terminal.ts'

/** Cases that changed files make due. */
export interface AffectedCases {
  /** Ids by absolute path of the suite file; `null` for all of its cases. */
  readonly suites: ReadonlyMap<string, ReadonlySet<string> | null>
  /** Suite files that were none when things were remembered; all of their cases are due. */
  readonly added: readonly string[]
  /** Suite files that are none any more. */
  readonly gone: readonly string[]
  /** Suite files with a due query. */
  readonly triggers: ReadonlySet<string>
  /** How many other cases are only shown a description that has changed. */
  readonly listed: number
}

/** Finds the cases that depend on files. */
export interface AffectedFinder {
  find(files: readonly string[]): Promise<AffectedCases>
  /** Remembers which skills the last run of a case used: it depends on them, whatever it is about. */
  noteSkills(caseId: string, skills: readonly string[]): void
  /** Remembers how everything that was looked at is now, so that the next change can be found. */
  remember(): Promise<void>
}

/** Ids of the cases that changed files make due, by path of the test file; every case of a file that is absent is due. */
export type DueCases = ReadonlyMap<string, ReadonlySet<string> | null>

/** What makes a run smaller than its test files. */
interface NarrowedRuns {
  /** Tells which cases of the test files are due. Called once before each run, with all of its test files. */
  narrow(specifications: readonly TestSpecification[]): Promise<DueCases>
  /** Suite files whose cases come first in the present run: those with queries of a changed skill. */
  first(): ReadonlySet<string>
}

/** What is narrowed. */
interface NarrowOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly store: SuiteStore
  readonly due: AffectedFinder
  /** Whether a run, and no person, has written the file. */
  readonly isOutput: (file: string) => boolean
  /** Whether the user says which files there are, so that none is added. */
  readonly hasOwnInclude: boolean
  /** Called when case files are gone and nothing runs for that. */
  readonly onGone: () => void
}

/**
 * Makes `vitest watch`, `vitest related` and `--changed` run exactly the cases that depend on what was changed, added or
 * removed.
 */
export async function narrowRuns(options: NarrowOptions): Promise<NarrowedRuns> {
  const { vitest, project, store, due, isOutput, hasOwnInclude, onGone } = options
  const pending = new Map<string, ReadonlySet<string> | null>()
  const changed = new Set<string>()
  /** How each file was at its last look. */
  const stamps = new Map<string, string>()
  let triggers: ReadonlySet<string> = new Set()
  let first: ReadonlySet<string> = new Set()
  let looking: Promise<unknown> = Promise.resolve()
  let isSelectedBySource = false

  const add = (found: AffectedCases, files: readonly string[]): void => {
    for (const [file, ids] of found.suites) pending.set(file, unite(pending.get(file), ids))
    triggers = new Set([...triggers, ...found.triggers])
    if (found.listed > 0) printBy(vitest.logger, 'error', describeListed(found.listed, files, vitest))
  }
  const take = (file: string): void => {
    if (isOutput(file)) return
    changed.add(file)
    // One look after the other: each compares with what was remembered before.
    looking = looking
      .then(look)
      .catch((error: unknown) => printBy(vitest.logger, 'error', `agent-evals: ${String(error)}`))
  }
  const look = async (): Promise<void> => {
    await untilWritten([...changed])
    const files = [...changed].filter(isChanged)
    changed.clear()
    const [because] = files
    if (because === undefined) return
    lookAgain(files)
    const found = await due.find(files)
    await due.remember()
    add(found, files)
    for (const suite of found.gone) leaveFile(vitest, suite)
    const added = found.added.filter((suite) => takeFile(project, suite, hasOwnInclude))
    // An edited test file is run by Vitest itself, which waits in `narrow` for this.
    const others = [...found.suites.keys()].filter((suite) => !files.includes(suite) && !found.added.includes(suite))
    if (others.length + added.length > 0) runAgain(vitest, [...others, ...added], because)
    else if (found.gone.length > 0) onGone()
  }

  // The watcher may report one change twice, and only one of two that come quickly.
  const isChanged = (file: string): boolean => {
    const stamp = stampOf(file)
    const before = stamps.get(file)
    stamps.set(file, stamp)
    return stamp !== before
  }
  const lookAgain = (files: readonly string[]): void => {
    const again = (): void => {
      for (const file of files) if (stampOf(file) !== stamps.get(file)) take(file)
    }
    setTimeout(again, SETTLED_MS).unref()
  }

  if (vitest.config.watch) {
    await due.remember()
    watchFiles(vitest, take)
  }
  await selectBySource(vitest, async (files) => {
    isSelectedBySource = true
    add(await due.find(files), files)
    return [...pending.keys()]
  })

  return {
    first: () => first,
    async narrow(specifications) {
      await looking
      const ours = specifications.filter(({ project: owner, moduleId }) => owner === project && store.owns(moduleId))
      // Vitest had a reason of its own to run everything, such as a changed configuration.
      const isWhole = isSelectedBySource && ours.some(({ moduleId }) => !pending.has(moduleId))
      isSelectedBySource = false
      first = new Set(ours.flatMap(({ moduleId }) => (triggers.has(moduleId) ? [moduleId] : [])))
      triggers = new Set()
      // Vitest may have begun to run a file for which another run was asked meanwhile.
      forgetRerun(
        vitest,
        ours.map(({ moduleId }) => moduleId),
      )
      const dueCases = new Map(
        ours.flatMap(({ moduleId }) => (pending.has(moduleId) ? [[moduleId, pending.get(moduleId) ?? null]] : [])),
      )
      for (const moduleId of dueCases.keys()) pending.delete(moduleId)
      return isWhole ? new Map() : dueCases
    },
  }
}

// Longer than the watcher keeps a second change of a file back.
const SETTLED_MS = 100

// An editor that writes in place empties a file first: what is in it a moment later decides what is due.
async function untilWritten(files: readonly string[]): Promise<void> {
  const end = performance.now() + SETTLED_MS
  while (files.some((file) => tryStat(file)?.size === 0) && performance.now() < end) await sleep(SETTLED_MS / 10)
}

function stampOf(file: string): string {
  const stats = tryStat(file)
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size}`
}

function unite(
  before: ReadonlySet<string> | null | undefined,
  more: ReadonlySet<string> | null,
): ReadonlySet<string> | null {
  if (before === undefined) return more
  return before === null || more === null ? null : new Set([...before, ...more])
}

function describeListed(count: number, files: readonly string[], { config }: Vitest): string {
  const cases = count === 1 ? '1 other case is' : `${count} other cases are`
  const what = files.map((file) => toPrintableLine(relative(config.root, file))).join(', ')
  return `agent-evals: ${cases} also shown the description in ${what}; not run again`
}

/**
 * Makes `vitest related` and `--changed` select test files that depend on the changed files without importing them: they
 * are added to those that Vitest takes for changed itself.
 */
export async function selectBySource(
  { config, vcs }: Vitest,
  find: (files: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const expand = async (files: readonly string[]): Promise<string[]> => {
    const paths = files.map((file) => resolve(config.root, file).replaceAll('\\', '/'))
    return [...new Set([...paths, ...(await find(paths))])]
  }
  if (config.related !== undefined) {
    const expanded = await expand(config.related)
    // Our other project may have added its own meanwhile.
    config.related = [...new Set([...config.related, ...expanded])]
  } else if (config.changed !== undefined && config.changed !== false) {
    const findChangedFiles = vcs.findChangedFiles.bind(vcs)
    vcs.findChangedFiles = async (options) => expand(await findChangedFiles(options))
  }
}

/** Makes Vitest start some test files before all others, which keep the order of the configured sequencer. */
export function sortFirst({ config }: Vitest, isFirst: (specification: TestSpecification) => boolean): void {
  const { sequencer: Configured } = config.sequence
  config.sequence.sequencer = class implements TestSequencer {
    readonly #configured: TestSequencer

    constructor(vitest: Vitest) {
      this.#configured = new Configured(vitest)
    }

    async shard(files: TestSpecification[]): Promise<TestSpecification[]> {
      return this.#configured.shard(files)
    }

    async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
      // oxlint-disable-next-line unicorn/no-array-sort -- it is no array's
      const sorted = await this.#configured.sort(files)
      return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
    }
  }
}

/** Plans each pass of Vitest, and answers which cases of a suite are in the plan. */
export interface CasePlanner {
  /** Plans a pass over these files. From here on {@link of} answers by it. */
  begin(specifications: readonly TestSpecification[], vitest: Vitest, due: DueCases): Promise<Plan>
  /** The cases of a suite that are in the plan of the present pass; of a suite that it does not come to, {@link all}. */
  of(suite: Suite): Promise<readonly EvalCase[]>
  /** The cases of a suite that the options and the command line leave. */
  all(suite: Suite): Promise<readonly EvalCase[]>
  /**
   * Makes Vitest run those tests of a file in TypeScript that have one of the tags asked for. `false` where another shard
   * runs the file, and none of its tests here.
   */
  limitTests(this: void, specification: TestSpecification): boolean
  /** Deals the files of tests in TypeScript to shards. */
  readonly dealer: FileDealer
}

type Planned = Pick<SuiteStore, 'find' | 'load' | 'root'>

/** Creates the planner of one Vitest process. */
export function createPlanner(store: Planned, options: ResolvedOptions): CasePlanner {
  const settings = { ...options, root: store.root }
  const named = namedCases()
  // Planned once: a later look at hundreds of files for each of them would cost more than it could find.
  let everything: Promise<Plan> | undefined
  let present: { readonly plan: Plan; readonly files: ReadonlySet<string> } | null = null
  // Vitest runs the same specification again; its lines are forgotten where its file is broken.
  const choices = new WeakMap<TestSpecification, FileChoice>()

  const dealer = createFileDealer(settings)

  const loadAll = async (files: readonly string[]): Promise<readonly Suite[]> =>
    Promise.all(files.map((file) => store.load(file)))
  const all = async (suite: Suite): Promise<readonly EvalCase[]> => {
    if (options.shard === null)
      return plannedCases(planCases([suite], { ...options, named }, settings), suite, settings)
    everything ??= store
      .find()
      .then(loadAll)
      .then((suites) => planCases(suites, { ...options, named }, settings))
    return plannedCases(await everything, suite, settings)
  }
  return {
    all,
    of: async (suite) =>
      present?.files.has(suite.file) === true ? plannedCases(present.plan, suite, settings) : all(suite),
    async begin(specifications, vitest, due) {
      const suites = await loadAll(specifications.map(({ moduleId }) => moduleId))
      const files = new Map<string, FileChoice>()
      for (const [index, specification] of specifications.entries()) {
        const { testLines: lines, testNamePattern: pattern } = specification
        const first = choices.get(specification) ?? { lines, pattern: pattern ?? vitest.getGlobalTestNamePattern() }
        choices.set(specification, first)
        files.set(suites[index]?.file ?? '', { ...first, due: due.get(specification.moduleId) })
      }
      // A file that fails as a whole runs none of its cases.
      const sound = suites.filter(({ issues }) => !issues.some(failsFile))
      const plan = planCases(sound, { ...options, named, files }, settings)
      present = { plan, files: new Set(files.keys()) }
      return plan
    },
    limitTests(specification) {
      if (dealer.leaves(specification.moduleId)) {
        Object.assign(specification, { testNamePattern: NO_NAME })
        return false
      }
      if (options.tag === null) return true
      const { tags, tagsFilter = [] } = specification.project.config
      // Vitest refuses a tag that nobody declares, and no test can have one.
      const declared = options.tag.filter((tag) => isPlainTag(tag) && tags.some(({ name }) => name === tag))
      Object.assign(specification, { testTagsFilter: [...tagsFilter, declared.join(' || ') || NO_TAG] })
      return true
    },
    dealer,
  }
}

const NO_NAME = /(?!)/
const NO_TAG = '* && !*'

/** Makes the runs of this process run only these cases of suite files. */
export function nameCases(cases: NamedCases | null): void {
  Reflect.set(globalThis, NAMED, cases)
}

function namedCases(): NamedCases | null {
  const named: unknown = Reflect.get(globalThis, NAMED)
  // Another copy of this module may have set it, as pnpm installs them: it is a map of the same form.
  return named instanceof Map ? (named as NamedCases) : null
}

const NAMED = Symbol.for('vitest-agent-evals:named-cases')

/** Reports every file that is changed, added or removed while Vitest watches. */
function watchFiles({ vite }: Vitest, take: (file: string) => void): void {
  const report = (file: string): void => take(file.replaceAll('\\', '/'))
  for (const event of ['add', 'change', 'unlink'] as const) vite.watcher.on(event, report)
}

/**
 * Makes a watching Vitest run test files again, as it does for those that import what was changed. No import leads from
 * a case to what it depends on, and its own triggers know nothing of removed files.
 */
export function runAgain({ watcher }: Vitest, testFiles: Iterable<string>, because: string): void {
  const { changedTests, scheduleRerun } = watcher as unknown as WatcherOfVitest
  for (const file of testFiles) changedTests.add(file)
  scheduleRerun.call(watcher, because)
}

/** Takes back that these files run again: they are about to. */
function forgetRerun({ watcher }: Vitest, testFiles: Iterable<string>): void {
  const { changedTests } = watcher as unknown as WatcherOfVitest
  for (const file of testFiles) changedTests.delete(file)
}

/** Makes a new file a test file of a project, unless its patterns leave it out; `false` then. */
function takeFile(project: TestProject, file: string, hasOwnInclude: boolean): boolean {
  if (project.matchesTestGlob(file)) return true
  if (hasOwnInclude) return false
  const { config } = project
  config.include.push(escapePath(relative(config.root, file)))
  return project.matchesTestGlob(file)
}

/** Makes Vitest forget a test file that is none any more, as it does itself with one that was deleted. */
function leaveFile({ watcher }: Vitest, file: string): void {
  ;(watcher as unknown as WatcherOfVitest).onFileDelete(file)
}

/** The same in both majors, and not among their types. */
interface WatcherOfVitest {
  readonly changedTests: Set<string>
  readonly scheduleRerun: (file: string) => void
  readonly onFileDelete: (file: string) => void
}
