import { kindOf } from '../../formats/kinds.ts'
import { formatOf } from '../../formats/registry.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { spellingsOf } from '../../formats/target.ts'
import { expandVariants } from '../../formats/variants.ts'
import { sha256 } from '../../lib/sha256.ts'
import { compareTexts, escapePattern, matchesCaseName } from '../../lib/text.ts'
import { groupBy, sum } from '../../lib/lists.ts'
import { nearest, type RunSettings, type Shard } from '../../options/settings.ts'
import { cutShards, type ShardCut, type ShardUnit, cutFiles, describeCut } from './cut-shards.ts'
import { type ExpectedTimes, expectTimes, type TimeSettings } from './expected-times.ts'
import { countRuns, identifyCase, variantsFor, type Matrix } from './plan-case.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { PlannedCut } from '../../report/results/run-folder.ts'

/** What a run is about to do. */
export interface Plan {
  /** SHA-256 of all cases that the filters leave, before they are cut into shards: the same on every machine. */
  readonly hash: string
  /** Number of these cases. */
  readonly whole: number
  /** The cases that run here, by file and line. */
  readonly cases: readonly PlanEntry[]
  /** How it was cut into shards; `null` where it is whole. */
  readonly cut: ShardCut | null
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
  /** Expressions over tags, as Vitest's `--tags-filter` has them. */
  readonly tagsFilter?: readonly string[]
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

/** By what a plan is cut into shards. */
export interface CutBy {
  /** Without them all cases count the same. */
  readonly times?: ExpectedTimes | null
  /** Files of tests in TypeScript that take part on any machine. */
  readonly files?: readonly ShardUnit[]
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
export type PlanSettings = Pick<RunSettings, 'engine' | 'measureNoise' | 'root' | 'runs'>

/**
 * Plans a run: the cases of these suites for which every condition holds. Nothing else decides whether a case runs.
 *
 * Shards are cut by case, so that each takes about the same time and every machine of the same checkout cuts alike. What
 * stands at one place of a file, such as both arms, stays together.
 */
export function planCases(
  suites: readonly Suite[],
  choice: CaseChoice,
  settings: PlanSettings,
  { times = null, files = [] }: CutBy = {},
): Plan {
  const hasTags = choice.tagsFilter === undefined ? null : readTagsFilter(choice.tagsFilter)
  const caseEntries = suites
    .flatMap((suite) =>
      suite.cases
        .filter((evalCase) => isChosen(suite, evalCase, choice) && hasTags?.(evalCase.tags) !== false)
        .map((evalCase) => ({ suite, evalCase, entry: entryOf(suite, evalCase, settings) })),
    )
    .toSorted(
      (a, b) =>
        compareTexts(a.entry.file, b.entry.file) ||
        a.evalCase.at.line - b.evalCase.at.line ||
        compareTexts(a.evalCase.id, b.evalCase.id) ||
        compareTexts(keyOf(a.entry), keyOf(b.entry)),
    )
  const { shard = null } = choice
  const cut = shard === null ? null : cutShards({ cases: unitsOf(caseEntries, times, settings), files }, shard)
  return {
    hash: sha256(JSON.stringify(caseEntries.map(({ entry }) => entry))),
    whole: caseEntries.length,
    cases: caseEntries.filter((one) => cut?.keys.has(unitOf(one)) !== false).map(({ entry }) => entry),
    cut,
  }
}

interface CaseEntry {
  readonly suite: Suite
  readonly evalCase: EvalCase
  readonly entry: PlanEntry
}

function unitOf({ entry, evalCase }: CaseEntry): string {
  return `${entry.file}\0${evalCase.id}`
}

function unitsOf(
  caseEntries: readonly CaseEntry[],
  times: ExpectedTimes | null,
  settings: PlanSettings,
): readonly ShardUnit[] {
  return Array.from(groupBy(caseEntries, unitOf), ([key, together]) => {
    const expected = together.flatMap(({ suite, evalCase, entry }) => {
      const planned = { ...identifyCase(suite, evalCase, settings), runs: entry.runs }
      return times?.ofCase(suite, evalCase, planned) ?? []
    })
    // An arm without a time takes what the others of its case do.
    return { key, seconds: expected.length === 0 ? null : (sum(expected) / expected.length) * together.length }
  })
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
  const { named = null, files, kind = 'both', category = null, target = null, tag = null, case: glob = null } = choice
  const { id, at, name, tags } = evalCase
  const facts = kindOf(evalCase)
  const title = facts.title(evalCase)
  const { lines = [], due = null, pattern } = files?.get(file) ?? {}
  return (
    (named === null || named.get(file)?.has(id) === true) &&
    (lines.length === 0 || lines.includes(at.line)) &&
    (due === null || due.has(id)) &&
    [choice.pattern, pattern].every((one) => one === undefined || name.search(one) !== -1) &&
    (kind === 'both' || kind === facts.selectedBy) &&
    (category === null || evalCase.category === category) &&
    (target === null || (evalCase.target !== null && spellingsOf(evalCase.target).includes(target))) &&
    (tag === null || tag.some((one) => tags.includes(one))) &&
    (glob === null || (title !== null && matchesCaseName(glob, title)))
  )
}

type Matches = (tags: readonly string[]) => boolean

/**
 * Reads expressions of Vitest's `--tags-filter`, such as `slow and !(codex || claude-*)`, all of which have to hold. Vitest
 * evaluates them in workers alone. `null` for what cannot be read: Vitest refuses it.
 */
export function readTagsFilter(expressions: readonly string[]): Matches | null {
  const all = expressions.map(readExpression)
  return all.includes(null) ? null : (tags) => all.every((matches) => matches?.(tags) === true)
}

function readExpression(text: string): Matches | null {
  const tokens = Array.from(
    text.matchAll(TOKEN),
    ([token]) => OPERATORS.get(token.trim().toLowerCase()) ?? token.trim(),
  )
  if (text.replaceAll(TOKEN, '').trim() !== '') return null
  const readAny = (): Matches | null => readPart('||', readAll, (one, other) => (tags) => one(tags) || other(tags))
  const readAll = (): Matches | null => readPart('&&', readOne, (one, other) => (tags) => one(tags) && other(tags))
  const readPart = (
    operator: string,
    readNext: () => Matches | null,
    join: (one: Matches, other: Matches) => Matches,
  ): Matches | null => {
    let found = readNext()
    while (tokens[0] === operator) {
      tokens.shift()
      const other = readNext()
      found = found === null || other === null ? null : join(found, other)
    }
    return found
  }
  const readOne = (): Matches | null => {
    const token = tokens.shift()
    if (token === '!') {
      const one = readOne()
      return one === null ? null : (tags) => !one(tags)
    }
    if (token === '(') {
      const inside = readAny()
      return tokens.shift() === ')' ? inside : null
    }
    return token === undefined || [')', '&&', '||'].includes(token) ? null : matchesTag(token)
  }
  const found = readAny()
  return tokens.length > 0 ? null : found
}

function matchesTag(name: string): Matches {
  if (!name.includes('*')) return (tags) => tags.includes(name)
  const pattern = new RegExp(`^${name.split('*').map(escapePattern).join('.*')}$`)
  return (tags) => tags.some((tag) => pattern.test(tag))
}

// A word is an operator only where no tag goes on with it.
const TOKEN = /&&|\|\||[()!]|(?:and|or)(?=[\s)]|$)|not(?=\s)|[^\s()!&|]+/gi
const OPERATORS: ReadonlyMap<string, string> = new Map([
  ['and', '&&'],
  ['or', '||'],
  ['not', '!'],
])

/** Seconds a case may take: its own field, which nothing replaces, else environment, suite, option, the format's default. */
export function caseTimeout(
  suite: Pick<Suite, 'config' | 'format'>,
  evalCase: Pick<EvalCase, 'timeout'>,
  { timeout }: Pick<RunSettings, 'timeout'>,
): number {
  return evalCase.timeout ?? nearest(timeout, suite.config.timeout, formatOf(suite.format).defaultTimeout)
}

/** Cuts the runs of one process into shards. Where the option `shard` is not set, everything stays whole. */
export interface Cutter {
  /** The files of tests in TypeScript that are in this shard, of those that take part on any machine. Absolute paths. */
  files(all: readonly string[]): readonly string[]
  /** By what {@link planCases} cuts, with the files of before. */
  by(): CutBy
  /** How a plan was cut, for its folder and in a sentence; `null` where it was not. */
  describe(plan: Pick<Plan, 'cut'>): { readonly planned: PlannedCut; readonly sentence: string } | null
}

/** Creates the cutter. The times are read when they are first needed, with the errors of {@link expectTimes}. */
export function createCutter(settings: TimeSettings & { readonly shard: Shard | null }): Cutter {
  const { root, shard } = settings
  if (shard === null) return { files: (all) => all, by: () => ({}), describe: () => null }
  let expectedTimes: ExpectedTimes | undefined
  let units: readonly ShardUnit[] = []
  const times = (): ExpectedTimes => (expectedTimes ??= expectTimes(settings))
  return {
    files(all) {
      units = all.map((file) => ({ key: pathFrom(root, file), seconds: times().ofFile(file) }))
      const shardOf = cutFiles(units, shard.count)
      return all.filter((file) => shardOf.get(pathFrom(root, file)) === shard.index)
    },
    by: () => ({ times: times(), files: units }),
    describe({ cut }) {
      if (cut === null) return null
      const { origin } = times()
      return { planned: { hash: cut.hash, times: origin }, sentence: describeCut(cut, shard, origin) }
    },
  }
}
