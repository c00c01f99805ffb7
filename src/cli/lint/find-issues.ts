import { join, resolve } from 'node:path'
import { casePlaces } from '../../case/prepare/find-scenario.ts'
import { discoverTests, findIrregularSuites } from '../../formats/discover.ts'
import { loadTestSuite } from '../../formats/free-tests/load-test-suite.ts'
import type { TestSuite } from '../../formats/free-tests/test-suite.ts'
import { findDuplicateNames } from '../../formats/load-suite.ts'
import { toPathSegment } from '../../formats/paths.ts'
import { formatOf } from '../../formats/registry.ts'
import { uniqueIssues, type Issue } from '../../lib/documents/document.ts'
import { sumOf } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { packageRootOf, pathBelow } from '../../packages/package-root.ts'
import { narrow, type LoadedSuites, type SearchedFolder } from '../find/search.ts'
import { findHopelessCases, findMissingOverlays, findTestProblems } from './cases.ts'
import { findIgnoredEvals } from './ignored-evals.ts'
import { findUnknownTools, hasOwnEngines } from './names.ts'
import { findPackageProblems, findUnsupportedEngine } from './package.ts'
import { findRecordingIssues, type RecordedPackage } from './recordings.ts'
import { findSharedScenarios, findUnplayed, indexScenarios } from './scenarios.ts'

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
  const owners = [
    ...[...suites, ...tests].map(({ packageRoot }) => packageRoot),
    ...evalFiles.map((file) => packageRootOf(file, root)),
  ]
  const packages = [...new Set(owners)].toSorted().map((packageRoot): RecordedPackage => ({
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
    // A folder of scenarios that is named is that of all packages.
    ...[options?.scenarios ?? []].flat().map(async (named) => {
      const scenarios = resolve(root, named)
      return findSharedScenarios(suites, await indexScenarios(scenarios), { root, scenarios })
    }),
  ])
  const issues = inOrder([
    ...[...suites, ...tests].flatMap((suite) => suite.issues),
    ...suites.flatMap(findMissingOverlays),
    ...tests.flatMap(findTestProblems),
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
  const { packageRoot, suites, evalFiles } = pkg
  const read = await cache.packageOf(packageRoot)
  const folder = join(packageRoot, 'evals', 'scenarios')
  const scenarios = await indexScenarios(folder)
  const settings = { root, scenarios: null }
  const written = evalFiles.map((file) => tests.filter((test) => test.file === file))
  const places = [
    ...suites.flatMap((suite) => suite.cases.flatMap((evalCase) => casePlaces({ suite, evalCase, settings }))),
    ...written.flat().map(({ name }) => join(folder, `${toPathSegment(name)}.yaml`)),
  ]
  // Which cases a file has whose names are computed, or that cannot be read, is known when it runs.
  const isWhole =
    suites.every(({ cases }) => cases.length > 0) &&
    written.every((ofFile) => ofFile.length > 0 && ofFile.every(({ isComputed }) => !isComputed))
  return [
    ...read.findings,
    ...(await findPackageProblems(read)),
    ...suites.flatMap((suite) => findHopelessCases(suite, read)),
    ...(isWhole ? findUnplayed(scenarios, places) : []),
    ...findSharedScenarios(suites, scenarios, settings),
    ...scenarios.files.flatMap(({ file, loaded }) => [
      ...(loaded?.issues ?? []),
      ...findUnknownTools(file, hasOwnEngines(options) ? null : loaded, read),
    ]),
    ...findRecordingIssues(pkg),
  ]
}

function inOrder(issues: readonly Issue[]): readonly Issue[] {
  return uniqueIssues(issues).toSorted(
    (a, b) => compareTexts(a.file, b.file) || a.line - b.line || a.column - b.column || compareTexts(a.code, b.code),
  )
}
