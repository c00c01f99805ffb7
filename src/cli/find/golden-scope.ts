import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { evalsDirOf } from '../../suites/agent/golden-place.ts'
import { nearestName, suggestName } from '../../documents/nearest-name.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { Searched } from './resolve-filters.ts'

/** What of the golden tests is asked for. */
export interface GoldenScope {
  /** Names of agents, and other filters; none: all agents. */
  readonly filters: readonly string[]
  readonly category: string | null
  /** Id of a test, `category/id`, or a part of it: every test that has it runs. */
  readonly test: string | null
}

/**
 * Finds the golden tests of a category, or those of an id.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest ids.
 */
export function findGolden({ filters, category, test }: GoldenScope, { suites }: Searched): readonly string[] {
  const places = suites.flatMap((suite) =>
    evalsDirOf(suite.file) === null ? [] : suite.cases.map((evalCase) => ({ suite, evalCase })),
  )
  const agents = [...new Set(places.map(agentOf))]
  const unknown = filters.find((filter) => !agents.includes(filter))
  if (unknown !== undefined)
    throw new AgentEvalsError('no-match', `No agent '${unknown}' with golden tests.${suggest(unknown, agents)}`)

  const own = places.filter((place) => filters.length === 0 || filters.includes(agentOf(place)))
  if (own.length === 0)
    throw new AgentEvalsError('no-match', 'No golden tests found. Set the folder of the agents with --agents-root.')
  const inCategory = own.filter(({ evalCase }) => category === null || evalCase.category === category)
  if (inCategory.length === 0) {
    const known = [...new Set(own.flatMap(({ evalCase }) => evalCase.category ?? []))]
    throw new AgentEvalsError('no-match', `No test of category '${category ?? ''}'.${suggest(category ?? '', known)}`)
  }
  const chosen = test === null ? inCategory : matchTest(test, inCategory)
  return chosen.map(({ suite, evalCase }) => `${suite.file}:${evalCase.at.line}`)
}

/** The folder of agents that counts where a name is of none here: the format's own. `null` when it has none of it. */
export function defaultAgentsRoot(filters: readonly string[]): string | null {
  const root = join(homedir(), 'docs', 'agents')
  const isThere = filters.some((name) => /^[\w.-]+$/.test(name) && existsSync(join(root, name, 'evals', 'golden')))
  return isThere ? root : null
}

interface Place {
  readonly suite: Pick<Suite, 'file'>
  readonly evalCase: EvalCase
}

function agentOf({ evalCase }: Place): string {
  return evalCase.target?.name ?? ''
}

function matchTest(test: string, places: readonly Place[]): readonly Place[] {
  const exact = places.filter(({ evalCase }) => evalCase.name === test || idOf(evalCase) === test)
  const matches = exact.length > 0 ? exact : places.filter(({ evalCase }) => evalCase.name.includes(test))
  // As the format's own runner does: "001" is a test of each category.
  if (matches.length > 0) return matches
  throw new AgentEvalsError('no-match', `No test matching '${test}'.${nearIds(test, places)}`)
}

function idOf({ name }: EvalCase): string {
  return name.slice(name.indexOf('/') + 1)
}

function nearIds(test: string, places: readonly Place[]): string {
  const names = places.map(({ evalCase }) => evalCase.name)
  const nearest =
    nearestName(test, names) ??
    nearestName(
      test,
      places.map(({ evalCase }) => idOf(evalCase)),
    )
  const words = test.toLowerCase().match(/[a-z]{3,}|\d+/g) ?? []
  const near = names.filter((name) => words.some((word) => name.toLowerCase().includes(word)))
  const shown = near.length > 0 ? near : names
  const listed = `${near.length > 0 ? 'Near' : 'Tests'}: ${shown.slice(0, MOST).join(', ')}${shown.length > MOST ? ', …' : ''}.`
  return nearest === null ? ` ${listed}` : ` Did you mean '${nearest}'? ${listed}`
}

function suggest(name: string, known: readonly string[]): string {
  const near = suggestName(name, known)
  return near === '' ? ` There are: ${known.slice(0, MOST).join(', ') || 'none'}.` : near
}

const MOST = 5
