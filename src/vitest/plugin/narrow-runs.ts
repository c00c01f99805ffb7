import { relative } from 'node:path'
import { tryStat } from '../../files.ts'
import { toPrintableLine } from '../../results/printable.ts'
import { selectBySource } from './select-by-source.ts'
import { forgetRerun, leaveFile, runAgain, takeFile, watchFiles } from '../watch/watch-files.ts'
import type { TestProject, TestSpecification, Vitest } from 'vitest/node'
import type { AffectedCases, AffectedFinder } from '../watch/affected-cases.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

/** Ids of the cases that changed files make due, by path of the test file; every case of a file that is absent is due. */
export type DueCases = ReadonlyMap<string, ReadonlySet<string> | null>

/** What makes a run smaller than its test files. */
export interface NarrowedRuns {
  /** Tells which cases of the test files are due. Called once before each run, with all of its test files. */
  narrow(specifications: readonly TestSpecification[]): Promise<DueCases>
  /** Suite files whose cases come first in the present run: those with queries of a changed skill. */
  first(): ReadonlySet<string>
}

/** What is narrowed. */
export interface NarrowOptions {
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
  let triggers: ReadonlySet<string> = new Set()
  let first: ReadonlySet<string> = new Set()
  let looking: Promise<unknown> = Promise.resolve()
  let isSelectedBySource = false

  const add = (found: AffectedCases, files: readonly string[]): void => {
    for (const [file, ids] of found.suites) pending.set(file, unite(pending.get(file), ids))
    triggers = new Set([...triggers, ...found.triggers])
    if (found.listed > 0) vitest.logger.error(describeListed(found.listed, files, vitest))
  }
  const take = (file: string): void => {
    if (isOutput(file)) return
    changed.add(file)
    // One look after the other: each compares with what was remembered before.
    looking = looking.then(look).catch((error: unknown) => vitest.logger.error(`agent-evals: ${String(error)}`))
  }
  const look = async (): Promise<void> => {
    const files = [...changed]
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

  // An editor that writes in place empties a file first, and the watcher reports only one of two changes that quickly.
  const lookAgain = (files: readonly string[]): void => {
    const seen = files.map((file) => ({ file, stamp: stampOf(file) }))
    const again = (): void => {
      for (const { file, stamp } of seen) if (stampOf(file) !== stamp) take(file)
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
