import { setTimeout as sleep } from 'node:timers/promises'
import type { TestProject, TestSpecification, Vitest } from 'vitest/node'
import { tryStat } from '../../lib/files.ts'
import { printBy } from '../../report/summary/terminal.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import type { DueCases } from '../plugin/case-planner.ts'
import type { AffectedCases, AffectedFinder } from './affected-cases.ts'
import { forgetRerun, leaveFile, runAgain, selectBySource, takeFile, watchFiles } from './vitest-watcher.ts'

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

/** Tells which cases of the test files are due. Called once before each run, with all of its test files. */
type NarrowRun = (specifications: readonly TestSpecification[]) => Promise<DueCases>

/**
 * Makes `vitest watch`, `vitest related` and `--changed` run exactly the cases that depend on what was changed, added or
 * removed.
 */
export async function narrowRuns(options: NarrowOptions): Promise<NarrowRun> {
  const { vitest, project, store, due, isOutput, hasOwnInclude, onGone } = options
  const pending = new Map<string, ReadonlySet<string> | null>()
  const changed = new Set<string>()
  /** How each file was at its last look. */
  const stamps = new Map<string, string>()
  let looking: Promise<unknown> = Promise.resolve()
  let isSelectedBySource = false

  const add = ({ suites }: AffectedCases): void => {
    for (const [file, ids] of suites) pending.set(file, unite(pending.get(file), ids))
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
    add(found)
    for (const suite of found.gone) leaveFile(vitest, suite)
    const added = found.added.filter((suite) => takeFile(project, suite, hasOwnInclude))
    // An edited test file is run by Vitest itself, which waits for this before it begins.
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
    add(await due.find(files))
    return [...pending.keys()]
  })

  return async (specifications) => {
    await looking
    const ours = specifications
      .filter(({ project: owner, moduleId }) => owner === project && store.owns(moduleId))
      .map(({ moduleId }) => moduleId)
    // Vitest had a reason of its own to run everything, such as a changed configuration.
    const isWhole = isSelectedBySource && ours.some((file) => !pending.has(file))
    isSelectedBySource = false
    // Vitest may have begun to run a file for which another run was asked meanwhile.
    forgetRerun(vitest, ours)
    const dueCases = new Map(ours.flatMap((file) => (pending.has(file) ? [[file, pending.get(file) ?? null]] : [])))
    for (const file of dueCases.keys()) pending.delete(file)
    return isWhole ? new Map() : dueCases
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
