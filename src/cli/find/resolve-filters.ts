import { basename, join, relative } from 'node:path'
import { describeNearest, type NamedCases } from '../../case/plan/plan.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { spellingsOf } from '../../formats/target.ts'
import type { Position } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { tryReadText } from '../../lib/files.ts'
import { firstInSentence, groupBy } from '../../lib/lists.ts'
import { formatPlace } from '../../lib/text.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'
import { describeNothing } from './search.ts'

/** What filters are looked for in. */
export interface Searched {
  readonly root: string
  readonly suites: readonly Pick<Suite, 'cases' | 'file' | 'packageRoot'>[]
  /** Evals written in TypeScript: absolute paths. */
  readonly evalFiles: readonly string[]
  /** The tests of these files whose names can be read. */
  readonly tests?: readonly WrittenTest[]
  /** How many cases the root has beside these, where a part of it was asked for: no filter matches them. */
  readonly elsewhere?: number
}

/** What a filter names. */
export interface FilterMatch {
  /** Test files for Vitest: absolute paths, of evals in TypeScript with the line that is asked for. */
  readonly files: readonly string[]
  readonly cases: readonly CaseInSuite[]
  /** Why a run cannot take it: several cases start at its line. */
  readonly refusal: string | null
}

/** A case and the suite that has it. */
interface CaseInSuite {
  readonly suite: Searched['suites'][number]
  readonly evalCase: EvalCase
}

/** What filters name together: the test files, and of each suite file the cases. */
export interface Named extends Omit<FilterMatch, 'cases'> {
  readonly cases: NamedCases
}

/** Puts together what filters name. */
export function unite(matches: readonly FilterMatch[]): Named {
  const cases = matches.flatMap((match) => match.cases)
  const bySuite = groupBy(cases, ({ suite }) => suite.file)
  return {
    files: [...new Set(matches.flatMap(({ files }) => files))],
    cases: new Map(Array.from(bySuite, ([file, some]) => [file, new Set(some.map(({ evalCase }) => evalCase.id))])),
    refusal: matches.find(({ refusal }) => refusal !== null)?.refusal ?? null,
  }
}

/**
 * Finds what a filter names: an exact name or id of a case or a test in TypeScript, else an agent, else files.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export function resolveFilter(filter: string, searched: Searched): FilterMatch {
  const cases = casesIn(searched.suites)
  const named = cases.filter((one) => namesOf(one).includes(filter))
  const tests = (searched.tests ?? []).filter((test) => isCalled(test, filter))
  if (named.length + tests.length > 0) {
    const lines = tests.map(({ file, line }) => `${file}:${line}`)
    return matchCases(named, lines)
  }
  const agents = cases.filter(({ evalCase }) => evalCase.target?.kind === 'agent' && evalCase.target.name === filter)
  if (agents.length > 0) return matchCases(agents)
  const match = matchPath(filter, searched)
  if (match === null) throw new AgentEvalsError('no-match', describeMiss(filter, searched))
  return match
}

/** All cases of suites. */
export function casesIn(suites: Searched['suites']): readonly CaseInSuite[] {
  return suites.flatMap((suite) => suite.cases.map((evalCase) => ({ suite, evalCase })))
}

/** A match of cases, and of files of tests in TypeScript. */
export function matchCases(cases: readonly CaseInSuite[], testFiles: readonly string[] = []): FilterMatch {
  return { files: [...cases.map(({ suite }) => suite.file), ...testFiles], cases, refusal: null }
}

function namesOf({ suite, evalCase: { id, name } }: CaseInSuite): readonly string[] {
  return [name, id, `${pathFrom(suite.packageRoot, suite.file)}#${id}`]
}

// By its own name, or the whole one, as Vitest or a report writes it.
function isCalled({ name, title }: WrittenTest, filter: string): boolean {
  return [name, title, name.replaceAll(' > ', ' ')].includes(filter)
}

/** Matches files by a part of their path, or what is at a line of them; `null` where no path has it. */
function matchPath(filter: string, { root, suites, evalFiles, tests = [] }: Searched): FilterMatch | null {
  const [, path = filter, line, column] = /^(.+?):(\d+)(?::(\d+))?$/.exec(filter) ?? []
  // As Vitest does: a part of the path, or where it leads from here.
  const isNamed = (file: string): boolean =>
    relative(root, file).includes(path) || file.includes(path) || file.startsWith(join(root, path))
  const named: Searched = {
    root,
    suites: suites.filter(({ file }) => isNamed(file)),
    evalFiles: evalFiles.filter(isNamed),
    tests: tests.filter(({ file }) => isNamed(file)),
  }
  const files = [...named.suites.map(({ file }) => file), ...named.evalFiles]
  if (files.length === 0) return null
  if (line === undefined) return { files, cases: casesIn(named.suites), refusal: null }
  return matchPlace({ file: path, line: Number(line), column: column === undefined ? null : Number(column) }, named)
}

/** A place as a filter has it. */
interface Place {
  /** A part of a path. */
  readonly file: string
  readonly line: number
  readonly column: number | null
}

function matchPlace(place: Place, { suites, evalFiles, tests = [] }: Searched): FilterMatch {
  const cases = suites.flatMap((suite) => casesAt(place, suite))
  const testFiles = evalFiles.flatMap((file) => testAt(place, file, tests))
  if (cases.length + testFiles.length > 0)
    return { ...matchCases(cases, testFiles), refusal: describeShared(place, cases) }
  // It has no cases since it is broken, and says so itself.
  const broken = suites.filter((suite) => suite.cases.length === 0)
  if (broken.length > 0) return { files: broken.map(({ file }) => file), cases: [], refusal: null }
  const starts = [...casesIn(suites).map(startOf), ...tests.map(({ line }) => ({ line, column: null }))]
  const known = starts
    .toSorted((a, b) => a.line - b.line)
    .map(({ line, column }) => (place.column === null || column === null ? `${line}` : `${line}:${column}`))
  const listed = firstInSentence([...new Set(known)], MOST_SHOWN)
  throw new AgentEvalsError('no-match', `No case is at ${formatPlace(place)}. Cases begin at: ${listed}.`)
}

// At a line all that begin there, else the one that goes on there; at a column of it the last that has begun.
function casesAt({ line, column }: Place, suite: CaseInSuite['suite']): readonly CaseInSuite[] {
  if (isBehind(suite.file, line)) return []
  const cases = casesIn([suite])
  const beginning = cases.filter(({ evalCase }) => evalCase.at.line === line)
  const atLine = beginning.length > 0 ? beginning : latest(cases.filter((one) => startOf(one).line <= line))
  if (column === null) return atLine
  return latest(atLine.filter((one) => comparePositions(startOf(one), { line, column }) <= 0))
}

function latest(cases: readonly CaseInSuite[]): readonly CaseInSuite[] {
  return cases.toSorted((a, b) => comparePositions(startOf(b), startOf(a))).slice(0, 1)
}

function startOf({ evalCase: { start, at } }: CaseInSuite): Position {
  return start ?? at
}

function comparePositions(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column
}

// Vitest takes the line at which a test begins, and no other one of it. It reads a file that could not be read here.
function testAt({ line }: Place, file: string, tests: readonly WrittenTest[]): readonly string[] {
  const lines = tests.filter((test) => test.file === file).map((test) => test.line)
  if (lines.length === 0) return [`${file}:${line}`]
  const begun = lines.filter((one) => one <= line)
  return begun.length === 0 || isBehind(file, line) ? [] : [`${file}:${Math.max(...begun)}`]
}

function isBehind(file: string, line: number): boolean {
  const text = tryReadText(file)
  return text !== null && line > text.trimEnd().split('\n').length
}

// One line asks for one case; a file without line breaks has all of them at one.
function describeShared(place: Place, cases: readonly CaseInSuite[]): string | null {
  if (place.column !== null || cases.length < 2 || new Set(cases.map(({ suite }) => suite)).size > 1) return null
  const columns = cases.map(
    ({ evalCase: { at, name } }) => `${formatPlace({ ...place, column: at.column })} is ${JSON.stringify(name)}`,
  )
  const listed = firstInSentence(columns, MOST_SHOWN)
  return `${cases.length} cases start at ${formatPlace(place)}. Add the column: ${listed}. For all of them, leave out the line.`
}

function describeMiss(filter: string, searched: Searched): string {
  const { suites, evalFiles, tests = [] } = searched
  if (suites.length + evalFiles.length === 0) return describeNothing(searched)
  const cases = suites.flatMap((suite) => suite.cases)
  const targets = cases.flatMap(({ target }) => target ?? [])
  const written = JSON.stringify(filter)
  if (targets.some((target) => spellingsOf(target).includes(filter)))
    return `No case is called ${written}. Did you mean --target ${filter}?`
  // As tests are called where several engines run them.
  const [, bare = '', engine = ''] = /^(.+) \(([\w-]+)\)$/.exec(filter) ?? []
  if (cases.some(({ name }) => name === bare))
    return `No case is called ${written}. Did you mean ${JSON.stringify(bare)} with --engine ${engine}?`
  const names = [
    ...cases.map(({ name }) => name),
    ...targets.flatMap(({ kind, name }) => (kind === 'agent' ? [name] : [])),
    ...tests.map(({ title }) => title),
    ...[...suites.map(({ file }) => file), ...evalFiles].map((file) => basename(file)),
  ]
  const nearest = describeNearest(filter, [...new Set(names)], 'Cases')
  const isComputed = tests.some((test) => test.isComputed)
  return `No case, agent or file matches ${written}.${nearest}${isComputed ? ' For a test whose name is computed, use -t PATTERN.' : ''}`
}

const MOST_SHOWN = 10
