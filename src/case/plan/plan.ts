import { kindOf } from '../../formats/kinds.ts'
import { formatOf } from '../../formats/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { spellingsOf } from '../../formats/target.ts'
import { expandVariants } from '../../formats/variants.ts'
import { failsFile } from '../../lib/documents/document.ts'
import { nearestName } from '../../lib/documents/nearest-name.ts'
import { AgentEvalsError, withoutStack } from '../../lib/errors.ts'
import { sha256 } from '../../lib/sha256.ts'
import { compareTexts, matchesCaseName } from '../../lib/text.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings, Shard } from '../../options/settings.ts'
import { dealKeys, type DealtCount } from './deal-shards.ts'
import { countRuns, identifyCase, variantsFor, type Matrix } from './plan-case.ts'

/** What a run is about to do. */
export interface Plan {
  /** SHA-256 of all cases that the filters leave, before they are dealt to shards: the same on every machine. */
  readonly hash: string
  /** Number of these cases. */
  readonly whole: number
  /** The cases that run here, by file and line. */
  readonly cases: readonly PlanEntry[]
  /** How many cases were dealt to this shard, engines and arms of a case counted once; `null` where the run is whole. */
  readonly units: DealtCount | null
}

/** One case of a plan, on one engine and in one arm. */
interface PlanEntry {
  /** Suite file relative to the Vitest root. */
  readonly file: string
  /** `<suite file>#<case id>`, with `@<arm>` where there is one. */
  readonly id: string
  readonly engine: string
  readonly runs: number
}

/** What decides which cases take part. Each condition has to hold; what is absent or `null` leaves all cases. */
export interface CaseChoice {
  /** Such as `skill:pdf-tools`. */
  readonly target?: string | null
  /** Only results, only trigger queries, or both. */
  readonly kind?: 'artifact' | 'both' | 'trigger'
  /** Such as `happy`. */
  readonly category?: string | null
  /** Tags of which a case has one. */
  readonly tag?: readonly string[] | null
  /** Glob over the names of cases of `claude plugin eval`. */
  readonly case?: string | null
  /** What a command line names. */
  readonly named?: NamedCases | null
  /** What is asked of single files, by their absolute path. */
  readonly files?: ReadonlyMap<string, FileChoice>
  /** Names of tests. */
  readonly pattern?: RegExp | undefined
  readonly shard?: Shard | null
}

/** Ids of the cases that a command line names, by absolute path of their suite file. No other case is named. */
export type NamedCases = ReadonlyMap<string, ReadonlySet<string>>

/** What is asked of the cases of one file. */
export interface FileChoice {
  /** Lines at which cases start. */
  readonly lines?: readonly number[] | undefined
  /** Names of tests. */
  readonly pattern?: RegExp | undefined
  /** Ids of the cases that changed files make due. */
  readonly due?: ReadonlySet<string> | null | undefined
}

/** What the identity of a case and the number of its runs depend on. */
export type PlanSettings = Pick<RunSettings, 'engine' | 'root' | 'runs'>

/**
 * Plans a run: the cases of these suites for which every condition holds. Nothing else decides whether a case runs.
 *
 * Cases are dealt to shards by their ids, so every machine of the same checkout deals alike. The engines, models and arms
 * of a case stay together.
 */
export function planCases(suites: readonly Suite[], choice: CaseChoice, settings: PlanSettings): Plan {
  const caseEntries = suites
    .flatMap((suite) =>
      suite.cases
        .filter((evalCase) => isChosen(suite, evalCase, choice))
        .map((evalCase) => ({ evalCase, entry: entryOf(suite, evalCase, settings) })),
    )
    .toSorted(
      (a, b) =>
        compareTexts(a.entry.file, b.entry.file) ||
        a.evalCase.at.line - b.evalCase.at.line ||
        compareTexts(a.evalCase.id, b.evalCase.id) ||
        compareTexts(keyOf(a.entry), keyOf(b.entry)),
    )
  const { shard = null } = choice
  const units = new Set(caseEntries.map(unitOf))
  const dealt = shard === null ? units : dealKeys(units, shard)
  return {
    hash: sha256(JSON.stringify(caseEntries.map(({ entry }) => entry))),
    whole: caseEntries.length,
    cases: caseEntries.filter((one) => dealt.has(unitOf(one))).map(({ entry }) => entry),
    units: shard === null ? null : { mine: dealt.size, all: units.size },
  }
}

// Names what stays on one machine: a case with its engines and arms.
function unitOf({ entry, evalCase }: { readonly entry: PlanEntry; readonly evalCase: Pick<EvalCase, 'id'> }): string {
  return `${entry.file}#${evalCase.id}`
}

/** A suite with its cases as they run: one for each engine and model that is asked for. */
export function withVariants(suite: Suite, matrix: Matrix): Suite {
  return expandVariants(suite, variantsFor(suite, matrix))
}

/** The cases of a suite that a plan has. */
export function plannedCases(plan: Plan, suite: Suite, settings: PlanSettings): readonly EvalCase[] {
  const keys = keysOf.get(plan) ?? new Set(plan.cases.map(keyOf))
  keysOf.set(plan, keys)
  return suite.cases.filter((evalCase) => keys.has(keyOf(entryOf(suite, evalCase, settings))))
}

const keysOf = new WeakMap<Plan, ReadonlySet<string>>()

function keyOf({ file, id, engine }: PlanEntry): string {
  return `${file}\0${id}\0${engine}`
}

function entryOf(suite: Suite, evalCase: EvalCase, settings: PlanSettings): PlanEntry {
  const { file, id, engineName } = identifyCase(suite, evalCase, settings)
  return { file, id, engine: engineName, runs: countRuns(evalCase, settings) }
}

function isChosen({ file }: Suite, evalCase: EvalCase, choice: CaseChoice): boolean {
  const { named = null, files, tag = null } = choice
  const { id, at, category, name, tags, target } = evalCase
  const facts = kindOf(evalCase)
  const title = facts.pluginCase(evalCase)?.name ?? null
  const { lines = [], due = null, pattern } = files?.get(file) ?? {}
  return (
    (named === null || named.get(file)?.has(id) === true) &&
    (lines.length === 0 || lines.includes(at.line)) &&
    (due === null || due.has(id)) &&
    [choice.pattern, pattern].every((one) => one === undefined || name.search(one) !== -1) &&
    hasFacts({ category, isQuery: facts.isQuery, target, title }, choice) &&
    (tag === null || tag.some((one) => tags.includes(one)))
  )
}

interface Facts extends Pick<EvalCase, 'category' | 'target'> {
  readonly isQuery: boolean
  /** Name of a case of `claude plugin eval`. */
  readonly title: string | null
}

function hasFacts(
  facts: Facts,
  { kind = 'both', category = null, target = null, case: glob = null }: CaseChoice,
): boolean {
  return (
    (kind === 'both' || (kind === 'trigger') === facts.isQuery) &&
    (category === null || facts.category === category) &&
    (target === null || (facts.target !== null && spellingsOf(facts.target).includes(target))) &&
    (glob === null || (facts.title !== null && matchesCaseName(glob, facts.title)))
  )
}

/** Tells if tests in TypeScript take part: they have tags and a name, and no target or category. */
export function takesTests(choice: CaseChoice): boolean {
  return hasFacts({ category: null, isQuery: false, target: null, title: null }, choice)
}

/** A test in TypeScript, as far as filters look at it. */
interface FilteredTest {
  /** With the names of its describe blocks, as Vitest joins them. */
  readonly name: string
  readonly tags: readonly string[]
  /** True if its name is computed, so that any pattern may match it. */
  readonly isComputed: boolean
}

/** The tests in TypeScript for which every condition holds, as Vitest filters them by name and the plugin by tag. */
export function chooseTests<Test extends FilteredTest>(tests: readonly Test[], choice: CaseChoice): readonly Test[] {
  const { pattern, tag = null } = choice
  if (!takesTests(choice)) return []
  return tests.filter(
    ({ name, tags, isComputed }) =>
      (tag === null || tag.some((one) => tags.includes(one))) &&
      (pattern === undefined || isComputed || name.replaceAll(' > ', ' ').search(pattern) !== -1),
  )
}

/**
 * Refuses a target, category or tag that nothing has. A file that cannot be read may have it, and says so itself.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export function requireKnown(
  { target = null, category = null, tag = null }: CaseChoice,
  suites: readonly Pick<Suite, 'cases' | 'issues'>[],
  moreTags: readonly string[] = [],
): void {
  if (suites.some(({ issues }) => issues.some(failsFile))) return
  const cases = suites.flatMap((suite) => suite.cases)
  const targets = cases.flatMap((one) => (one.target === null ? [] : spellingsOf(one.target)))
  requireOne('target', 'Targets', target === null ? [] : [target], targets)
  const categories = cases.flatMap((one) => one.category ?? [])
  requireOne('category', 'Categories', category === null ? [] : [category], categories)
  requireOne('tag', 'Tags', tag ?? [], [...cases.flatMap(({ tags }) => tags), ...moreTags])
}

function requireOne(what: string, all: string, asked: readonly string[], known: readonly string[]): void {
  const [first] = asked
  if (first === undefined || asked.some((one) => known.includes(one))) return
  const message = `No case has the ${what} ${JSON.stringify(first)}.${describeNearest(first, [...new Set(known)], all)}`
  throw withoutStack(new AgentEvalsError('no-match', message))
}

/** ` Did you mean "x"?` for a name that nothing has, else ` Names: "a", "b".` with the word for all of them; or nothing. */
export function describeNearest(written: string, names: readonly string[], all: string): string {
  const found = nearestName(written, names)
  const lower = written.toLowerCase()
  const near = found === null ? names.filter((name) => name.toLowerCase().includes(lower)).slice(0, 3) : [found]
  if (near.length > 0) return ` Did you mean ${near.map((name) => JSON.stringify(name)).join(' or ')}?`
  return names.length === 0 ? '' : ` ${all}: ${firstInSentence(names, MOST_SHOWN)}.`
}

const MOST_SHOWN = 10

/** Seconds a case may take: its own field, which nothing replaces, else environment, suite, option, the format's default. */
export function caseTimeout(
  suite: Pick<Suite, 'config' | 'format'>,
  evalCase: Pick<EvalCase, 'timeout'>,
  { timeout }: Pick<RunSettings, 'timeout'>,
): number {
  return evalCase.timeout ?? nearest(timeout, suite.config.timeout, formatOf(suite.format).defaultTimeout)
}
