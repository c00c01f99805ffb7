import { relative } from 'node:path'
import { toPrintableLine } from '../../results/printable.ts'
import { selectBySource } from './select-by-source.ts'
import { runAgain, watchFiles } from './watch-files.ts'
import type { TestProject, TestSpecification, Vitest } from 'vitest/node'
import type { AffectedCases, AffectedFinder } from './affected-cases.ts'
import type { SuiteStore } from './suite-store.ts'

/** What makes a run smaller than its test files. */
export interface NarrowedRuns {
  /** Leaves of each test file only the cases that are due. Called once before each run, with all of its test files. */
  narrow(specifications: readonly TestSpecification[]): Promise<void>
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
}

/**
 * Makes `vitest watch`, `vitest related` and `--changed` run exactly the cases that depend on what was changed, added or
 * removed.
 */
export async function narrowRuns(options: NarrowOptions): Promise<NarrowedRuns> {
  const { vitest, project, store, due, isOutput } = options
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
    const found = await due.find(files)
    await due.remember()
    add(found, files)
    // An edited test file is run by Vitest itself, which waits in `narrow` for this.
    const others = [...found.suites.keys()].filter((suite) => !files.includes(suite))
    if (others.length > 0) runAgain(vitest, others, because)
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
      for (const specification of ours) {
        const ids = pending.get(specification.moduleId)
        pending.delete(specification.moduleId)
        if (isWhole || ids === undefined || ids === null) continue
        const { cases, issues } = await store.load(specification.moduleId)
        // It has no tests, and says why.
        if (issues.some(({ severity }) => severity === 'error')) continue
        const lines = cases.filter(({ id }) => ids.has(id)).map(({ at }) => at.line)
        if (lines.length > 0) specification.testLines = lines
      }
    },
  }
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
