import { relative } from 'node:path'
import { failsFile } from '../../documents/issue.ts'
import { tryStat } from '../../files.ts'
import { toPrintableLine } from '../../results/printable.ts'
import { patternOf } from '../../texts.ts'
import { chosenCasesOf } from '../chosen-cases.ts'
import { selectBySource } from './select-by-source.ts'
import { forgetRerun, leaveFile, runAgain, takeFile, watchFiles } from '../watch/watch-files.ts'
import type { TestProject, TestSpecification, Vitest } from 'vitest/node'
import type { EvalCase } from '../../suites/suite.ts'
import type { AffectedCases, AffectedFinder } from '../watch/affected-cases.ts'
import type { SuiteStore } from '../modules/suite-store.ts'

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
      for (const specification of ours) restore(specification)
      for (const specification of ours) await leaveChosen(specification, store, vitest)
      for (const specification of ours) {
        const ids = pending.get(specification.moduleId)
        pending.delete(specification.moduleId)
        if (isWhole || ids === undefined || ids === null) continue
        const { cases, issues } = await store.load(specification.moduleId)
        // It has no tests, and says why.
        if (issues.some(failsFile)) continue
        leaveCases(specification, cases, ids, vitest)
      }
    },
  }
}

// Longer than the watcher keeps a second change of a file back.
const SETTLED_MS = 100

function stampOf(file: string): string {
  const stats = tryStat(file)
  return stats === undefined ? '' : `${stats.mtimeMs} ${stats.size}`
}

// A filter of Vitest ends at the line.
async function leaveChosen(specification: TestSpecification, store: SuiteStore, vitest: Vitest): Promise<void> {
  const ids = chosenCasesOf(specification.moduleId)
  if (ids === undefined || (specification.testLines ?? []).length === 0) return
  leaveCases(specification, (await store.load(specification.moduleId)).cases, ids, vitest)
}

function leaveCases(
  specification: TestSpecification,
  cases: readonly EvalCase[],
  ids: ReadonlySet<string>,
  vitest: Vitest,
): void {
  const chosen = cases.filter(({ id }) => ids.has(id))
  if (chosen.length === 0) return
  const lines = new Set(chosen.map(({ at }) => at.line))
  const others = cases.filter(({ id, at }) => !ids.has(id) && lines.has(at.line))
  const pattern = vitest.getGlobalTestNamePattern()
  const names = chosen
    .filter(({ name }) => pattern === undefined || name.search(pattern) !== -1)
    .map(({ name }) => name)
  // The names of tests tell apart those of one line.
  const testNamePattern = others.length === 0 ? undefined : patternOf(names)
  Object.assign(specification, { testLines: [...lines], testNamePattern })
}

// Vitest runs the same specification again, and it still has the lines of the run before.
function restore(specification: TestSpecification): void {
  const before = asked.get(specification) ?? {
    testLines: specification.testLines,
    testNamePattern: specification.testNamePattern,
  }
  asked.set(specification, before)
  Object.assign(specification, { testLines: before.testLines, testNamePattern: before.testNamePattern })
}

const asked = new WeakMap<TestSpecification, Pick<TestSpecification, 'testLines' | 'testNamePattern'>>()

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
