import type { FileDealer } from '../../case/plan/deal-shards.ts'
import {
  chooseTests,
  planCases,
  requireKnown,
  takesTests,
  withVariants,
  type CaseChoice,
  type Plan,
} from '../../case/plan/plan.ts'
import type { Suite } from '../../formats/suite.ts'
import { nameVariant, tagsOf, withBaseline } from '../../formats/variants.ts'
import { failsFile } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { plural } from '../../lib/text.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'
import { resolveTest } from './golden-tests.ts'
import { resolveFilter, unite, type Named, type Searched } from './resolve-filters.ts'
import type { FoundTest } from './search.ts'

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
  readonly named: Named | null
  /** The test files of these that Vitest is asked for. */
  readonly filters: readonly string[]
  /** Tests in TypeScript that run here, as far as they can be read. */
  readonly tests: readonly WrittenTest[]
  /** Their files, and those that cannot be read. */
  readonly files: readonly string[]
}

interface SearchedSuites extends Searched {
  readonly suites: readonly Suite[]
  readonly tests?: readonly FoundTest[]
}

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
  const { root, evalFiles } = searched
  const suites = searched.suites.map((suite) => withBaseline(withVariants(suite, options), options))
  const allTests = (searched.tests ?? []).flatMap(expandTest)
  const known = allTests.flatMap(({ tags }) => tags)
  requireKnown(dealer === null ? { ...options, tag: null } : options, suites, known)
  const named = findNamed(asked, searched, options)
  const choice = { ...options, named: named?.cases ?? null, pattern: toPattern(asked.pattern) }
  const plan = planCases(suites, choice, { ...options, root })
  const meant = takesTests(choice) ? evalFiles.filter((file) => isNamedFile(file, named)) : []
  const dealt = dealer?.deal(meant) ?? meant
  const tests = chooseTests(allTests, choice).filter((test) => dealt.includes(test.file) && isNamedTest(test, named))
  const read = new Set(allTests.map(({ file }) => file))
  const files = dealt.filter((file) => !read.has(file) || tests.some((test) => test.file === file))
  // Vitest refuses a line of a file that is left out.
  const isLeftOut = (place: string): boolean => !takesTests(choice) && evalFiles.includes(fileOf(place))
  const filters = (named?.files ?? []).filter((place) => !isLeftOut(place))
  return { suites, plan, named, filters, tests, files }
}

function findNamed(
  { filters, test }: AskedCases,
  searched: SearchedSuites,
  { category }: ResolvedOptions,
): Named | null {
  if (test !== null) return unite([resolveTest(test, filters, category, searched.suites)])
  return filters.length === 0 ? null : unite(filters.map((filter) => resolveFilter(filter, searched)))
}

function toPattern(text: string | null): RegExp | undefined {
  return text === null ? undefined : new RegExp(text)
}

function isNamedFile(file: string, named: Named | null): boolean {
  return named === null || named.files.some((place) => fileOf(place) === file)
}

function isNamedTest({ file, line }: WrittenTest, named: Named | null): boolean {
  return named === null || [file, `${file}:${line}`].some((place) => named.files.includes(place))
}

function fileOf(place: string): string {
  return place.replace(/:\d+$/, '')
}

// As a run declares it.
function expandTest({ variants, ...test }: FoundTest): readonly WrittenTest[] {
  if (variants.length === 0) return [test]
  return variants.map((one) => ({ ...test, name: nameVariant(test.name, one), tags: [...test.tags, ...tagsOf(one)] }))
}

/**
 * Refuses a command line whose filters leave no case, although each for itself would.
 *
 * @throws {AgentEvalsError} `no-match`, with what each leaves.
 */
export function requirePlanned(
  asked: AskedCases,
  { plan, named, suites }: AskedPlan,
  { root, evalFiles, tests = [] }: SearchedSuites,
  options: ResolvedOptions,
): void {
  if (plan.whole > 0 || suites.length + evalFiles.length === 0) return
  // The names and tags of their tests are known when they run.
  if (takesTests(options) && evalFiles.some((file) => isNamedFile(file, named))) return
  // A broken file says so itself.
  if (suites.some((suite) => isNamedFile(suite.file, named) && suite.issues.some(failsFile))) return
  const { target, kind, category, tag, case: glob } = options
  const names = [...asked.filters, ...(asked.test === null ? [] : [`--test ${asked.test}`])]
  const conditions: readonly (readonly [flag: string, value: string | null, choice: CaseChoice])[] = [
    ['', named === null ? null : names.join(' '), { named: named?.cases ?? null }],
    ['--target ', target, { target }],
    ['--mode ', kind === 'both' ? null : kind, { kind }],
    ['--category ', category, { category }],
    ['--tag ', tag?.join(',') ?? null, { tag }],
    ['--case ', glob, { case: glob }],
    ['-t ', asked.pattern, { pattern: toPattern(asked.pattern) }],
  ]
  const counts = conditions.flatMap(([flag, value, choice]) => {
    if (value === null) return []
    const meant = choice.named === undefined ? tests : tests.filter((test) => isNamedTest(test, named))
    const count = planCases(suites, choice, { ...options, root }).whole + chooseTests(meant, choice).length
    return `${flag}${value} (${plural(count, 'case')})`
  })
  const together = counts.length > 1 ? 'No case matches all of these filters' : 'No case matches'
  throw new AgentEvalsError('no-match', `${together}: ${counts.join(', ')}.`)
}
