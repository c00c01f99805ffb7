import { readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ownProgram } from '../own-folder.ts'
import { MOCK_PROGRAM_FILE, MOCK_SPEC_FILE, registeredName, standInConfig, toolName } from '../engines/stand-in.ts'
import { readMockCalls } from './read-mock-calls.ts'
import { planStandIns } from './stand-ins.ts'
import type { CommandRequest, Installation, SessionPaths } from '../engines/engine.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { MockCall } from '../suites/formats/plugin-eval/model.ts'
import type { Workspace } from '../workspace/create-workspace.ts'
import type { AgentRequest } from './agent-request.ts'

/** The log of the calls that stand-ins answered, below the hooks folder. */
const CALLS_FILE = 'mock-calls.jsonl'

/** Adds the stand-ins of the case's MCP servers to its request; engines without plugins get them as the package's servers. */
export function withStandIns(request: AgentRequest, paths: SessionPaths): AgentRequest {
  const { evalCase, package: pkg, pluginEval: settings } = request
  if (evalCase.pluginEval === undefined || settings?.mocks === 'off') return request
  const hasPlugin = evalCase.arm === undefined
  const log = `${paths.hooks}/${CALLS_FILE}`
  const standIns = planStandIns({ mocks: evalCase.pluginEval.mocks, package: pkg, hasPlugin, log })
  const mcpServers = standIns.map((one) => ({ name: one.name, config: standInConfig(one, paths) }))
  return { ...request, standIns, package: { ...pkg, mcpServers } }
}

/** Adds what stand-ins are started with to an installation: sessions may only read it. */
export function withMockFiles(installation: Installation, { standIns = [] }: AgentRequest): Installation {
  if (standIns.length === 0) return installation
  const specs = Object.fromEntries(standIns.map(({ name, spec }) => [name, spec]))
  const program = readFileSync(ownProgram('engines/mock-server.js'), 'utf8')
  return {
    ...installation,
    configFiles: [
      ...installation.configFiles,
      { to: MOCK_PROGRAM_FILE, content: program, readOnly: true },
      { to: MOCK_SPEC_FILE, content: JSON.stringify(specs), readOnly: true },
    ],
  }
}

/** What the command of a case of `claude plugin eval` has beyond others. */
export function pluginCommand(
  { evalCase, package: pkg, standIns = [] }: Pick<AgentRequest, 'evalCase' | 'package' | 'standIns'>,
  { packageRoot }: Pick<SessionPaths, 'packageRoot'>,
): Pick<CommandRequest, 'plugin'> {
  const { arm, pluginEval } = evalCase
  if (pluginEval === undefined) return {}
  const inside = ({ file }: { readonly file: string }): string =>
    [packageRoot, ...relative(pkg.root, file).split(sep)].join('/')
  return {
    plugin: {
      ...pluginEval.execution,
      hasPlugin: arm === undefined,
      name: nameOf(pkg),
      standIns,
      addDirs: pluginEval.context.addDirs.map(inside),
    },
  }
}

/** The calls that stand-ins answered, by the names that the agent called; `null` where no tool was mocked. */
export async function findMockCalls(
  { standIns = [], package: pkg }: Pick<AgentRequest, 'package' | 'standIns'>,
  workspace: Pick<Workspace, 'hooks'>,
): Promise<readonly MockCall[] | null> {
  const mocked = standIns.filter(({ tools }) => tools.length > 0)
  const [first] = mocked
  if (first === undefined) return null
  const calls = await readMockCalls(join(workspace.hooks, CALLS_FILE), first.spec.nonce)
  return calls.map((call) => {
    const standIn = mocked.find(({ spec }) => spec.server === call.server)
    const server = standIn === undefined ? call.server : registeredName(standIn, nameOf(pkg))
    return { ...call, tool: toolName(server, call.tool) }
  })
}

function nameOf({ manifest }: Pick<AgentPackage, 'manifest'>): string {
  return manifest?.name ?? ''
}
