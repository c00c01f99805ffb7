import { rmSync } from 'node:fs'
import { availableParallelism, constants } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject, Vitest, VitestPluginContext } from 'vitest/node'
import { openGateway } from '../../case/open-gateway.ts'
import { isLiveAllowed } from '../../case/prepare/choose-source.ts'
import { knownVersions } from '../../engines/find.ts'
import { readSkillTrial } from '../../formats/skill-evals/skill-suites.ts'
import type { Gateway } from '../../gateway/gateway.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { runOptionsOf, type ResolvedOptions } from '../../options/options.ts'
import type { RunSettings } from '../../options/settings.ts'
import { readReportFile } from '../../report/read-report.ts'
import { readReference } from '../../recordings/reference.ts'
import { projectCommand } from '../../report/rerun-command.ts'
import { prepareCache, usualCacheFolder } from '../../report/results/result-cache.ts'
import { createRunId, runsFolder, VERSION } from '../../report/results/run-folder.ts'
import { toPrintableLine } from '../../lib/text.ts'
import { settleSandbox } from '../../sandbox/decide.ts'
import { isCi } from '../../sandbox/environment.ts'
import { readVersion, type ReadVersion } from '../../session/read-version.ts'
import { startOrphanCleanup } from '../../session/sweep-leftovers.ts'
import { sweepLeftovers } from '../../session/sweep-leftovers.ts'
import { sweepWorkspaces } from '../../session/workspace.ts'
import type { SuiteStore } from '../modules/suite-store.ts'
import '../provided.ts'
import { guardSpending, mayAsk } from '../reporter/announce-live.ts'
import { createEvalsReporter } from '../reporter/evals-reporter.ts'
import { createProgress } from '../reporter/progress.ts'
import type { EvalsReporterOptions } from '../reporter/reporter-options.ts'
import { watchCases } from '../watch/watch-cases.ts'
import { isComparedWithVersion, storeOfVersion } from './suite-search.ts'
import type { CasePlanner } from './case-planner.ts'
import type { GateReason, ServedRun } from './user-projects.ts'
import { printBy } from '../../report/summary/terminal.ts'

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
  if (options.gate && options.against === null)
    throw new AgentEvalsError(
      'invalid-options',
      '--gate needs what to compare with: --against REF, a folder or a report.',
    )
  const runFolder = join(runsFolder(vitest.config.root), createRunId(new Date()))
  const before = isComparedWithVersion(options)
    ? { before: await readBefore({ vitest, options, to: join(runFolder, VERSION) }) }
    : {}
  const compared =
    options.against !== null && before.before === undefined ? readReportFile(resolve(options.against)) : null
  const settings: RunSettings = {
    ...runOptionsOf(options),
    ...requireLive,
    root: vitest.config.root,
    runFolder,
    ...before,
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
    quarantine: options.quarantine,
    onMissingAnswers: isCi(process.env) ? 'errored' : 'skipped',
    engineModules: Object.fromEntries(
      Object.entries(options.engineModules).map(([name, module]) => [name, resolve(vitest.config.root, module)]),
    ),
    // Both arms of a comparison are run side by side.
    cache: options.against === null ? openCache(options.cache, vitest) : null,
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
    versionStore: before.before === undefined ? null : storeOfVersion(before.before, options),
    comparedReport: compared,
    gate: options.against === null ? null : { ref: options.against, fails: options.gate },
    budgets: options.budgets,
    settings,
    report,
    html: typeof options.html === 'string' ? resolve(vitest.config.root, options.html) : options.html,
    comment: options.comment === null ? null : resolve(vitest.config.root, options.comment),
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
  // A watching Vitest never spends, and may start again.
  return { settings, reporter, mayAsk: mayAsk() && !vitest.config.watch }
}

// The files of the version are needed until the reports are written.
async function readBefore({
  vitest,
  options: { against },
  to,
}: Pick<RunToServe, 'options'> & { readonly vitest: Vitest; readonly to: string }): Promise<ReadVersion> {
  vitest.onClose(() => rmSync(to, { recursive: true, force: true }))
  const read = await readVersion({ root: vitest.config.root, ref: against ?? '', cwd: process.cwd(), to })
  for (const notice of read.notices) printBy(vitest.logger, 'warn', `agent-evals: ${toPrintableLine(notice)}`)
  return read
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
  await sweepWorkspaces({ includesOwn: true })
}

// A build machine has no earlier results, but for a folder that it restores on purpose.
function openCache(option: boolean | string, { config: { root }, logger }: Vitest): string | null {
  if (option === false || (option === true && isCi(process.env))) return null
  const folder = option === true ? usualCacheFolder(root) : resolve(root, option)
  const problem = prepareCache({ root, folder })
  if (problem === null) return folder
  printBy(logger, 'warn', `agent-evals: every case runs, since there can be no cache: ${problem}.`)
  return null
}

// An unasked live run costs money: it takes one run, started by a person, who named what to run.
function liveBlockedReason(vitest: Vitest, reason: string): string | null {
  return isCi(process.env) ? 'CI is set' : whyNotAsked(vitest, reason)
}

function whyNotAsked(vitest: Vitest, reason: string): string | null {
  if (reason === 'show-only') return 'runs from an editor only replay'
  if (vitest.config.watch) return 'runs in watch mode only replay'
  return reason === 'always' ? 'neither the project nor the file was named' : null
}

/** Keeps a run alive whose reader has left, as in `vitest | head -1`: what is paid for still ends in a report. */
export function surviveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream.listeners('error').includes(ignoreClosedPipe)) continue
    stream.on('error', ignoreClosedPipe)
  }
}

function ignoreClosedPipe(error: Error): void {
  if ('code' in error && (error.code === 'EPIPE' || error.code === 'EIO')) return
  throw error
}

/**
 * Takes back workers that could only wait: runs whose answers are local are limited to the cores, and each worker
 * costs some computing before its first case.
 */
export function fitWorkers(
  { config }: Pick<TestProject, 'config'>,
  concurrency: number | null,
  settings: Parameters<typeof isLiveAllowed>[0],
): void {
  if (concurrency !== null || isLiveAllowed(settings)) return
  // More than can run: the next cases are prepared meanwhile, and tests without a session may wait for anything.
  const enough = 2 * availableParallelism() + 1
  config.maxWorkers = Math.min(config.maxWorkers ?? enough, enough)
}

/** Whether Vitest's UI or its html reporter shows this run: nothing else reads attachments, and Vitest copies each. */
export function showsAttachments({ ui, reporters }: Pick<Vitest['config'], 'reporters' | 'ui'>): boolean {
  return ui || reporters.some((one) => (Array.isArray(one) ? one[0] : one) === 'html')
}

/** What a signal ends. */
export interface GracefulRun {
  /** Whether cases run: without any there is nothing to end well. */
  readonly isRunning: () => boolean
  /** Kills what is left of every run. */
  readonly kill: () => Promise<void>
  /** Removes what runs leave behind that could not end by themselves. */
  readonly cleanUp: () => Promise<void>
}

/**
 * Makes the first Ctrl-C end a run well: no new case, every agent stopped, the report written. The second one is hard.
 *
 * Vitest's own listeners leave at once, without a word to reporters, and with every agent still running.
 */
export function endGracefully(vitest: Vitest, { isRunning, kill, cleanUp }: GracefulRun): void {
  const theirs = new Map(SIGNALS.map((signal) => [signal, process.rawListeners(signal)]))
  let stoppingSince: number | null = null

  const leave = (signal: Signal): void => {
    const listeners = theirs.get(signal) ?? []
    for (const listener of listeners) listener.call(process, signal, constants.signals[signal])
    if (listeners.length === 0) process.exit(exitCodeOf(signal))
  }
  const stop = (signal: Signal): void => {
    stoppingSince = performance.now()
    // Vitest says 1 to a run that was cancelled.
    process.on('exit', () => {
      process.exitCode = exitCodeOf(signal)
    })
    printBy(
      vitest.logger,
      'log',
      '\nagent-evals: stopping and writing the report. Press Ctrl-C again to exit immediately.',
    )
    setTimeout(() => void kill().catch(ignoreWhatIsLeft), KILL_AFTER_MS).unref()
    // What still hangs then is left behind: the report is written on the way out, and the next start cleans up.
    setTimeout(() => process.exit(), LEAVE_AFTER_MS).unref()
    vitest.onClose(() => kill().then(cleanUp).catch(ignoreWhatIsLeft))
    void vitest.cancelCurrentRun('keyboard-input').catch(ignoreWhatIsLeft)
  }

  for (const signal of SIGNALS) {
    process.removeAllListeners(signal)
    const listener = (): void => {
      if (stoppingSince === null && isRunning()) return stop(signal)
      // npm passes on what the terminal has sent to every process already.
      if (stoppingSince !== null && performance.now() - stoppingSince < SAME_PRESS_MS) return
      leave(signal)
    }
    process.on(signal, listener)
    vitest.onClose(() => {
      // A second Ctrl-C may come until the very end.
      if (stoppingSince === null) process.off(signal, listener)
    })
  }
}

type Signal = (typeof SIGNALS)[number]

function exitCodeOf(signal: Signal): number {
  return 128 + constants.signals[signal]
}

// Whatever resisted dies with this process.
function ignoreWhatIsLeft(): void {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const SAME_PRESS_MS = 250
const KILL_AFTER_MS = 1000
const LEAVE_AFTER_MS = 2500
