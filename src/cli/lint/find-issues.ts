import { basename, dirname, extname, join, resolve } from 'node:path'
import { casePlaces } from '../../case/prepare/find-scenario.ts'
import { discoverTests, findIrregularSuites } from '../../formats/discover.ts'
import { loadTestSuite } from '../../formats/free-tests/load-test-suite.ts'
import type { TestSuite } from '../../formats/free-tests/test-suite.ts'
import { kindOf } from '../../formats/kinds.ts'
import { findDuplicateNames } from '../../formats/load-suite.ts'
import { toPathSegment } from '../../formats/paths.ts'
import { formatOf } from '../../formats/registry.ts'
import { uniqueIssues, type Issue } from '../../lib/documents/document.ts'
import { sumOf } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { packageRootOf, pathBelow } from '../../packages/package-root.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'
import { narrow, type LoadedSuites, type SearchedFolder } from '../find/search.ts'
import { findEmptyTests, findIgnoredEvals, findMissingTestFiles } from './files.ts'
import { findHopelessCases } from './hopeless-cases.ts'
import { findHopelessHooks } from './hooks.ts'
import { findMissingOverlays, findUnknownSkills, findUnsupportedEngine } from './package.ts'
import { findRecordingIssues, type RecordedPackage } from './recordings.ts'
import { findScenarioIssues, findSharedScenarios, indexScenarios } from './scenarios.ts'
import { findUnknownTools, hasOwnEngines } from './unknown-names.ts'

/** Everything that can be known to be wrong without a model. */
export interface Findings {
  /** By place; each once. */
  readonly issues: readonly Issue[]
  /** With the tests in TypeScript that can be read without running their files. */
  readonly cases: number
  /** Free tests of skills, hooks and commands. */
  readonly tests: number
  readonly files: number
  readonly packages: readonly RecordedPackage[]
}

/** What is looked at; the tests in TypeScript as far as they can be read without running a file. */
export type LintedSuites = LoadedSuites & Partial<Pick<SearchedFolder, 'options' | 'tests'>>

/** Looks at suites, tests, packages, scenarios and recordings of a project. What is found is that in the part `within`. */
export async function findIssues(loaded: LintedSuites, within: string = loaded.root): Promise<Findings> {
  const { root, suites, evalFiles, cache, options } = loaded
  const tests = await loadTests(root, cache)
  const roots = new Set([
    ...[...suites, ...tests].map(({ packageRoot }) => packageRoot),
    ...evalFiles.map((file) => packageRootOf(file, root)),
  ])
  const packages = [...roots].toSorted().map((packageRoot): RecordedPackage => ({
    packageRoot,
    suites: suites.filter((suite) => suite.packageRoot === packageRoot),
    evalFiles: evalFiles.filter((file) => packageRootOf(file, root) === packageRoot),
  }))
  const configs = new Map(suites.map(({ config }) => [config.file, config]))
  const found = await Promise.all([
    findIrregularSuites(root),
    findIgnoredEvals(root, [...suites.map(({ file }) => file), ...evalFiles]),
    ...packages.map((pkg) => lookAtPackage(pkg, loaded)),
    ...[...configs.values()].map((config) => findUnsupportedEngine(config)),
    ...[options?.scenarios ?? []].flat().map((named) => lookAtNamedScenarios(resolve(root, named), loaded)),
  ])
  const issues = inOrder([
    ...[...suites, ...tests].flatMap(({ issues: own }) => own),
    ...suites.flatMap(findMissingOverlays),
    ...tests.flatMap(findMissingTestFiles),
    ...tests.flatMap(findEmptyTests),
    ...suites.flatMap((suite) => formatOf(suite.format).lint?.(suite) ?? []),
    ...found.flat(),
  ])
  const part = narrow(loaded, within)
  const isIn = ({ file }: { readonly file: string }): boolean => part === loaded || pathBelow(within, file) !== null
  const testsIn = tests.filter(isIn)
  return {
    issues: issues.filter(isIn),
    cases: sumOf(part.suites, (suite) => suite.cases.length) + (part.tests ?? []).length,
    tests: sumOf(testsIn, (suite) => suite.cases.length),
    files: part.suites.length + testsIn.length + part.evalFiles.length,
    packages,
  }
}

// A folder of scenarios that is named is that of all packages.
async function lookAtNamedScenarios(scenarios: string, { root, suites }: LintedSuites): Promise<readonly Issue[]> {
  return findSharedScenarios(suites, await indexScenarios(scenarios), { root, scenarios })
}

async function loadTests(root: string, cache: LoadedSuites['cache']): Promise<readonly TestSuite[]> {
  const { ours } = await discoverTests(root)
  const suites = await Promise.all(ours.map((file) => loadTestSuite(file, { cache })))
  const duplicates = findDuplicateNames(suites)
  return suites.map((suite) => ({
    ...suite,
    issues: [...suite.issues, ...duplicates.filter(({ file }) => file === suite.file)],
  }))
}

async function lookAtPackage(
  pkg: RecordedPackage,
  { cache, options, root, tests = [] }: LintedSuites,
): Promise<readonly Issue[]> {
  const read = await cache.packageOf(pkg.packageRoot)
  // A file that cannot be read most likely holds the case it is named for.
  const ids = pkg.suites.flatMap(({ cases, file }) =>
    cases.length > 0
      ? cases.flatMap((one) => [one.id, kindOf(one).slug(one)])
      : [basename(file, extname(file)), basename(dirname(file))],
  )
  const written = tests.filter(({ file }) => pkg.evalFiles.includes(file))
  const settings = { root, scenarios: null }
  const places = pkg.suites.some(({ cases }) => cases.length === 0)
    ? null
    : pkg.suites.flatMap((suite) => suite.cases.flatMap((evalCase) => casePlaces({ suite, evalCase, settings })))
  const scenarios = await indexScenarios(join(pkg.packageRoot, 'evals', 'scenarios'))
  return [
    ...read.findings,
    ...(await findHopelessHooks(read)),
    ...pkg.suites.flatMap((suite) => findHopelessCases(suite, read)),
    ...(await findUnknownSkills(read)),
    // Which cases a file has whose names are computed, or that cannot be read, is known when it runs.
    ...(pkg.evalFiles.every((file) => isWhole(file, written))
      ? findScenarioIssues(scenarios, [...ids, ...written.map(({ name }) => toPathSegment(name))], places)
      : scenarios.files.flatMap(({ loaded }) => loaded?.issues ?? [])),
    ...findSharedScenarios(pkg.suites, scenarios, settings),
    ...scenarios.files.flatMap(({ file, loaded }) =>
      findUnknownTools(file, hasOwnEngines(options) ? null : loaded, read),
    ),
    ...findRecordingIssues(pkg),
  ]
}

function isWhole(file: string, tests: readonly WrittenTest[]): boolean {
  const ofFile = tests.filter((test) => test.file === file)
  return ofFile.length > 0 && ofFile.every(({ isComputed }) => !isComputed)
}

function inOrder(issues: readonly Issue[]): readonly Issue[] {
  return uniqueIssues(issues).toSorted(
    (a, b) => compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column || compareTexts(a.code, b.code),
  )
}
