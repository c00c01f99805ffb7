import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import type { TestProject, Vitest, VitestPluginContext } from 'vitest/node'
import { openGateway } from '../../case/open-gateway.ts'
import { isLiveAllowed } from '../../case/prepare/choose-source.ts'
import { knownVersions } from '../../engines/find.ts'
import { readSkillTrial } from '../../formats/skill-evals/skill-suites.ts'
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
import type { SuiteStore } from '../modules/suite-store.ts'
import '../provided.ts'
import { guardSpending, mayAsk } from '../reporter/announce-live.ts'
import { createEvalsReporter } from '../reporter/evals-reporter.ts'
import { createProgress } from '../reporter/progress.ts'
import type { EvalsReporterOptions } from '../reporter/reporter-options.ts'
import { watchCases } from '../watch/watch-cases.ts'
import { isComparedWithVersion, storeOfVersion } from './suite-search.ts'
import type { CasePlanner } from './case-planner.ts'
import {
  cancelWith,
  endGracefully,
  endWithoutTrace,
  keepCancelled,
  removeOwnWorkspaces,
  surviveClosedOutput,
} from './end-run.ts'
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
