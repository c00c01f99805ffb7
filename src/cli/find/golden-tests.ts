import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { NOTHING } from '../../formats/format.ts'
import { discoverGolden, evalsDirOf } from '../../formats/golden/golden-test.ts'
import type { Suite } from '../../formats/suite.ts'
import { nearestName, suggestName } from '../../lib/documents/nearest-name.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { homeFolder } from '../../lib/files.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { casesIn, matchCases, type FilterMatch } from './resolve-filters.ts'
import { hasEvals } from './search.ts'

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
  if (agents.length === 0 && agentsRoot === undefined && !(await hasEvals(resolve('.'))))
    throw new AgentEvalsError('no-match', `${NOTHING}\n${ELSEWHERE}`)
  requireAgents(
    names,
    agents.map(({ name }) => name),
  )
  return agents.filter(({ name }) => names.length === 0 || names.includes(name))
}

async function agentsBelow(root: string): Promise<readonly AgentFolder[]> {
  const { ours } = await discoverGolden(root)
  const folders = [...new Set(ours.flatMap((file) => evalsDirOf(file) ?? []))].toSorted()
  return folders.map((evalsDir) => ({ name: basename(dirname(evalsDir)), dir: dirname(evalsDir), evalsDir }))
}

/** The folder of agents that counts where a name is of none here: the format's own. `null` when it has none of it. */
export function defaultAgentsRoot(names: readonly string[]): string | null {
  const home = homeFolder()
  if (home === null) return null
  const root = join(home, 'docs', 'agents')
  const isThere = names.some((name) => /^[\w.-]+$/.test(name) && existsSync(join(root, name, 'evals', 'golden')))
  return isThere ? root : null
}

/**
 * Finds the golden tests of these agents, or of all, whose id `--test` gives; where none has it, those whose id has it in
 * it, as the format's own runner does: `001` is a test of each category.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export function resolveTest(
  test: string,
  agents: readonly string[],
  category: string | null,
  suites: readonly Suite[],
): FilterMatch {
  const golden = suites.filter(({ file }) => evalsDirOf(file) !== null)
  requireAgents(agents, [...new Set(golden.map(agentOf))])
  const ofAgents = golden.filter((suite) => agents.length === 0 || agents.includes(agentOf(suite)))
  // Without a rubric a test has only its place. It says itself what is broken.
  const broken = ofAgents.filter(({ cases, file, packageRoot }) => {
    return cases.length === 0 && file.slice(packageRoot.length).includes(test)
  })
  if (broken.length > 0) return { files: broken.map(({ file }) => file), cases: [], refusal: null }

  const cases = casesIn(ofAgents).filter(({ evalCase }) => category === null || evalCase.category === category)
  const exact = cases.filter(({ evalCase: { id } }) => id === test || testIdOf(id) === test)
  const found = exact.length > 0 ? exact : cases.filter(({ evalCase: { id } }) => id.includes(test))
  if (found.length > 0) return matchCases(found)
  const near = describeNear(
    test,
    cases.map(({ evalCase }) => evalCase.id),
  )
  throw new AgentEvalsError('no-match', `No test matching '${test}'.${near}`)
}

function agentOf({ packageRoot }: Suite): string {
  return basename(packageRoot)
}

// Behind its category.
function testIdOf(id: string): string {
  return id.slice(id.indexOf('/') + 1)
}

function describeNear(test: string, ids: readonly string[]): string {
  const nearest = nearestName(test, [...ids, ...ids.map(testIdOf)])
  const words = test.toLowerCase().match(/[a-z]{3,}|\d+/g) ?? []
  const near = ids.filter((id) => words.some((word) => id.toLowerCase().includes(word)))
  const listed = near.length > 0 ? `Near: ${firstInSentence(near, MOST)}.` : `Tests: ${firstInSentence(ids, MOST)}.`
  return nearest === null ? ` ${listed}` : ` Did you mean '${nearest}'? ${listed}`
}

const MOST = 5

function requireAgents(names: readonly string[], known: readonly string[]): void {
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const all = known.length === 0 ? 'none here. Name the folder of the agents with --agents-root' : known.join(', ')
    const near = suggestName(unknown, known) || ` There are: ${all}.`
    throw new AgentEvalsError('no-match', `No agent '${unknown}' with golden tests.${near}`)
  }
  if (known.length === 0) throw new AgentEvalsError('no-match', `No agent with golden tests here. ${ELSEWHERE}`)
}

const ELSEWHERE = 'If the agents are in another folder, name it with --agents-root.'
