import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
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
import { NOTHING } from '../../formats/format.ts'
import { discoverGolden, evalsDirOf } from '../../formats/golden/golden-test.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { nameVariant, tagsOf, withBaseline } from '../../formats/variants.ts'
import { failsFile } from '../../lib/documents/document.ts'
import { nearestName, suggestName } from '../../lib/documents/nearest-name.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { homeFolder } from '../../lib/files.ts'
import { plural } from '../../lib/text.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'
import { casesIn, resolveFilter, unite, type Named, type CaseInSuite, type Searched } from './resolve-filters.ts'
import { hasEvals, type FoundTest, type LoadedSuites, type SearchedFolder } from './search.ts'

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

/**
 * Plans what a command line asks for. Without a `dealer`, as for a run, all files of tests in TypeScript are meant, and
 * unknown tags are left to Vitest: it knows those that a test computes.
 *
 * @throws {AgentEvalsError} `no-match` for a name, target, category or tag that nothing has, with the nearest ones.
 */
export function planAsked(
  askedCases: AskedCases,
  searched: SearchedSuites,
  options: ResolvedOptions,
  dealer: FileDealer | null = null,
): AskedPlan {
  const suites = searched.suites.map((suite) => withBaseline(withVariants(suite, options), options))
  const allTests = (searched.tests ?? []).flatMap(expandTest)
  const known = allTests.flatMap(({ tags }) => tags)
  requireKnown(dealer === null ? { ...options, tag: null } : options, suites, known)
  const named = findNamed(askedCases, searched, options)
  const choice = {
    ...options,
    named: named?.cases ?? null,
    pattern: toPattern(askedCases.pattern),
  }
  const meant = takesTests(choice) ? searched.evalFiles.filter((file) => isNamedFile(file, named)) : []
  const dealt = dealer?.deal(meant) ?? meant
  const tests = chooseTests(allTests, choice).filter((test) => dealt.includes(test.file) && isNamedTest(test, named))
  const read = new Set(allTests.map(({ file }) => file))
  const files = dealt.filter((file) => !read.has(file) || tests.some((test) => test.file === file))
  const plan = planCases(suites, choice, { ...options, root: searched.root })
  // Vitest refuses a line of a file that is left out.
  const isLeftOut = (file: string): boolean =>
    !takesTests(choice) && searched.evalFiles.some((one) => file === one || file.startsWith(`${one}:`))
  const filters = (named?.files ?? []).filter((file) => !isLeftOut(file))
  return { suites, plan, named, filters, tests, files }
}

function isNamedFile(file: string, named: Named | null): boolean {
  return named === null || named.files.some((one) => one === file || one.startsWith(`${file}:`))
}

function isNamedTest({ file, line }: WrittenTest, named: Named | null): boolean {
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
 * @throws {AgentEvalsError} `no-match`, with what each leaves.
 */
export function requirePlanned(
  askedCases: AskedCases,
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
  const names = [...askedCases.filters, ...(askedCases.test === null ? [] : [`--test ${askedCases.test}`])]
  const conditions: readonly (readonly [label: string, choice: CaseChoice])[] = [
    ...(named === null ? [] : [[names.join(' '), { named: named.cases }] as const]),
    ...(target === null ? [] : [[`--target ${target}`, { target }] as const]),
    ...(kind === 'both' ? [] : [[`--mode ${kind}`, { kind }] as const]),
    ...(category === null ? [] : [[`--category ${category}`, { category }] as const]),
    ...(tag === null ? [] : [[`--tag ${tag.join(',')}`, { tag }] as const]),
    ...(glob === null ? [] : [[`--case ${glob}`, { case: glob }] as const]),
    ...(askedCases.pattern === null
      ? []
      : [[`-t ${askedCases.pattern}`, { pattern: toPattern(askedCases.pattern) }] as const]),
  ]
  const counts = conditions.map(([label, choice]) => {
    const meant = choice.named === undefined ? tests : tests.filter((test) => isNamedTest(test, named))
    const count = planCases(suites, choice, { ...options, root }).whole + chooseTests(meant, choice).length
    return `${label} (${plural(count, 'case')})`
  })
  const together = counts.length > 1 ? 'No case matches all of these filters' : 'No case matches'
  throw new AgentEvalsError('no-match', `${together}: ${counts.join(', ')}.`)
}

type SearchedSuites = Pick<LoadedSuites, 'evalFiles' | 'root' | 'suites'> &
  Pick<Searched, 'elsewhere'> &
  Partial<Pick<SearchedFolder, 'tests'>>

function findNamed(
  { filters, test }: AskedCases,
  searched: SearchedSuites,
  { category }: ResolvedOptions,
): Named | null {
  if (test !== null) {
    // They say themselves what is broken, such as the rubric that they share.
    const broken = findBrokenGolden(test, filters, searched)
    if (broken.length > 0) return unite([{ files: broken.map(({ file }) => file), cases: [], refusal: null }])
    const cases = findGolden(test, filters, category, searched)
    return unite([{ files: cases.map(({ suite }) => suite.file), cases, refusal: null }])
  }
  return filters.length === 0 ? null : unite(filters.map((filter) => resolveFilter(filter, searched)))
}

function toPattern(text: string | null): RegExp | undefined {
  return text === null ? undefined : new RegExp(text)
}

// The golden tests of an id, or of a part of it, among those of a category and of these agents.
function findGolden(
  test: string,
  filters: readonly string[],
  category: string | null,
  { suites }: Searched,
): readonly CaseInSuite[] {
  const goldenTests = casesIn(suites).filter(({ evalCase }) => kindOf(evalCase).golden(evalCase) !== null)
  const agents = [...new Set(goldenTests.map(agentOf))]
  const unknown = filters.find((filter) => !agents.includes(filter))
  if (unknown !== undefined)
    throw new AgentEvalsError('no-match', `No agent '${unknown}' with golden tests.${suggest(unknown, agents)}`)

  const ofAgents = goldenTests.filter((one) => filters.length === 0 || filters.includes(agentOf(one)))
  if (ofAgents.length === 0)
    throw new AgentEvalsError('no-match', 'No golden tests found. Set the folder of the agents with --agents-root.')
  return matchTest(
    test,
    ofAgents.filter(({ evalCase }) => category === null || evalCase.category === category),
  )
}

// Without a case, a test has only its place.
function findBrokenGolden(
  test: string,
  filters: readonly string[],
  { suites }: SearchedSuites,
): SearchedSuites['suites'] {
  return suites.filter(({ file, issues, cases }) => {
    const evalsDir = evalsDirOf(file)
    if (evalsDir === null || cases.length > 0 || !issues.some(failsFile)) return false
    const agent = basename(dirname(evalsDir))
    return (filters.length === 0 || filters.includes(agent)) && file.slice(evalsDir.length).includes(test)
  })
}

/** The folder of agents that counts where a name is of none here: the format's own. `null` when it has none of it. */
export function defaultAgentsRoot(filters: readonly string[]): string | null {
  const home = homeFolder()
  if (home === null) return null
  const root = join(home, 'docs', 'agents')
  const isThere = filters.some((name) => /^[\w.-]+$/.test(name) && existsSync(join(root, name, 'evals', 'golden')))
  return isThere ? root : null
}

function agentOf({ evalCase }: CaseInSuite): string {
  return evalCase.target?.name ?? ''
}

function matchTest(test: string, cases: readonly CaseInSuite[]): readonly CaseInSuite[] {
  const exact = cases.filter(({ evalCase }) => evalCase.name === test || idOf(evalCase) === test)
  const matches = exact.length > 0 ? exact : cases.filter(({ evalCase }) => evalCase.name.includes(test))
  // As the format's own runner does: "001" is a test of each category.
  if (matches.length > 0) return matches
  throw new AgentEvalsError('no-match', `No test matching '${test}'.${nearIds(test, cases)}`)
}

function idOf({ name }: EvalCase): string {
  return name.slice(name.indexOf('/') + 1)
}

function nearIds(test: string, cases: readonly CaseInSuite[]): string {
  const names = cases.map(({ evalCase }) => evalCase.name)
  const nearest =
    nearestName(test, names) ??
    nearestName(
      test,
      cases.map(({ evalCase }) => idOf(evalCase)),
    )
  const words = test.toLowerCase().match(/[a-z]{3,}|\d+/g) ?? []
  const near = names.filter((name) => words.some((word) => name.toLowerCase().includes(word)))
  const shown = near.length > 0 ? near : names
  const listed = `${near.length > 0 ? 'Near' : 'Tests'}: ${shown.slice(0, MOST).join(', ')}${shown.length > MOST ? ', …' : ''}.`
  return nearest === null ? ` ${listed}` : ` Did you mean '${nearest}'? ${listed}`
}

function suggest(name: string, names: readonly string[]): string {
  const near = suggestName(name, names)
  return near === '' ? ` There are: ${names.slice(0, MOST).join(', ') || 'none'}.` : near
}

const MOST = 5

/** An agent's folder with golden tests. */
export interface AgentFolder {
  readonly name: string
  /** Absolute path. */
  readonly dir: string
  /** Absolute path of its `evals/`. */
  readonly evalsDir: string
}

/**
 * Finds the agents below a folder, all or those that are named.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export async function findAgents(
  agentsRoot: string | undefined,
  names: readonly string[],
): Promise<readonly AgentFolder[]> {
  const here = await agentsBelow(resolve(agentsRoot ?? '.'))
  const isElsewhere = agentsRoot === undefined && !names.every((name) => here.some((agent) => agent.name === name))
  const root = isElsewhere ? defaultAgentsRoot(names) : null
  const agents = root === null ? here : await agentsBelow(root)
  const unknown = names.find((name) => !agents.some((agent) => agent.name === name))
  if (unknown !== undefined || agents.length === 0) {
    const isEmpty = agents.length === 0 && agentsRoot === undefined && !(await hasEvals(resolve('.')))
    throw new AgentEvalsError('no-match', isEmpty ? `${NOTHING}\n${ELSEWHERE}` : describe(unknown, agents))
  }
  return agents.filter(({ name }) => names.length === 0 || names.includes(name))
}

async function agentsBelow(root: string): Promise<readonly AgentFolder[]> {
  const { ours } = await discoverGolden(root)
  const folders = [...new Set(ours.flatMap((file) => evalsDirOf(file) ?? []))].toSorted()
  return folders.map((evalsDir) => ({ name: basename(dirname(evalsDir)), dir: dirname(evalsDir), evalsDir }))
}

function describe(unknown: string | undefined, agents: readonly AgentFolder[]): string {
  const names = agents.map(({ name }) => name)
  if (unknown === undefined) return `No agent with golden tests here. ${ELSEWHERE}`
  const listed = names.length === 0 ? 'none here. Name the folder of the agents with --agents-root' : names.join(', ')
  return `No agent '${unknown}' with golden tests.${suggestName(unknown, names)} There are: ${listed}.`
}

const ELSEWHERE = 'If the agents are in another folder, name it with --agents-root.'
