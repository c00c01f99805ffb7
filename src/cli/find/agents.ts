import { existsSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { discoverGolden, evalsDirOf } from '../../formats/golden/golden-test.ts'
import { NOTHING } from '../../formats/format.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { homeFolder } from '../../lib/files.ts'
import { AGENTS_ELSEWHERE, noAgent } from './resolve-filters.ts'
import { hasEvals } from './search.ts'

/** An agent's folder with golden tests. */
export interface AgentFolder {
  readonly name: string
  /** Absolute path. */
  readonly dir: string
  /** Absolute path of its `evals/`. */
  readonly evalsDir: string
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
 * Finds the agents below a folder, all or those that are named.
 *
 * @throws {AgentEvalsError} `no-match`, with the nearest names.
 */
export async function findAgents(
  agentsRoot: string | undefined,
  names: readonly string[],
): Promise<readonly AgentFolder[]> {
  const here = await agentsBelow(resolve(agentsRoot ?? '.'))
  const isHere = agentsRoot !== undefined || names.every((name) => here.some((agent) => agent.name === name))
  const root = isHere ? null : defaultAgentsRoot(names)
  const agents = root === null ? here : await agentsBelow(root)
  const unknown = names.find((name) => !agents.some((agent) => agent.name === name))
  if (unknown !== undefined)
    throw noAgent(
      unknown,
      agents.map(({ name }) => name),
    )
  if (agents.length > 0) return agents.filter(({ name }) => names.length === 0 || names.includes(name))
  const isEmpty = agentsRoot === undefined && !(await hasEvals(resolve('.')))
  const what = isEmpty ? `${NOTHING}\n` : 'No agent with golden tests here. '
  throw new AgentEvalsError('no-match', `${what}${AGENTS_ELSEWHERE}`)
}

async function agentsBelow(root: string): Promise<readonly AgentFolder[]> {
  const { ours } = await discoverGolden(root)
  const folders = [...new Set(ours.flatMap((file) => evalsDirOf(file) ?? []))].toSorted()
  return folders.map((evalsDir) => ({ name: basename(dirname(evalsDir)), dir: dirname(evalsDir), evalsDir }))
}
