import type { Installation, SessionPaths } from '../engines/engine.ts'
import { enginesFor } from '../engines/registry.ts'
import { readWorkspaceFile } from '../lib/workspace-file.ts'
import type { SkillText } from '../transcript/skill-reads.ts'
import {
  NO_GATEWAY,
  pathRequestOf,
  pathsIn,
  sessionPaths,
  type AgentRequest,
  type EndedSession,
} from './agent-request.ts'
import { walkWorkspace, type Snapshot } from './file-changes.ts'
import { stagePluginCase, withMockFiles, withStandIns } from './plugin-session.ts'
import { stageWorkspace } from './stage.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

/** A session that can start. */
export interface StagedAgent {
  /** With the MCP servers that files answer for. */
  readonly request: AgentRequest
  readonly workspace: Workspace
  readonly installation: Installation
  /** Id of the session to go on with; `null` begins one. */
  readonly resume: string | null
  /** What is odd about its files, one sentence each. */
  readonly warnings: readonly string[]
  /** The workspace as the session finds it. */
  readonly before: Snapshot
  /** Skills that the session finds in its workspace. */
  readonly skills: readonly SkillText[]
}

/** Makes the folders of a session. */
export function openWorkspace(request: AgentRequest): Workspace {
  const { keepWorkspace: keep, project } = request
  return createWorkspace({ keep, project, engines: enginesFor(request) })
}

/** Fills the workspace of a session; one that goes on with another finds that one's files. */
export async function stageAgent(
  asked: AgentRequest,
  workspace: Workspace,
  resumed: EndedSession | null,
): Promise<StagedAgent> {
  const paths = sessionPaths(pathsIn(asked, pathRequestOf(asked, workspace, NO_GATEWAY)))
  const request = withStandIns(asked, paths)
  const installation = installationOf(request, paths)
  const warnings =
    resumed === null
      ? [...(await stageFiles(request, workspace, installation)), ...(await stagePluginCase(request, workspace))]
      : []
  const before = await walkWorkspace(workspace.workspace)
  const skills = await readInstalledSkills(workspace.workspace, before)
  return { request, workspace, installation, resume: resumed?.sessionId ?? null, warnings, before, skills }
}

// What the engine wants to find in a workspace. Nothing of it names the gateway, whose port is not known yet.
function installationOf(request: AgentRequest, paths: SessionPaths): Installation {
  const { engine, package: pkg, evalCase, suite } = request
  const installation = engine.engine.install({
    package: pkg,
    target: evalCase.target,
    skills: pkg.skills.map((skill) => skill.name),
    paths,
    environment: process.env,
    asPlugin: (request.pluginCase ?? null) !== null,
    ...(request.standIns === undefined ? {} : { standIns: request.standIns }),
    network: suite.config.network,
  })
  return withMockFiles(installation, request)
}

async function stageFiles(
  request: AgentRequest,
  workspace: Workspace,
  installation: Installation,
): Promise<readonly string[]> {
  const packageFiles = request.inputs.packageFiles(request.package)
  const engines = enginesFor(request)
  const warnings = await stageWorkspace({ ...request, workspace, packageFiles, installation, engines })
  return [...(workspace.notice === null ? [] : [workspace.notice]), ...installation.warnings, ...warnings]
}

/** Reads the skills that a session will find in its workspace: those of the package, and any other copy. */
async function readInstalledSkills(root: string, { files }: Snapshot): Promise<readonly SkillText[]> {
  const skills = new Map<string, SkillText>()
  for (const path of files.keys()) {
    const folder = PLACE.exec(path)?.[1]
    if (folder === undefined || skills.size >= MOST) continue
    const read = await readWorkspaceFile(root, path, MOST_BYTES)
    if (read.status !== 'read') continue
    const text = read.bytes.toString('utf8')
    const name = NAME.exec(text)?.[1]?.trim() ?? folder
    if (!skills.has(name)) skills.set(name, { name, folder, text })
  }
  return [...skills.values()]
}

const PLACE = /(?:^|\/)skills\/([^/]+)\/SKILL\.md$/
const NAME = /^---\r?\n(?:(?!---)[^\n]*\n)*?name:[ \t]*["']?([^"'\n]+?)["']?[ \t]*\r?\n/
const MOST = 500
const MOST_BYTES = 256 * 1024
