import '../provided.ts'
import { join, resolve } from 'node:path'
import type { Vitest, VitestPluginContext } from 'vitest/node'
import { knownVersions } from '../../engines/find/find.ts'
import { openGateway } from '../../case/open-gateway.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { createRunId, runsFolder } from '../../results/run-folder.ts'
import { projectCommand } from '../../rerun-command.ts'
import { runOptionsOf } from '../../options/options.ts'
import type { RunSettings } from '../../settings.ts'
import { readReference } from '../../recordings/reference.ts'
import { settleSandbox } from '../../sandbox/decide.ts'
import { readSkillTrial } from '../../suites/skills/skill-trial.ts'
import { startOrphanCleanup } from '../../cleanup/start-orphan-cleanup.ts'
import { sweepLeftovers } from '../../cleanup/sweep-leftovers.ts'
import { sweepWorkspaces } from '../../workspace/sweep-workspaces.ts'
import { createEvalsReporter } from '../reporter/evals-reporter.ts'
import type { EvalsReporterOptions } from '../reporter/reporter-options.ts'
import { guardSpending } from '../reporter/confirm-spending.ts'
import { createProgress } from '../reporter/progress.ts'
import { surviveClosedOutput } from './closed-output.ts'
import { fitWorkers } from './fit-workers.ts'
import type { GateReason } from './gate.ts'
import { endGracefully } from './graceful-signals.ts'
import { showsAttachments } from './shows-attachments.ts'
import type { ServedRun } from './user-projects.ts'
import type { ResolvedOptions } from '../../options/options.ts'
import type { CasePlanner } from './case-planner.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import { watchCases } from '../watch/watch-cases.ts'

/** What a run is served for. */
export interface RunToServe {
  readonly context: VitestPluginContext
  readonly options: ResolvedOptions
  readonly store: SuiteStore
  readonly planner: CasePlanner
  /** Files of the user's own projects that run agents; filled before each pass. */
  readonly userProjects: ReadonlySet<string>
  /** Why the project takes part, or that only tests of the user's own projects need the run. */
  readonly reason: GateReason | 'user-projects'
  /** Where and with what the runs of a package are made. */
  readonly provenanceOf: EvalsReporterOptions['provenanceOf']
}

/** Starts the gateway, settles what all cases share, and creates the reporter. */
export async function serveRun({
  context: { vitest, project },
  options,
  store,
  planner,
  userProjects,
  reason,
  provenanceOf,
}: RunToServe): Promise<ServedRun> {
  const gateway = await openGateway(options)
  // What a watching Vitest or an editor cancels may be asked for again.
  const canStartAgain = vitest.config.watch || reason === 'show-only'
  const cancelledFor = cancelWith(vitest, (why) => {
    if (canStartAgain) return gateway.cancelAll(why)
    gateway.stop(why)
    keepCancelled(vitest)
  })
  const closing = new AbortController()
  vitest.onClose(() => closing.abort())
  endWithoutTrace(vitest, gateway, cancelledFor)

  const forbidden = liveBlockedReason(vitest, reason)
  const { requireLive: ref } = options
  const unasked = whyNotAsked(vitest, reason)
  const requireLive = ref === null ? {} : { requireLive: await readReference(vitest.config.root, ref, unasked) }
  const settings: RunSettings = {
    ...runOptionsOf(options),
    ...requireLive,
    root: vitest.config.root,
    runFolder: join(runsFolder(vitest.config.root), createRunId(new Date())),
    controlSocket: gateway.controlSocket,
    project: options.name,
    cwd: process.cwd(),
    command: projectCommand({
      program: process.argv[1],
      cwd: process.cwd(),
      root: vitest.config.root,
      configFile: vitest.vite.config.configFile ?? null,
      project: options.name,
    }),
    sandbox: await settleSandbox(options.sandbox, {
      environment: process.env,
      root: vitest.config.root,
    }),
    // An editor runs on every save, so it only ever replays.
    source: reason === 'show-only' && options.source !== 'replay' ? 'auto' : options.source,
    liveBlockedReason: forbidden,
    onMissingAnswers: process.env['CI'] ? 'errored' : 'skipped',
    engineModules: Object.fromEntries(
      Object.entries(options.engineModules).map(([name, module]) => [name, resolve(vitest.config.root, module)]),
    ),
    scenarios: options.scenarios === null ? null : resolve(vitest.config.root, options.scenarios),
    attachEvidence: showsAttachments(vitest.config),
    trial: readSkillTrial(process.env),
    engineVersions: await knownVersions(),
  }
  if (reason !== 'user-projects') fitWorkers(project, options.concurrency, settings)
  project.provide('agentEvals', settings)
  const report = typeof options.report === 'string' ? resolve(vitest.config.root, options.report) : options.report
  const watched = await watchCases({
    vitest,
    project,
    store,
    planner,
    settings,
    priority: gateway.priority,
    report: typeof report === 'string' ? report : null,
    hasOwnInclude: options.include !== null,
  })
  const progress = createProgress(vitest, gateway)
  const spending = guardSpending(vitest, settings)
  gateway.beforeSpending((caseId) => spending.beforeSpending(caseId))
  const reporter = createEvalsReporter({
    vitest,
    project,
    store,
    planner,
    settings,
    report,
    html: typeof options.html === 'string' ? resolve(vitest.config.root, options.html) : options.html,
    exportAs: options.export,
    runLog: options.runLog,
    summaryOnly: options.summaryOnly,
    watched,
    progress,
    spending,
    prepared: gateway.prepared,
    closed: closing.signal,
    gatewayCostUsd: () => gateway.activity().costUsd,
    userProjects,
    cancelledFor,
    provenanceOf,
  })
  // Vitest runs nothing for a file that was removed, so nothing else would take its cases out of lists and counts.
  watched.onGone(() => void reporter.refresh())
  surviveClosedOutput()
  // They have their own ways to stop.
  if (!canStartAgain)
    endGracefully(vitest, {
      isRunning: reporter.isRunning,
      kill: () => gateway.killAll(),
      cleanUp: removeOwnWorkspaces,
    })
  return { settings, reporter }
}

// A worker that was killed has left what it had; when this process is, another one looks after it.
function endWithoutTrace(vitest: Vitest, gateway: Gateway, cancelledFor: () => CancelReason | null): void {
  const callOff = startOrphanCleanup()
  vitest.onClose(async () => {
    await gateway.close()
    // What cannot be removed now is left to the next start, which says so.
    await sweepLeftovers().catch(() => {})
    // What was cancelled may be left in the middle of its end, above all at a second Ctrl-C.
    if (cancelledFor() === null) callOff()
  })
}

// Ctrl-C, `--bail` and an editor's stop all end here. Vitest 4.1 forgets concurrent tests once one of them has
// finished, so a test's own signal is not enough.
function cancelWith(vitest: Vitest, cancelAll: (reason: string) => void): () => CancelReason | null {
  let last: CancelReason | null = null
  const cancel = vitest.cancelCurrentRun.bind(vitest)
  vitest.cancelCurrentRun = async (reason) => {
    // Closing cancels too, and is no reason.
    last ??= reason
    cancelAll(`cancelled: ${reason}`)
    return cancel(reason)
  }
  return () => last
}

// Vitest resets its flag when the first test is due, and would run everything that was cancelled before.
function keepCancelled(vitest: Vitest): void {
  Object.defineProperty(vitest, 'isCancelling', { get: () => true, set: () => {}, configurable: true })
}

type CancelReason = Parameters<Vitest['cancelCurrentRun']>[0]

async function removeOwnWorkspaces(): Promise<void> {
  await sweepWorkspaces({ own: true })
}

// An unasked live run costs money: it takes one run, started by a person, who named what to run.
function liveBlockedReason(vitest: Vitest, reason: string): string | null {
  return process.env['CI'] ? 'CI is set' : whyNotAsked(vitest, reason)
}

function whyNotAsked(vitest: Vitest, reason: string): string | null {
  if (reason === 'show-only') return 'runs from an editor only replay'
  if (vitest.config.watch) return 'runs in watch mode only replay'
  return reason === 'always' ? 'neither the project nor the file was named' : null
}
