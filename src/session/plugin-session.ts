import { copyFileSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, posix, relative, sep } from 'node:path'
import type { CommandRequest, Installation, SessionPaths } from '../engines/engine.ts'
import {
  ABORTED,
  MOCK_PROGRAM_FILE,
  MOCK_SPEC_FILE,
  registeredName,
  standInConfig,
} from '../engines/mocks/mock-spec.ts'
import type { PluginEvalCase } from '../formats/plugin-eval/model.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { ownProgram } from '../own-folder.ts'
import { scriptCommand } from '../sandbox/decide.ts'
import { runSandboxed } from '../sandbox/run.ts'
import type { AgentRequest } from './agent-request.ts'
import { listFiles } from './inputs/list-files.ts'
import { copyAll } from './stage-base.ts'
import { placeOfPlugin, planStandIns, pluginFolders } from './stand-ins.ts'
import type { Workspace } from './workspace.ts'

// Below the config folder.
const HISTORY_FILE = 'history.jsonl'

/**
 * Prepares what a case of `claude plugin eval` has beyond others: its workspace by its own script, folders that its agent
 * may read, and the transcript that it resumes. Returns what the author may not expect, one sentence each.
 *
 * @throws {AgentEvalsError} `scaffold-failed`.
 */
export async function stagePluginCase(
  request: Pick<
    AgentRequest,
    'evalCase' | 'inputs' | 'label' | 'pluginCase' | 'pluginEval' | 'plugins' | 'sandbox' | 'signal'
  >,
  workspace: Workspace,
): Promise<readonly string[]> {
  const { evalCase, inputs, pluginCase = null, plugins = [], pluginEval: settings } = request
  if (pluginCase === null) return []
  const { addDirs, history, scaffold } = pluginCase.context
  for (const [index, plugin] of (evalCase.arm === undefined ? plugins : []).entries()) {
    const place = placeOfPlugin(plugin, index)
    if (place.length === 0) continue
    await copyAll(join(workspace.package, ...place), inputs.packageFiles(plugin).files)
  }
  for (const folder of addDirs) {
    const to = placeInPackage(pluginCase, folder)
    await copyAll(join(workspace.package, to), listFiles(join(pluginCase.caseDir, folder)).files)
  }
  if (history !== null) copyFileSync(join(pluginCase.caseDir, history), join(workspace.config, HISTORY_FILE))
  if (scaffold === null) return []
  if (settings?.scaffold !== true)
    return [`Its scaffold script ${scaffold} does not run without --scaffold, so its workspace is empty.`]
  await runScaffold(request, pluginCase, workspace)
  return []
}

/** The transcript that a session resumes, as it sees it; `null` where it begins anew. */
export function historyOf({ pluginCase }: Pick<AgentRequest, 'pluginCase'>, config: string): string | null {
  const history = pluginCase?.context.history ?? null
  return history === null ? null : `${config}/${HISTORY_FILE}`
}

/** Adds the stand-ins of the case's MCP servers to its request; engines without plugins get them as the package's servers. */
export function withStandIns(request: AgentRequest, paths: SessionPaths): AgentRequest {
  const { evalCase, package: pkg, pluginCase = null, plugins = [], pluginEval: settings } = request
  if (pluginCase === null || settings?.mocks === 'off') return request
  const hasPlugins = evalCase.arm === undefined
  const standIns = planStandIns({ mocks: pluginCase.mocks, plugins, hasPlugins })
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
  request: Pick<AgentRequest, 'evalCase' | 'pluginCase' | 'plugins' | 'standIns'>,
  { packageRoot }: Pick<SessionPaths, 'packageRoot'>,
): Pick<CommandRequest, 'plugin'> {
  const { evalCase, pluginCase = null, plugins = [], standIns = [] } = request
  if (pluginCase === null) return {}
  const inside = (folder: string): string => [packageRoot, ...placeInPackage(pluginCase, folder).split(sep)].join('/')
  return {
    plugin: {
      ...pluginCase.execution,
      pluginDirs: evalCase.arm === undefined ? pluginFolders(plugins, packageRoot) : [],
      standIns,
      addDirs: pluginCase.context.addDirs.map(inside),
    },
  }
}

/** Where a folder that a case names is in the copy of the package: as it is beside the folder of the evals. */
function placeInPackage({ caseDir, evalsDir }: Pick<PluginEvalCase, 'caseDir' | 'evalsDir'>, folder: string): string {
  return relative(dirname(evalsDir), join(caseDir, folder))
}

/** Milliseconds that a scaffold script may take. */
const DEADLINE_MS = 120_000

/**
 * Fills the workspace by the case's own script, in the sandbox of the case and without a network. The script sees a copy
 * of the folder of its case, which is gone before the agent starts.
 *
 * @throws {AgentEvalsError} `scaffold-failed`.
 */
async function runScaffold(
  request: Pick<AgentRequest, 'label' | 'sandbox' | 'signal'>,
  { caseDir, context }: PluginEvalCase,
  workspace: Pick<Workspace, 'config' | 'root'>,
): Promise<void> {
  const { scaffold } = context
  if (scaffold === null) return
  // Every sandbox shows this folder.
  const copy = join(workspace.config, CASE)
  await copyAll(copy, listFiles(caseDir).files)
  try {
    const command = scriptCommand(request.sandbox, workspace.root, ({ config }) => ({
      arguments: [[config, CASE, ...posix.normalize(scaffold).split('/')].join('/')],
      env: {},
      writablePaths: null,
    }))
    const result = await runSandboxed(command, { deadlineMs: DEADLINE_MS, signal: request.signal })
    const problem = result.setupError ?? (result.timedOut ? `it took longer than ${DEADLINE_MS / 1000} s` : null)
    if (problem === null && result.exitCode === 0) return
    const why = problem ?? `it ended with exit code ${result.exitCode}. ${result.stderrTail.trim().slice(-MAX_SHOWN)}`
    throw new AgentEvalsError(
      'scaffold-failed',
      `The scaffold script ${scaffold} of ${request.label} failed: ${why} Correct the script, or run without --scaffold.`,
    )
  } finally {
    rmSync(copy, { recursive: true, force: true })
  }
}

const CASE = 'case'
const MAX_SHOWN = 500
