import { dirname } from 'node:path'
import type { SessionPaths } from '../engines/engine.ts'
import { isProgram, type FoundEngine } from '../engines/find.ts'
import { hookShimFile } from '../engines/hooks/install-hooks.ts'
import { enginesFor, trafficOf } from '../engines/registry.ts'
import type { PluginEvalCase } from '../formats/plugin-eval/model.ts'
import type { CasePart, Suite } from '../formats/suite.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import type { AnswerSource, CredentialKind, LeaseGrant, LeaseRequest } from '../gateway/leases/lease.ts'
import { createRedactor } from '../gateway/redact.ts'
import { mapLeaves } from '../lib/json.ts'
import type { AgentPackage } from '../packages/package.ts'
import { nameVolatileIds, type Conversation } from '../recordings/conversation.ts'
import { nameConversation, nameFolders, placeFolders, type SessionFolders } from '../recordings/paths.ts'
import type { PathRequest } from '../sandbox/sandbox.ts'
import { sandboxPaths } from '../sandbox/decide.ts'
import { INSIDE } from '../sandbox/environment.ts'
import type { SandboxDecision, SandboxPaths } from '../sandbox/sandbox.ts'
import type { DecidingUse, RunDecision } from '../transcript/select.ts'
import type { AgentRun, UnnumberedEvent } from '../transcript/transcript.ts'
import type { InputCache } from './inputs/input-cache.ts'
import type { StandIn } from './stand-ins.ts'
import type { Workspace } from './workspace.ts'

/** What cases of `claude plugin eval` may do beyond others. */
interface PluginEvalSettings {
  readonly mocks: 'off' | 'record'
  readonly scaffold: boolean
  readonly trustPlugin: boolean
}

/** One execution of a case by an engine. */
export interface AgentRequest {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly engine: FoundEngine
  readonly package: AgentPackage
  readonly suite: Pick<Suite, 'file' | 'config'> & Partial<Pick<Suite, 'before' | 'packageRoot' | 'skill'>>
  readonly evalCase: CasePart<
    'answers' | 'arm' | 'files' | 'overlays' | 'prompt' | 'target' | 'turns' | 'workspaceFiles'
  >
  /** What its session has beyond others; absent for a session of the package alone. */
  readonly pluginCase?: PluginEvalCase | null
  readonly source: AnswerSource
  readonly model: string | null
  /** Milliseconds the engine may take once its run is granted. */
  readonly deadlineMs: number
  readonly sandbox: SandboxDecision
  readonly controlSocket: string
  readonly inputs: InputCache
  readonly keepWorkspace: boolean
  /** Absolute path of the Vitest root. */
  readonly project: string
  /** The plugins of a case of `claude plugin eval`, also where this arm of it lacks them. */
  readonly plugins?: readonly AgentPackage[]
  /** What cases of `claude plugin eval` may do beyond others. */
  readonly pluginEval?: PluginEvalSettings
  /** MCP servers that files answer for; added when the session is staged. */
  readonly standIns?: readonly StandIn[]
  /** Whether artifact cases of skills get a copy of their project. @default true */
  readonly projectCopy?: boolean
  /** Absolute path of a folder of scenarios that is not the package's own; no session may see it. */
  readonly scenarios?: string | null
  readonly signal: AbortSignal
  /** What decides the run and ends it; absent for one that goes on to its own end. */
  readonly endsWith?: DecidingUse
  /** Whether an event is the end of a run that was to go on. */
  readonly abortsAfter?: (event: UnnumberedEvent) => boolean
  /** Goes on with a session that has ended, in its workspace; absent for a session of its own. */
  readonly resume?: () => Promise<EndedSession>
  /** Takes the workspace over, as soon as there is one: it is not removed here then. */
  readonly handOver?: (workspace: Workspace) => void
  /** Called when the run is granted: from here on it may cost money. */
  readonly onStart?: () => void
  /** Opens the lease of the run. Default: a new one. */
  readonly openLease?: (request: LeaseRequest) => Promise<AcquiredLease>
  /** Looks at the workspace before it is removed. */
  readonly collect?: (workspace: string, run: AgentRun) => Promise<void>
  /** Looks at it after each of several turns, from 1, before the next message is sent. */
  readonly collectTurn?: (workspace: string, run: AgentRun, turn: number) => Promise<void>
}

/** What came of it, and what staging had to say. */
export interface AgentOutcome {
  readonly run: AgentRun
  /** One sentence each. */
  readonly warnings: readonly string[]
  /** What was asked and answered, paths replaced by names; `null` where nothing is recorded or replayed. */
  readonly conversation: Conversation | null
  /** Kind of credential the engine was given. */
  readonly credential: CredentialKind
  /** Whether it was ended because it had shown what it was made for. */
  readonly stopped: boolean
  /** Skills that the session listed; `null` when it does not say. */
  readonly skillsListed: readonly string[] | null
  /** Where the first request of a session differs from that of the probe before it; `null` where it does not. */
  readonly differs: string | null
  /** The session's folders, whose paths are names in recordings; absent where there is no session. */
  readonly folders?: SessionFolders
  /** Which turn decided a run of a trigger query; absent for every other run. */
  readonly decided?: RunDecision
}

/** A session that another run can go on with. */
export interface EndedSession {
  readonly workspace: Workspace
  /** As the engine calls it. */
  readonly sessionId: string
}

type Request = Pick<AgentRequest, 'engine' | 'sandbox' | 'suite'>
type Root = Pick<Workspace, 'root'>

/** Whether a conversation of this source is kept beyond its run. */
export function isRecorded({ kind }: AnswerSource): boolean {
  return kind === 'record' || kind === 'replay'
}

/**
 * A conversation with the session's paths replaced by names, and without the secrets of this machine; `null` for one that is
 * not kept.
 */
export function nameSession(
  request: Pick<AgentRequest, 'source'> & Request,
  workspace: Root,
  conversation: Conversation | null,
): Conversation | null {
  if (conversation === null || !isRecorded(request.source)) return null
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
  return pickFolders(pathsIn(request, pathRequestOf(request, workspace, NO_GATEWAY)))
}

/** Paths as the session of a request sees them. */
export function pathsIn({ sandbox }: Pick<AgentRequest, 'sandbox'>, request: PathRequest): SandboxPaths {
  return sandboxPaths(sandbox, request, process.platform)
}

/** What decides where a session sees its files. */
export function pathRequestOf(
  request: Request,
  workspace: Root,
  { port, socket }: Pick<LeaseGrant, 'port' | 'socket'>,
): PathRequest {
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

/** Fills the paths of a session into what it will be answered: answers are written before there is a session. */
export function expandAnswers(source: AnswerSource, folders: SessionFolders): AnswerSource {
  if (source.kind === 'record') return { ...source, upstream: expandScenario(source.upstream, folders) }
  if (source.kind === 'replay') return { ...source, threads: placeFolders(source.threads, folders) }
  return expandScenario(source, folders)
}

/**
 * Replaces `${WORKSPACE}` in a scenario by the workspace as the agent sees it: file tools want absolute paths, and
 * a scenario is written before there is one.
 */
function expandScenario<Upstream extends AnswerSource>(source: Upstream, { workspace }: SessionFolders): Upstream {
  if (source.kind !== 'scenario') return source
  const expand = (leaf: unknown): unknown =>
    typeof leaf === 'string' ? leaf.replaceAll('${WORKSPACE}', workspace) : leaf
  return { ...source, scenario: mapLeaves(source.scenario, expand) }
}
