import { describeTestFile, type TestFile } from '../../case/plan/plan-case.ts'
import type { Matrix } from '../../case/plan/plan-case.ts'
import { withVariants } from '../../case/plan/plan.ts'
import { discoverEvals, discoverTests, type Discovered } from '../../formats/discover.ts'
import { nothingFound } from '../../formats/format.ts'
import { loadTestSuite } from '../../formats/free-tests/load-test-suite.ts'
import type { TestSuite } from '../../formats/free-tests/test-suite.ts'
import type { SuiteCache } from '../../formats/format.ts'
import {
  createNameIndex,
  createSuiteCache,
  filesOf,
  findSuites,
  loadSuite,
  type FoundSuites,
  type NamedSuite,
} from '../../formats/load-suite.ts'
import { testFoldersOf } from '../../formats/places.ts'
import { mayChangeSkillSuites } from '../../formats/skill-evals/skill-files.ts'
import type { SkillSearch, SkillSuites } from '../../formats/skill-evals/skill-suites.ts'
import type { Suite } from '../../formats/suite.ts'
import { knownNames } from '../../judges/providers/registry.ts'
import { errorsOfFile, failsFile, formatIssue, type Issue } from '../../lib/documents/document.ts'
import { openTrackedFs, type TrackedFs } from '../../lib/documents/read-text.ts'
import { isFile } from '../../lib/files.ts'
import { pathBelow } from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import { withoutCommands } from '../../lib/text.ts'
import { readShowable, safeFrame } from '../source-frame.ts'

/** The suites of one kind below one Vitest root, each read once while what it was read from stays the same. */
interface Store<S> {
  readonly root: string
  /** Whether this path is a suite's by its place. */
  owns(file: string): boolean
  load(file: string): Promise<S>
  packageOf(root: string): Promise<AgentPackage>
}

/** The suites of evals. */
export interface SuiteStore extends Store<Suite> {
  /** What is known of a file of tests in TypeScript before it has run. */
  testFile(file: string): Promise<TestFile>
  /** In a later search, files that were suites and can no longer be read as such are among them: each says why itself. */
  find(): Promise<readonly string[]>
  /** Takes note of changed files: the next search looks for suites of skills again if it has to. */
  noteChanged(files: readonly string[]): void
  /** What was found and is not used, or where nothing was found; one sentence each. */
  notes(): Promise<readonly string[]>
  /** The package as this case of the suite gets it. */
  readonly packageFor: SuiteCache['packageFor']
}

/** The suites of free tests. */
export interface TestStore extends Store<TestSuite> {
  find(): Promise<Discovered>
}

/** What was found below a root before. */
export interface FoundBefore {
  readonly files: FoundSuites
  readonly skills: SkillSuites
}

/** Creates the store of evals for a Vitest root; what was found `before`, by root, is not looked for a second time. */
export function createSuiteStore(
  root: string,
  search?: SkillSearch,
  agentsRoot: string = root,
  matrix: Matrix = NO_MATRIX,
  before?: ReadonlyMap<string, FoundBefore>,
): SuiteStore {
  const earlier = before?.get(root)
  const skills = earlier === undefined ? undefined : new Map([[root, earlier.skills]])
  const cache = createSuiteCache({ names: knownNames(), search, found: skills })
  let first = earlier?.files
  let last: Promise<readonly string[]> | null = null
  let searched: ReadonlySet<string> = new Set()
  let found: readonly string[] = []
  let former: ReadonlySet<string> = new Set()
  const isNamed = search !== undefined && search.evals !== null
  const load = (file: string, fs: TrackedFs): Promise<Suite> => {
    fs.look(file)
    return loadSuite(file, { root, cache, fs })
  }
  // A walk of the tree for each format is a noticeable part of a start.
  const find = async (): Promise<readonly string[]> => {
    const files = first ?? (await findSuites({ root, agentsRoot, cache }, isNamed))
    first = undefined
    searched = new Set([...searched, ...files.searched])
    const now = new Set([...files.placed, ...files.searched])
    const lost = found.filter((file) => !now.has(file) && isFile(file))
    const isBroken = await Promise.all(
      lost.map(async (file) => (await load(file, openTrackedFs())).issues.some(failsFile)),
    )
    former = new Set([...former, ...lost].filter((file) => !now.has(file) && isBroken[lost.indexOf(file)] !== true))
    found = [...now, ...lost.filter((file) => !former.has(file))].toSorted()
    return found
  }
  return {
    root,
    owns: (file) => searched.has(file) || isPlace(file, root),
    find: () => (last = find()),
    noteChanged(files) {
      if (files.some(mayChangeSkillSuites)) cache.searchAgain(root)
    },
    async notes() {
      const hasOthers = (await (last ?? this.find())).length > 0
      const notes = (await cache.skillSuites(root)).notes.map(({ message }) => message)
      const isEmpty = !hasOthers && !isNamed && (await discoverEvals(root)).ours.length === 0
      return isEmpty ? [...notes, nothingFound(notes)] : notes
    },
    packageOf: cache.packageOf,
    testFile: (file) => describeTestFile(file, root, cache),
    packageFor: cache.packageFor,
    load: forVariants(
      keepLoaded(load, (file) => !former.has(file) && isFile(file)),
      matrix,
    ),
  }
}

function isPlace(file: string, root: string): boolean {
  const path = pathBelow(root, file)?.replaceAll('\\', '/')
  return path !== undefined && filesOf().some((format) => format.isPlace?.(path) === true)
}

// Names are compared as they are written, so cases are multiplied after that.
function forVariants(load: SuiteStore['load'], matrix: Matrix): SuiteStore['load'] {
  return loadChanged(load, (suite) => withVariants(suite, matrix))
}

/** Loads suites with a change, made once for each: others know a suite that they have seen. */
export function loadChanged(load: SuiteStore['load'], change: (suite: Suite) => Suite): SuiteStore['load'] {
  const changed = new WeakMap<Suite, Suite>()
  return async (file) => {
    const suite = await load(file)
    const changedSuite = changed.get(suite) ?? change(suite)
    changed.set(suite, changedSuite)
    return changedSuite
  }
}

const NO_MATRIX: Matrix = { engineMatrix: { environment: null, option: null }, modelMatrix: [] }

/** Creates the store of free tests for a Vitest root. */
export function createTestStore(root: string): TestStore {
  const cache = createSuiteCache()
  return {
    root,
    owns: (file) => pathBelow(root, file) !== null && testFoldersOf(file) !== null,
    find: () => discoverTests(root),
    packageOf: cache.packageOf,
    load: keepLoaded((file, fs) => loadTestSuite(file, { cache, fs })),
  }
}

/** The error that fails a suite file in Vitest: every mistake at once, the first one as the code frame. */
export function suiteError(suite: Pick<Suite, 'file' | 'issues'>, root: string): Error | null {
  const errors = errorsOfFile(suite.issues)
  const [first] = errors
  if (first === undefined) return null
  const message = withoutCommands(errors.map((issue) => formatIssue(issue, root)).join('\n'))
  // Its frames would be ours: what is wrong is in the suite file.
  return Object.assign(new Error(message), {
    id: suite.file,
    plugin: 'agent-evals',
    // Vitest shows the lines around a place, also those of a file behind a link.
    ...(readShowable(first.file, root) === null
      ? {}
      : { loc: placeOf(first), frame: safeFrame(first, root) ?? undefined }),
    stack: message,
  })
}

function placeOf(issue: Issue): { file: string; line: number; column: number } {
  return { file: issue.file, line: issue.line, column: issue.column - 1 }
}

interface Loadable extends NamedSuite {
  readonly issues: readonly Issue[]
}

/**
 * Reads each suite once while what it was read from stays the same, with errors for names that two files have.
 *
 * @param isSuite - whether a file that was read before still is a suite.
 */
function keepLoaded<S extends Loadable>(
  load: (file: string, fs: TrackedFs) => Promise<S>,
  isSuite: (file: string) => boolean = isFile,
): (file: string) => Promise<S> {
  const loaded = new Map<string, { readonly fs: TrackedFs; readonly suite: Promise<S> }>()
  const loading = new Set<Promise<void>>()
  const names = createNameIndex(isSuite)

  function read(file: string): Promise<S> {
    const earlier = loaded.get(file)
    if (earlier?.fs.isUnchanged() === true) return earlier.suite
    const fs = openTrackedFs()
    const suite = load(file, fs)
    loaded.set(file, { fs, suite })
    // What a reading throws is thrown to those who asked for it.
    const indexed = suite.then((one) => names.put(one)).catch(() => undefined)
    loading.add(indexed)
    void indexed.then(() => loading.delete(indexed))
    return suite
  }

  return async (file) => {
    const suite = await read(file)
    // Those that are read at the same time may have the same names.
    await Promise.all(loading)
    const found = names.issuesOf(file)
    return found.length === 0 ? suite : { ...suite, issues: [...suite.issues, ...found] }
  }
}
