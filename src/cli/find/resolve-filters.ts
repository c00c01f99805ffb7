import { basename, join, relative } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { tryReadText } from '../../lib/files.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { describeNothing } from './search.ts'
import { describeNearest, type NamedCases } from '../../case/plan/plan.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import type { WrittenTest } from '../../vitest/command/read-tests.ts'

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
  /** Why it cannot select one case in a run: several start at its line. */
  readonly refusal: string | null
}

/** What filters name together: the test files, and of each suite file the cases. */
export interface Named {
  readonly files: readonly string[]
  readonly cases: NamedCases
  /** Why a run cannot tell apart what is named; `null` where it can. */
  readonly refusal: string | null
}

/** Puts together what filters name. */
export function unite(matches: readonly FilterMatch[]): Named {
  const cases = new Map<string, Set<string>>()
  for (const { suite, evalCase } of matches.flatMap((match) => match.cases))
    cases.set(suite.file, (cases.get(suite.file) ?? new Set()).add(evalCase.id))
  const refusal = matches.find((match) => match.refusal !== null)?.refusal ?? null
  return { files: [...new Set(matches.flatMap(({ files }) => files))], cases, refusal }
}

/**
 * Finds what a filter names: an exact name or id of a case or a test in TypeScript, else an agent, else files.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export function resolveFilter(filter: string, searched: Searched): FilterMatch {
  const cases = casesIn(searched.suites)
  const named = cases.filter(({ suite, evalCase }) => namesOf(suite, evalCase).includes(filter))
  const tests = (searched.tests ?? []).filter((test) => isCalled(test, filter))
  if (named.length + tests.length > 0) {
    const { files, ...match } = matchCases(named)
    return { ...match, files: [...files, ...tests.map(({ file, line }) => `${file}:${line}`)] }
  }
  const agents = cases.filter(({ evalCase }) => evalCase.target?.kind === 'agent' && evalCase.target.name === filter)
  if (agents.length > 0) return matchCases(agents)
  if (fileMatches(filter, searched)) return matchFiles(filter, searched)
  throw new AgentEvalsError('no-match', describeMiss(filter, searched))
}

/** A case and the suite that has it. */
export interface CaseInSuite {
  readonly suite: Searched['suites'][number]
  readonly evalCase: EvalCase
}

/** All cases of suites. */
export function casesIn(suites: Searched['suites']): readonly CaseInSuite[] {
  return suites.flatMap((suite) => suite.cases.map((evalCase) => ({ suite, evalCase })))
}

function namesOf(suite: CaseInSuite['suite'], { id, name }: EvalCase): readonly string[] {
  const path = pathFrom(suite.packageRoot, suite.file)
  return [name, id, `${path}#${id}`]
}

// By its own name, or the whole one, as Vitest or a report writes it.
function isCalled({ name, title }: WrittenTest, filter: string): boolean {
  return [name, title, name.replaceAll(' > ', ' ')].includes(filter)
}

function matchCases(chosen: readonly CaseInSuite[]): FilterMatch {
  return { files: chosen.map(({ suite }) => suite.file), cases: chosen, refusal: null }
}

function matchFiles(filter: string, { root, suites, evalFiles, tests = [] }: Searched): FilterMatch {
  const place = splitLine(filter)
  const { path, line, column } = place
  const cases = casesAt(place, { root, suites })
  const exact = column === null ? [] : atColumn(cases, column)
  if (exact.length > 0) return matchCases(exact)
  const isNamed = (file: string): boolean => pathMatches(file, path, root)
  const written = evalFiles.filter(isNamed).flatMap((file) => (line === null ? file : placeIn(file, line, tests)))
  const named = suites.filter(({ file }) => isNamed(file))
  const isOne = line !== null && cases.length > 0
  // A broken file has no cases, and says so itself.
  if (line !== null && cases.length + written.length === 0 && named.every((suite) => suite.cases.length > 0))
    throw new AgentEvalsError(
      'no-match',
      describeNoCase(
        place,
        named,
        tests.filter(({ file }) => isNamed(file)),
      ),
    )
  return {
    files: [...(isOne ? cases.map(({ suite }) => suite.file) : named.map(({ file }) => file)), ...written],
    cases,
    refusal: line === null ? null : describeLine(place, cases),
  }
}

// Vitest takes the line at which a test begins, and no other one of it. It reads a file that could not be read here.
function placeIn(file: string, line: number, tests: readonly WrittenTest[]): readonly string[] {
  const lines = tests.filter((test) => test.file === file).map((test) => test.line)
  const begun = lines.filter((one) => one <= line)
  if (lines.length > 0 && (begun.length === 0 || isBehind(file, line))) return []
  return [`${file}:${Math.max(...(begun.length === 0 ? [line] : begun))}`]
}

function isBehind(file: string, line: number): boolean {
  const text = tryReadText(file)
  return text !== null && line > text.trimEnd().split('\n').length
}

function describeNoCase(
  { path, line }: WrittenPlace,
  suites: Searched['suites'],
  tests: readonly WrittenTest[],
): string {
  const lines = [...casesIn(suites).map(({ evalCase }) => startOf(evalCase).line), ...tests.map((test) => test.line)]
  const known = [...new Set(lines)].toSorted((a, b) => a - b).map(String)
  return `No case is at ${path}:${String(line)}. Cases begin at: ${firstInSentence(known, MOST_SHOWN)}.`
}

// One line asks for one case; a file without line breaks has all of them at one.
function describeLine({ path, line, column }: WrittenPlace, cases: readonly CaseInSuite[]): string | null {
  if (column === null && (cases.length < 2 || new Set(cases.map(({ suite }) => suite)).size > 1)) return null
  const place = `${path}:${String(line)}`
  const columns = cases.map(({ evalCase }) => `${place}:${evalCase.at.column} is ${JSON.stringify(evalCase.name)}`)
  const what = column === null ? `${cases.length} cases start at ${place}` : `No case starts at ${place}:${column}`
  return `${what}. Add the column: ${firstInSentence(columns, MOST_SHOWN)}. For all of them, leave out the line.`
}

// At a line those that begin there, else the one that goes on there.
function casesAt(
  { path, line }: WrittenPlace,
  { root, suites }: Pick<Searched, 'root' | 'suites'>,
): readonly CaseInSuite[] {
  return suites
    .filter(({ file }) => pathMatches(file, path, root))
    .flatMap((suite) => {
      const cases = casesIn([suite])
      if (line === null) return cases
      const beginning = cases.filter(({ evalCase }) => evalCase.at.line === line)
      if (beginning.length > 0 || isBehind(suite.file, line)) return beginning
      const before = cases.filter(({ evalCase }) => startOf(evalCase).line <= line)
      const last = before.reduce<CaseInSuite | null>((a, b) => (a === null || isAfter(b, a) ? b : a), null)
      return last === null ? [] : [last]
    })
}

// The case of a file whose entry the column of its line is in.
function atColumn(cases: readonly CaseInSuite[], column: number): readonly CaseInSuite[] {
  const before = cases.filter(({ evalCase }) => startOf(evalCase).column <= column)
  const last = before.reduce<CaseInSuite | null>((a, b) => (a === null || isAfter(b, a) ? b : a), null)
  return last === null
    ? []
    : before.filter(({ evalCase }) => startOf(evalCase).column === startOf(last.evalCase).column)
}

function isAfter({ evalCase: one }: CaseInSuite, { evalCase: other }: CaseInSuite): boolean {
  const [a, b] = [startOf(one), startOf(other)]
  return a.line > b.line || (a.line === b.line && a.column > b.column)
}

function startOf({ start, at }: EvalCase): EvalCase['at'] {
  return start ?? at
}

function fileMatches(filter: string, { suites, evalFiles, root }: Searched): boolean {
  const { path, column, ...place } = splitLine(filter)
  if (column !== null) return casesAt({ path, column, ...place }, { root, suites }).length > 0
  return [...suites.map(({ file }) => file), ...evalFiles].some((file) => pathMatches(file, path, root))
}

// As Vitest does: a part of the path, or where it leads from here.
function pathMatches(file: string, path: string, root: string): boolean {
  return relative(root, file).includes(path) || file.includes(path) || file.startsWith(join(root, path))
}

interface WrittenPlace {
  readonly path: string
  readonly line: number | null
  readonly column: number | null
}

function splitLine(filter: string): WrittenPlace {
  const [, path = filter, line, column] = /^(.+?):(\d+)(?::(\d+))?$/.exec(filter) ?? []
  return { path, line: toNumber(line), column: toNumber(column) }
}

function toNumber(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits)
}

function describeMiss(filter: string, searched: Searched): string {
  const { suites, evalFiles } = searched
  if (suites.length === 0 && evalFiles.length === 0) return describeNothing(searched)
  const cases = suites.flatMap((suite) => suite.cases)
  const names = [
    ...cases.map(({ name }) => name),
    ...cases.flatMap(({ target }) => (target?.kind === 'agent' ? [target.name] : [])),
    ...(searched.tests ?? []).map(({ title }) => title),
    ...[...suites.map(({ file }) => file), ...evalFiles].map((file) => basename(file)),
  ]
  const target = cases.map(targetOf).find((one) => one === filter)
  if (target !== undefined) return `No case is called ${JSON.stringify(filter)}. Did you mean --target ${filter}?`
  // As tests are called where several engines run them.
  const [, bare = '', engine = ''] = /^(.+) \(([\w-]+)\)$/.exec(filter) ?? []
  if (cases.some(({ name }) => name === bare))
    return `No case is called ${JSON.stringify(filter)}. Did you mean ${JSON.stringify(bare)} with --engine ${engine}?`
  const computed = (searched.tests ?? []).some(({ isComputed }) => isComputed)
    ? ' For a test whose name is computed, use -t PATTERN.'
    : ''
  return `No case, agent or file matches ${JSON.stringify(filter)}.${describeNearest(filter, [...new Set(names)], 'Cases')}${computed}`
}

function targetOf({ target }: EvalCase): string | undefined {
  return target === null ? undefined : `${target.kind}:${target.name}`
}

const MOST_SHOWN = 10
