import { basename, dirname, join, relative } from 'node:path'
import { describeNearest, type NamedCases } from '../../case/plan/plan.ts'
import { evalsDirOf } from '../../formats/golden/golden-test.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { spellingsOf } from '../../formats/target.ts'
import type { Position } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { tryReadText } from '../../lib/files.ts'
import { firstInSentence } from '../../lib/lists.ts'
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

/** What filters name: test files, and cases of suite files. */
export interface Match {
  /** Test files for Vitest: absolute paths, of evals in TypeScript with the line that is asked for. */
  readonly files: readonly string[]
  readonly cases: readonly CaseInSuite[]
}

/** A case and the suite that has it. */
interface CaseInSuite {
  readonly suite: Searched['suites'][number]
  readonly evalCase: EvalCase
}

/** The ids of the cases that are named, by their suite files. */
export function idsByFile(cases: readonly CaseInSuite[]): NamedCases {
  const ids = new Map<string, Set<string>>()
  for (const { suite, evalCase } of cases) ids.set(suite.file, (ids.get(suite.file) ?? new Set()).add(evalCase.id))
  return ids
}

/**
 * Finds what a filter names: an exact name or id of a case or a test in TypeScript, else an agent, else files.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names; `invalid-options` for a line at which several cases start.
 */
export function resolveFilter(filter: string, searched: Searched): Match {
  const cases = casesIn(searched.suites)
  const named = cases.filter(({ suite, evalCase: { id, name } }) =>
    [name, id, `${pathFrom(suite.packageRoot, suite.file)}#${id}`].includes(filter),
  )
  // As its file, Vitest or a report writes it.
  const tests = (searched.tests ?? []).filter(({ name, title }) =>
    [name, title, name.replaceAll(' > ', ' ')].includes(filter),
  )
  if (named.length + tests.length > 0)
    return { files: [...filesOf(named), ...tests.map(({ file, line }) => `${file}:${line}`)], cases: named }
  const ofAgent = cases.filter(({ evalCase: { target } }) => target?.kind === 'agent' && target.name === filter)
  return ofAgent.length > 0 ? { files: filesOf(ofAgent), cases: ofAgent } : matchPlace(filter, searched)
}

function casesIn(suites: Searched['suites']): readonly CaseInSuite[] {
  return suites.flatMap((suite) => suite.cases.map((evalCase) => ({ suite, evalCase })))
}

function filesOf(cases: readonly CaseInSuite[]): readonly string[] {
  return cases.map(({ suite }) => suite.file)
}

/**
 * Finds the golden tests whose id, or `category/id`, is or holds a text, of all agents or those that are named: "001" is a
 * test of each category, as the format's own runner has it.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export function resolveTest(test: string, agents: readonly string[], { suites }: Searched): Match {
  const all = suites.flatMap((suite) => {
    const evalsDir = evalsDirOf(suite.file)
    if (evalsDir === null) return []
    // Of one without a case only its place is known. Its file says itself what is broken.
    const name = suite.cases[0]?.name ?? pathFrom(evalsDir, suite.file).replace(/^\w+\/|\.md$/g, '')
    return [{ suite, agent: basename(dirname(evalsDir)), name, id: name.slice(name.indexOf('/') + 1) }]
  })
  const unknown = agents.find((agent) => all.every((one) => one.agent !== agent))
  if (unknown !== undefined) throw noAgent(unknown, [...new Set(all.map(({ agent }) => agent))])
  const ofAgents = all.filter(({ agent }) => agents.length === 0 || agents.includes(agent))
  const exact = ofAgents.filter(({ name, id }) => name === test || id === test)
  const found = exact.length > 0 ? exact : ofAgents.filter(({ name }) => name.includes(test))
  if (found.length > 0)
    return { files: found.map(({ suite }) => suite.file), cases: casesIn(found.map(({ suite }) => suite)) }
  const names = ofAgents.flatMap(({ name, id }) => [id, name])
  throw new AgentEvalsError('no-match', `No test matching '${test}'.${describeNearest(test, names, 'Tests')}`)
}

/** That no agent of a name has golden tests, with the nearest names. */
export function noAgent(name: string, names: readonly string[]): AgentEvalsError {
  const others = names.length === 0 ? ` ${AGENTS_ELSEWHERE}` : describeNearest(name, names, 'Agents')
  return new AgentEvalsError('no-match', `No agent ${JSON.stringify(name)} has golden tests.${others}`)
}

/** What to do where there are no agents. */
export const AGENTS_ELSEWHERE = 'If the agents are in another folder, name it with --agents-root.'

function matchPlace(filter: string, searched: Searched): Match {
  const { root, evalFiles, tests = [] } = searched
  const place = readPlace(filter)
  const { path, line } = place
  const suites = searched.suites.filter(({ file }) => pathMatches(file, path, root))
  const written = evalFiles.filter((file) => pathMatches(file, path, root))
  if (suites.length + written.length === 0) throw noMatch(filter, searched)
  if (line === null) return { files: [...suites.map(({ file }) => file), ...written], cases: casesIn(suites) }

  const cases = suites.flatMap((suite) => casesAt(place, suite))
  const places = written.flatMap((file) => testAt(file, line, tests))
  // A broken file has no cases, and says so itself.
  const broken = suites.filter((suite) => suite.cases.length === 0)
  if (cases.length + places.length + broken.length > 0)
    return { files: [...filesOf(cases), ...broken.map(({ file }) => file), ...places], cases }
  const starts = [
    ...casesIn(suites).map(({ evalCase }) => startOf(evalCase).line),
    ...tests.filter(({ file }) => written.includes(file)).map((test) => test.line),
  ]
  const known = [...new Set(starts)].toSorted((a, b) => a - b).map(String)
  const message = `No case is at ${filter}. Cases begin at: ${firstInSentence(known, MOST_SHOWN)}.`
  throw new AgentEvalsError('no-match', message)
}

// Those that begin at a line or a column, else the one that goes on there. A file without line breaks has all of its cases
// at one line.
function casesAt({ path, line, column }: WrittenPlace, suite: CaseInSuite['suite']): readonly CaseInSuite[] {
  const cases = casesIn([suite])
  if (line === null || isBehind(suite.file, line)) return []
  const beginning = column === null ? cases.filter(({ evalCase }) => evalCase.at.line === line) : []
  if (beginning.length > 1) {
    const columns = beginning.map(({ evalCase: { at, name } }) => {
      return `${path}:${line}:${at.column} is ${JSON.stringify(name)}`
    })
    const message = `${beginning.length} cases start at ${path}:${line}. Add the column: ${firstInSentence(columns, MOST_SHOWN)}. For all of them, leave out the line.`
    throw new AgentEvalsError('invalid-options', message)
  }
  if (beginning.length > 0) return beginning
  const asked = { line, column: column ?? Infinity }
  const begun = cases.map(({ evalCase }) => startOf(evalCase)).filter((start) => !isAfter(start, asked))
  const [last] = begun.toSorted((a, b) => (isAfter(a, b) ? -1 : 1))
  return cases.filter(({ evalCase }) => last !== undefined && isSame(startOf(evalCase), last))
}

function startOf({ start, at }: EvalCase): Position {
  return start ?? at
}

function isAfter(a: Position, b: Position): boolean {
  return a.line > b.line || (a.line === b.line && a.column > b.column)
}

function isSame(a: Position, b: Position): boolean {
  return a.line === b.line && a.column === b.column
}

// Vitest takes the line at which a test begins, and no other one of it. It reads a file that could not be read here.
function testAt(file: string, line: number, tests: readonly WrittenTest[]): readonly string[] {
  const lines = tests.filter((test) => test.file === file).map((test) => test.line)
  if (lines.length === 0) return [`${file}:${line}`]
  const begun = lines.filter((one) => one <= line)
  return begun.length === 0 || isBehind(file, line) ? [] : [`${file}:${Math.max(...begun)}`]
}

function isBehind(file: string, line: number): boolean {
  const text = tryReadText(file)
  return text !== null && line > text.trimEnd().split('\n').length
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

function readPlace(filter: string): WrittenPlace {
  const [, path = filter, line, column] = /^(.+?):(\d+)(?::(\d+))?$/.exec(filter) ?? []
  return { path, line: line === undefined ? null : Number(line), column: column === undefined ? null : Number(column) }
}

function noMatch(filter: string, searched: Searched): AgentEvalsError {
  const { suites, evalFiles, tests = [] } = searched
  if (suites.length + evalFiles.length === 0) return new AgentEvalsError('no-match', describeNothing(searched))
  const cases = suites.flatMap((suite) => suite.cases)
  const targets = cases.flatMap(({ target }) => (target === null ? [] : [target]))
  const names = [
    ...cases.map(({ name }) => name),
    ...targets.flatMap(({ kind, name }) => (kind === 'agent' ? [name] : [])),
    ...tests.map(({ title }) => title),
    ...[...suites.map(({ file }) => file), ...evalFiles].map((file) => basename(file)),
  ]
  const target = targets.flatMap(spellingsOf).find((one) => one === filter)
  const nearest =
    target === undefined ? describeNearest(filter, [...new Set(names)], 'Cases') : ` Did you mean --target ${target}?`
  const computed = tests.some(({ isComputed }) => isComputed)
    ? ' For a test whose name is computed, use -t PATTERN.'
    : ''
  return new AgentEvalsError(
    'no-match',
    `No case, agent or file matches ${JSON.stringify(filter)}.${nearest}${computed}`,
  )
}

const MOST_SHOWN = 10
