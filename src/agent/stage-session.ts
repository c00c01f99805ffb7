import { withMockFiles } from './plugin-case/plugin-session.ts'
import { enginesFor } from '../engines/registry.ts'
import { stageWorkspace } from '../workspace/stage.ts'
import { NO_GATEWAY, pathsIn, sandboxPlace, sessionPaths } from './session-folders.ts'
import type { Installation, SessionPaths } from '../engines/engine.ts'
import type { Workspace } from '../workspace/create-workspace.ts'
import type { AgentRequest } from './agent-request.ts'

/** What the engine wants to find in a workspace. Pure, so that a session that goes on has the same. */
export function installationOf(request: AgentRequest, workspace: Workspace): Installation {
  const { engine, package: pkg, evalCase, suite } = request
  const installation = engine.engine.install({
    package: pkg,
    target: evalCase.target,
    skills: pkg.skills.map((skill) => skill.name),
    // Nothing that is installed names the gateway, whose port is not known yet.
    paths: pathsOf(request, workspace),
    environment: process.env,
    asPlugin: (request.pluginCase ?? null) !== null,
    ...(request.standIns === undefined ? {} : { standIns: request.standIns }),
    network: suite.config.network,
  })
  return withMockFiles(installation, request)
}

/** The paths of a session before it has a lease. */
export function pathsOf(request: AgentRequest, workspace: Workspace): SessionPaths {
  return sessionPaths(pathsIn(request, sandboxPlace(request, workspace, NO_GATEWAY)))
}

/** The files of an installation that the session may only read, relative to the root of the run. */
export function protectedFilesOf({ files, configFiles }: Installation): readonly string[] {
  return ['hooks/plan.json', ...readOnlyOf('workspace', files), ...readOnlyOf('config', configFiles)]
}

function readOnlyOf(folder: string, files: Installation['files']): readonly string[] {
  return files.flatMap(({ to, readOnly }) => (readOnly === true ? [`${folder}/${to}`] : []))
}

/** Fills the workspace of a session with the case's files and the engine's installation; returns what is odd about them. */
export async function stageSession(
  request: AgentRequest,
  workspace: Workspace,
  installation: Installation,
): Promise<readonly string[]> {
  const { package: pkg, evalCase, suite } = request
  const packageFiles = request.inputs.packageFiles(pkg)
  const staged = await stageWorkspace({
    workspace,
    package: pkg,
    packageFiles,
    installation,
    suite,
    evalCase,
    projectCopy: request.projectCopy ?? true,
    scenarios: request.scenarios ?? null,
    engines: enginesFor(request),
  })
  const notices = workspace.notice === null ? [] : [workspace.notice]
  return [...notices, ...installation.warnings, ...staged.warnings]
}
