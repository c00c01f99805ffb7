import { tryStat } from '../../files.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { formatSkipped } from '../reporter/format-skipped.ts'
import { formatOutdated, isOutdated } from '../reporter/outdated-cases.ts'
import { createAffectedFinder } from './affected-cases.ts'
import { listenForRecordShortcut } from './record-shortcut.ts'
import { narrowRuns, type DueCases } from '../plugin/narrow-runs.ts'
import { outputFilter } from './own-outputs.ts'
import { sortFirst } from '../plugin/sort-first.ts'
import type { TestProject, TestSpecification, Vitest } from 'vitest/node'
import type { CaseResult } from '../../results/result.ts'
import type { Priority } from '../../gateway/pace/priority.ts'
import type { RunSettings } from '../../settings.ts'
import type { Suite } from '../../suites/suite.ts'
import type { CasePlanner } from '../plugin/case-planner.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

/** What follows from changed files, for the reporter of the cases. */
export interface WatchedCases {
  /** Tells what is due, where changed files select. Called before each run. */
  narrow(specifications: readonly TestSpecification[]): Promise<DueCases>
  /** Takes the end of a test file: once all that come first have ended, the others may start. */
  noteEnd(moduleId: string): void
  /** Sets what is called when case files are gone and nothing runs for that. */
  onGone(listener: () => void): void
  /** The settings of the present run. */
  settings(): RunSettings
  /** Takes all results so far, and says what is to be shown below the summary. */
  learn(results: readonly CaseResult[]): readonly string[]
}

/** What is watched. */
export interface WatchOptions {
  readonly vitest: Vitest
  readonly project: TestProject
  readonly store: SuiteStore
  readonly planner: CasePlanner
  readonly settings: RunSettings
  readonly priority: Priority
  /** Absolute path of the report, where it was asked for. */
  readonly report: string | null
  readonly hasOwnInclude: boolean
}

/** Makes edits run the cases that depend on them, and offers to run live what only a live run can decide. */
export async function watchCases(options: WatchOptions): Promise<WatchedCases> {
  const { vitest, project, store, settings, priority } = options
  const due = createAffectedFinder(options)
  const key = listenForRecordShortcut({ vitest, project, settings })
  const isOwn = outputFilter(vitest, options.report)
  const isOutput = (file: string): boolean => isOwn(file) || (isRecording(file) && changedAt(file) <= key.endedAt())
  let noteGone: (() => void) | null = null
  const narrowed = await narrowRuns({ ...options, due, isOutput, onGone: () => noteGone?.() })
  sortFirst(vitest, ({ project: owner, moduleId }) => owner === project && narrowed.first().has(moduleId))

  let awaited = new Set<string>()

  return {
    async narrow(specifications) {
      const dueCases = await narrowed.narrow(specifications)
      // The module of a suite is made of other files, too, such as graders, whose edits Vite does not know.
      for (const { moduleId } of specifications) if (store.owns(moduleId)) vitest.invalidateFile(moduleId)
      awaited = new Set(narrowed.first())
      if (awaited.size === 0) {
        priority.end()
        return dueCases
      }
      const prefixes = await Promise.all([...awaited].map(async (file) => prefixOf(await store.load(file))))
      priority.begin((caseId) => prefixes.some((prefix) => caseId.startsWith(prefix)))
      return dueCases
    },
    noteEnd(moduleId) {
      awaited.delete(moduleId)
      if (awaited.size === 0) priority.end()
    },
    onGone(listener) {
      noteGone = listener
    },
    settings: () => project.getProvidedContext().agentEvals,
    learn(results) {
      if (!vitest.config.watch) {
        const errored = results.filter(({ outcome }) => outcome === 'errored')
        return [...formatOutdated(errored, settings, false), ...formatSkipped(results, settings)]
      }
      for (const { id, runs } of results) {
        due.noteSkills(
          id,
          runs.flatMap(({ skillsUsed }) => skillsUsed),
        )
      }
      key.offer(results.filter(isOutdated))
      return formatOutdated(results, settings, key.isThere)
    },
  }
}

// How runs of its cases are named at the gateway.
function prefixOf({ file, packageRoot }: Pick<Suite, 'file' | 'packageRoot'>): string {
  return `${pathFrom(packageRoot, file)}#`
}

function isRecording(file: string): boolean {
  return file.includes('/evals/recordings/')
}

function changedAt(file: string): number {
  return tryStat(file)?.mtimeMs ?? Number.POSITIVE_INFINITY
}
