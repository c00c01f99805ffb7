import { readFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { ownProgram } from '../../own-folder.ts'
import {
  MOCK_PROGRAM_FILE,
  MOCK_SPEC_FILE,
  registeredName,
  standInConfig,
  toolName,
} from '../../engines/mocks/stand-in.ts'
import { ABORTED } from '../../engines/mocks/mock-spec.ts'
import { readMockCalls } from './read-mock-calls.ts'
import { pluginFolders } from './case-plugins.ts'
import { planStandIns } from './stand-ins.ts'
import type { CommandRequest, Installation, SessionPaths } from '../../engines/engine.ts'
import type { MockCall, PluginEvalCase } from '../../suites/formats/plugin-eval/model.ts'
import type { Workspace } from '../../workspace/create-workspace.ts'
import type { AgentRequest } from '../agent-request.ts'

/** The log of the calls that stand-ins answered, below the hooks folder. */
const CALLS_FILE = 'mock-calls.jsonl'

/** Adds the stand-ins of the case's MCP servers to its request; engines without plugins get them as the package's servers. */
export function withStandIns(request: AgentRequest, paths: SessionPaths): AgentRequest {
  const { evalCase, package: pkg, pluginCase = null, plugins = [], pluginEval: settings } = request
  if (pluginCase === null || settings?.mocks === 'off') return request
  const hasPlugins = evalCase.arm === undefined
  const log = `${paths.hooks}/${CALLS_FILE}`
  const standIns = planStandIns({ mocks: pluginCase.mocks, plugins, hasPlugins, log })
  const mcpServers = standIns.map((one) => ({ name: one.name, config: standInConfig(one, paths) }))
  const [first] = standIns
  const aborts = first === undefined ? {} : { abortsAfter: isRefusal(first.spec.nonce) }
  return { ...request, standIns, package: { ...pkg, mcpServers }, ...aborts }
}

/** A call that a mock refuses ends the run, as in Claude Code: its score is 0, whatever comes after. */
export function isRefusal(nonce: string): NonNullable<AgentRequest['abortsAfter']> {
  const mark = `${ABORTED} ${nonce}: `
  return (event) => event.kind === 'tool-result' && event.text.includes(mark)
}

/** Adds what stand-ins are started with to an installation: sessions may only read it. */
export function withMockFiles(installation: Installation, { standIns = [] }: AgentRequest): Installation {
  if (standIns.length === 0) return installation
  const specs = Object.fromEntries(standIns.map((one) => [registeredName(one), one.spec]))
  const program = readFileSync(ownProgram('engines/mocks/mock-server.js'), 'utf8')
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
  {
    evalCase,
    pluginCase = null,
    plugins = [],
    standIns = [],
  }: Pick<AgentRequest, 'evalCase' | 'pluginCase' | 'plugins' | 'standIns'>,
  { packageRoot }: Pick<SessionPaths, 'packageRoot'>,
): Pick<CommandRequest, 'plugin'> {
  if (pluginCase === null) return {}
  const inside = ({ file }: { readonly file: string }): string =>
    [packageRoot, ...placeInPackage(pluginCase, file).split(sep)].join('/')
  return {
    plugin: {
      ...pluginCase.execution,
      pluginDirs: evalCase.arm === undefined ? pluginFolders(plugins, packageRoot) : [],
      standIns,
      addDirs: pluginCase.context.addDirs.map(inside),
    },
  }
}

/** The calls that stand-ins answered, by the names that the agent called; `null` where no tool was mocked. */
export async function findMockCalls(
  { standIns = [] }: Pick<AgentRequest, 'standIns'>,
  workspace: Pick<Workspace, 'hooks'>,
): Promise<readonly MockCall[] | null> {
  const mocked = standIns.filter(({ tools }) => tools.length > 0)
  const [first] = mocked
  if (first === undefined) return null
  const calls = await readMockCalls(join(workspace.hooks, CALLS_FILE), first.spec.nonce)
  return calls.map((call) => {
    const standIn = mocked.find(({ spec }) => spec.server === call.server)
    const server = standIn === undefined ? call.server : registeredName(standIn)
    return { ...call, tool: toolName(server, call.tool) }
  })
}

/** Where a folder that a case names is in the copy of the package: as it is beside the folder of the evals. */
export function placeInPackage({ evalsDir }: Pick<PluginEvalCase, 'evalsDir'>, folder: string): string {
  return relative(dirname(evalsDir), folder)
}
