import { describeHanging, explainLate, unfinishedHooks, type HookContext } from '../engines/hooks/hanging-hooks.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import { buildAgentRun } from './build-agent-run.ts'
import type { SessionEnd } from './session-end.ts'
import { explainFailedServers } from './failed-servers.ts'
import { findChanges, walkWorkspace, type Snapshot } from './file-changes.ts'
import { createHookLog, readLines, type HookLog } from './hook-log.ts'
import { namesOf } from './skill-uses.ts'
import type { StagedAgent } from './stage-agent.ts'
import { turnOf } from './turns.ts'

/** What a session has done so far, by its stream, the gateway, its hooks and its workspace. */
export interface RunLog {
  /** Keeps a turn that has ended, before the next message is sent. */
  readonly onTurn: (seen: SessionEnd) => Promise<void>
  /** The whole run; `endedAt` in milliseconds since 1970. */
  readonly end: (ended: SessionEnd, endedAt: number) => Promise<AgentRun>
}

/** Makes the log of a session that is staged and not started yet. */
export async function createRunLog(staged: StagedAgent): Promise<RunLog> {
  const hooks = createHookLog(staged)
  if (staged.resume !== null) await hooks.skip()
  const log = new Log(staged, hooks)
  return { onTurn: (seen) => log.onTurn(seen), end: (ended, endedAt) => log.end(ended, endedAt) }
}

class Log {
  private readonly staged: StagedAgent
  private readonly hooks: HookLog
  private readonly turns: AgentRun[] = []
  /** How many decisions of hooks came before each turn. */
  private readonly decidedBefore: number[] = [0]
  /** The workspace when the last turn began. */
  private since: Snapshot

  constructor(staged: StagedAgent, hooks: HookLog) {
    this.staged = staged
    this.hooks = hooks
    this.since = staged.before
  }

  async onTurn(seen: SessionEnd): Promise<void> {
    await this.keepTurn(await this.look(seen, ''))
    this.since = await walkWorkspace(this.staged.workspace.workspace)
  }

  async end(ended: SessionEnd, endedAt: number): Promise<AgentRun> {
    const run = await this.look(ended, await this.findHanging(endedAt))
    if (this.staged.request.evalCase.turns !== undefined) await this.keepTurn(run)
    return this.turns.length === 0 ? run : { ...run, turns: this.turns }
  }

  private async look(seen: SessionEnd, hanging: string): Promise<AgentRun> {
    const { request, workspace, installation, skills, before } = this.staged
    const decisions = explainLate(await this.hooks.read(seen), this.hookContext())
    const run = buildAgentRun({
      request,
      ended: seen,
      files: await findChanges(workspace.workspace, before),
      decisions,
      decidedBefore: this.decidedBefore,
      hanging,
      hookPlan: installation.hookPlan,
      skills,
      workspace: request.keepWorkspace ? workspace.workspace : null,
    })
    this.decidedBefore[this.turns.length + 1] = decisions.length
    return { ...run, names: await this.findNames(seen) }
  }

  private async findNames(seen: SessionEnd): Promise<NonNullable<AgentRun['names']>> {
    const { request, workspace, skills } = this.staged
    const { failedServers = [] } = seen.summary
    const names = namesOf(request, skills, seen)
    if (failedServers.length === 0) return names
    return {
      ...names,
      failedServers: await explainFailedServers(failedServers, request.package.mcpServers, workspace.hooks),
    }
  }

  private async keepTurn(run: AgentRun): Promise<void> {
    const { request, workspace } = this.staged
    const turn = turnOf(run, this.turns, await findChanges(workspace.workspace, this.since))
    this.turns.push(turn)
    await request.collectTurn?.(workspace.workspace, turn, this.turns.length)
  }

  private async findHanging(endedAt: number): Promise<string> {
    const { hooks } = this.staged.workspace
    const started = await readLines(hooks, 'started.jsonl')
    const unfinished = unfinishedHooks(started, await readLines(hooks, 'decisions.jsonl'))
    return describeHanging(unfinished, endedAt, this.hookContext())
  }

  private hookContext(): HookContext {
    const { request, installation } = this.staged
    const { sandbox, suite } = request
    return { plan: installation.hookPlan, isClosed: sandbox.backend !== 'none' && !suite.config.network }
  }
}
