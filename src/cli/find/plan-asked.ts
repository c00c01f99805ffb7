import type { FileDealer } from '../../case/plan/deal-shards.ts'
import { chooseTests, planCases, requireKnown, takesTests, withVariants, type Plan } from '../../case/plan/plan.ts'
import type { Suite } from '../../formats/suite.ts'
import { nameVariant, tagsOf, withBaseline } from '../../formats/variants.ts'
import { failsFile } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'
import { idsByFile, resolveFilter, resolveTest, type Match, type Searched } from './resolve-filters.ts'
import type { FoundTest, LoadedSuites, SearchedFolder } from './search.ts'

/** What a command line says of cases, beside its options. */
export interface AskedCases {
  /** Names, places and paths. */
  readonly filters: readonly string[]
  /** Id of a golden test, `category/id`, or a part of it: every test that has it is meant. */
  readonly test: string | null
  /** Vitest's filter of test names. */
  readonly pattern: string | null
}

/** What a command line leaves of the cases of a project. */
interface AskedPlan {
  /** The suites as they run: with the engines and arms of the options. */
  readonly suites: readonly Suite[]
  readonly plan: Plan
  /** Test files for Vitest and cases; `null` where no name is given, so that all are meant. */
  readonly named: Match | null
  /** The test files of these that Vitest is asked for. */
  readonly filters: readonly string[]
  /** Tests in TypeScript that run here, as far as they can be read. */
  readonly tests: readonly WrittenTest[]
  /** Their files, and those that cannot be read. */
  readonly files: readonly string[]
}

type SearchedSuites = Pick<LoadedSuites, 'evalFiles' | 'root' | 'suites'> &
  Pick<Searched, 'elsewhere'> &
  Partial<Pick<SearchedFolder, 'tests'>>

/**
 * Plans what a command line asks for. Without a `dealer`, as for a run, all files of tests in TypeScript are meant, and
 * unknown tags are left to Vitest: it knows those that a test computes.
 *
 * @throws {AgentEvalsError} `no-match` for a name, target, category or tag that nothing has, with the nearest ones.
 */
export function planAsked(
  asked: AskedCases,
  searched: SearchedSuites,
  options: ResolvedOptions,
  dealer: FileDealer | null = null,
): AskedPlan {
  const suites = searched.suites.map((suite) => withBaseline(withVariants(suite, options), options))
  const allTests = (searched.tests ?? []).flatMap(expandTest)
  const known = allTests.flatMap(({ tags }) => tags)
  requireKnown(dealer === null ? { ...options, tag: null } : options, suites, known)
  const named = findNamed(asked, searched)
  const pattern = asked.pattern === null ? undefined : new RegExp(asked.pattern)
  const choice = { ...options, named: named === null ? null : idsByFile(named.cases), pattern }
  const meant = takesTests(choice) ? searched.evalFiles.filter((file) => isNamedFile(file, named)) : []
  const dealt = dealer?.deal(meant) ?? meant
  const tests = chooseTests(allTests, choice).filter((test) => dealt.includes(test.file) && isNamedTest(test, named))
  const read = new Set(allTests.map(({ file }) => file))
  const files = dealt.filter((file) => !read.has(file) || tests.some((test) => test.file === file))
  const plan = planCases(suites, choice, { ...options, root: searched.root })
  // Vitest refuses a line of a file that is left out.
  const isLeftOut = (file: string): boolean =>
    !takesTests(choice) && searched.evalFiles.some((one) => file === one || file.startsWith(`${one}:`))
  const filters = [...new Set(named?.files ?? [])].filter((file) => !isLeftOut(file))
  return { suites, plan, named, filters, tests, files }
}

function findNamed({ filters, test }: AskedCases, searched: SearchedSuites): Match | null {
  if (test !== null) return resolveTest(test, filters, searched)
  if (filters.length === 0) return null
  const matches = filters.map((filter) => resolveFilter(filter, searched))
  return { files: matches.flatMap(({ files }) => files), cases: matches.flatMap(({ cases }) => cases) }
}

function isNamedFile(file: string, named: Match | null): boolean {
  return named === null || named.files.some((one) => one === file || one.startsWith(`${file}:`))
}

function isNamedTest({ file, line }: WrittenTest, named: Match | null): boolean {
  return named === null || [file, `${file}:${line}`].some((one) => named.files.includes(one))
}

// As a run declares it.
function expandTest({ variants, ...test }: FoundTest): readonly WrittenTest[] {
  if (variants.length === 0) return [test]
  return variants.map((one) => ({ ...test, name: nameVariant(test.name, one), tags: [...test.tags, ...tagsOf(one)] }))
}

/**
 * Refuses a command line whose filters leave no case, although each for itself would.
 *
 * @throws {AgentEvalsError} `no-match`, with the filters.
 */
export function requirePlanned(
  { filters, test, pattern }: AskedCases,
  { plan, named, suites }: AskedPlan,
  { evalFiles }: SearchedSuites,
  options: ResolvedOptions,
): void {
  if (plan.whole > 0 || suites.length + evalFiles.length === 0) return
  // The names and tags of their tests are known when they run.
  if (takesTests(options) && evalFiles.some((file) => isNamedFile(file, named))) return
  // A broken file says so itself.
  if (suites.some((suite) => isNamedFile(suite.file, named) && suite.issues.some(failsFile))) return
  const { target, kind, category, tag, case: glob } = options
  const flags = { test, target, mode: kind === 'both' ? null : kind, category, tag, case: glob, t: pattern }
  const given = Object.entries(flags).flatMap(([name, value]) =>
    value === null ? [] : [`${name === 't' ? '-' : '--'}${name} ${String(value)}`],
  )
  throw new AgentEvalsError('no-match', `No case matches all of these filters: ${[...filters, ...given].join(', ')}.`)
}
