import type { SessionFolders } from '../recordings/paths.ts'
import type { FoundEngine } from '../engines/find/find.ts'
import type { InputCache } from '../inputs/input-cache.ts'
import type { PluginEvalSettings } from '../settings.ts'
import type { PluginEvalCase } from '../suites/formats/plugin-eval/model.ts'
import type { CasePart, Suite } from '../suites/suite.ts'
import type { AcquiredLease } from '../gateway/control/client.ts'
import type { AnswerSource, CredentialKind, LeaseRequest } from '../gateway/leases/lease.ts'
import type { Workspace } from '../workspace/create-workspace.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { SandboxDecision } from '../sandbox/sandbox.ts'
import type { DecidingUse } from '../transcript/deciding-use.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { StandIn } from './plugin-case/stand-ins.ts'
import type { EndedSession } from './ended-session.ts'
import type { RunDecision } from '../results/run-decision.ts'
import type { AgentRun } from '../transcript/agent-run.ts'

/** One execution of a case by an engine. */
export interface AgentRequest {
  /** Shown while waiting and in errors. */
  readonly label: string
  readonly engine: FoundEngine
  readonly package: AgentPackage
  readonly suite: Pick<Suite, 'file' | 'config'> & Partial<Pick<Suite, 'packageRoot' | 'skill'>>
  readonly evalCase: CasePart<'arm' | 'files' | 'overlays' | 'prompt' | 'target' | 'workspaceFiles'>
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
  readonly openLease?: (asked: LeaseRequest) => Promise<AcquiredLease>
  /** Looks at the workspace before it is removed. */
  readonly collect?: (workspace: string, run: AgentRun) => Promise<void>
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
