import { basename, dirname, resolve } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { discoverGolden, evalsDirOf } from '../../suites/agent/golden-place.ts'
import { suggestName } from '../../documents/nearest-name.ts'
import { NOTHING } from '../../suites/search-notes.ts'
import { defaultAgentsRoot } from './name-cases.ts'
import { hasEvals } from './no-run.ts'

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
  const known = names.length === 0 ? 'none here. Name the folder of the agents with --agents-root' : names.join(', ')
  return `No agent '${unknown}' with golden tests.${suggestName(unknown, names)} There are: ${known}.`
}

const ELSEWHERE = 'If the agents are in another folder, name it with --agents-root.'
