import { dirname } from 'node:path'
import { isProgram } from '../engines/find/find.ts'
import { trafficOf, enginesFor } from '../engines/registry.ts'
import { hookShimFile } from '../engines/hooks/hook-shim-file.ts'
import { nameVolatileIds } from '../conversation/volatile-ids.ts'
import { nameFolders } from '../recordings/paths.ts'
import { nameConversation } from '../recordings/normalize-paths.ts'
import { createRedactor } from '../results/redact.ts'
import { INSIDE } from '../sandbox/inside.ts'
import { sandboxPaths } from '../sandbox/paths.ts'
import type { SandboxPlace } from '../sandbox/backend.ts'
import type { SessionPaths } from '../engines/engine.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { LeaseGrant } from '../gateway/leases/lease.ts'
import type { SessionFolders } from '../recordings/paths.ts'
import type { SandboxPaths } from '../sandbox/sandbox.ts'
import type { Workspace } from '../workspace/create-workspace.ts'
import type { AgentRequest } from './agent-request.ts'

type Request = Pick<AgentRequest, 'engine' | 'sandbox' | 'suite'>
type Root = Pick<Workspace, 'root'>

/** A conversation with the session's paths replaced by names, and without the secrets of this machine. */
export function nameSession(request: Request, workspace: Root, conversation: Conversation): Conversation {
  const redactor = createRedactor(process.env)
  return nameConversation(
    nameVolatileIds(conversation, trafficOf(enginesFor(request))),
    foldersOf(request, workspace),
    SANDBOX_FOLDERS,
    redactor.values,
  )
}

/** A text of a session with its paths replaced by names, and without the secrets of this machine. */
export function nameText(text: string, folders: SessionFolders): string {
  return nameFolders(nameFolders(createRedactor(process.env).values(text), folders), SANDBOX_FOLDERS)
}

/** Folders of a session by the names that recordings give them. */
export function foldersOf(request: Request, workspace: Root): SessionFolders {
  return pickFolders(pathsIn(request, sandboxPlace(request, workspace, NO_GATEWAY)))
}

/** Paths as the session of a request sees them. */
export function pathsIn({ sandbox }: Pick<AgentRequest, 'sandbox'>, place: SandboxPlace): SandboxPaths {
  return sandboxPaths(sandbox, place, process.platform)
}

/** What decides where a session sees its files. */
export function sandboxPlace(
  request: Request,
  workspace: Root,
  { port, socket }: Pick<LeaseGrant, 'port' | 'socket'>,
): SandboxPlace {
  return {
    root: workspace.root,
    executable: request.engine.executable,
    network: request.suite.config.network,
    gatewaySocket: socket,
    gatewayPort: port ?? 0,
    bridge: isProgram(request.engine) && request.engine.engine.transport === 'tcp',
    shim: hookShimFile(),
  }
}

/** Of a session that has no lease yet. */
export const NO_GATEWAY: Pick<LeaseGrant, 'port' | 'socket'> = { port: null, socket: '' }

/** The paths of a session that its engine gets. */
export function sessionPaths(paths: SandboxPaths): SessionPaths {
  const { workspace, home, config, tmp, node, shim, hooks } = paths
  return { workspace, home, config, tmp, node, shim, hooks, packageRoot: paths.package }
}

function pickFolders(paths: Omit<SessionFolders, 'parent'>): SessionFolders {
  const { workspace, config, home, tmp, hooks, package: pkg, node, shim } = paths
  return { workspace, parent: dirname(workspace), config, home, tmp, hooks, package: pkg, node, shim }
}

const SANDBOX_FOLDERS = pickFolders(INSIDE)
