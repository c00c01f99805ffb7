import { AgentEvalsError } from '../../errors.ts'
import { askedOf, findEngineOf } from './resolve-engine.ts'
import { isProgram, type FoundEngine } from '../../engines/find/find.ts'
import { requireEngine } from '../../engines/registry.ts'
import { enginesOf } from '../plan/plan-test.ts'
import { collectInputs } from '../../inputs/collect.ts'
import { withWire } from './case-model.ts'
import { caseTimeout } from '../plan/case-timeout.ts'
import { chooseSource } from './choose-source.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import { scriptFiles } from '../assess/run-check-script.ts'
import { requireTrust } from './require-trust.ts'
import { requirePrice } from './require-price.ts'
import { kindOf } from '../../suites/kinds.ts'
import { leaveOutPlugin } from '../../suites/leave-out-plugin.ts'
import { leaveOutSkill } from '../../suites/skills/leave-out-skill.ts'
import { findForeignFile } from '../../sandbox/own-repository.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { engineFindings } from './engine-findings.ts'
import { requireChecks, requireSound } from './require-sound.ts'
import { withIdleHooks, type AgentPackage } from '../../packages/package.ts'
import type { Input } from '../../inputs/input.ts'
import type { InputCache } from '../../inputs/input-cache.ts'
import type { RunSettings } from '../../settings.ts'
import type { SandboxDecision } from '../../sandbox/sandbox.ts'
import type { SuiteCache } from '../../suites/suite-cache.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { AgentRequest } from '../../agent/agent-request.ts'
import type { PlayedSource } from '../../replay/played-source.ts'
import type { PreparedRun } from '../../replay/prepared-run.ts'

/** A run that is asked for. */
export interface RunToPrepare {
  readonly label: string
  readonly engineName: string
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  /** Which of its runs, from 1. Default: the only one. */
  readonly run?: number
  readonly settings: RunSettings
  readonly packages: Pick<SuiteCache, 'packageFor' | 'packageOf' | 'pluginsOf'>
  readonly inputs: InputCache
  /** The event whose hooks do nothing in this run. */
  readonly sabotages?: string
  readonly signal: AbortSignal
}

/** Why a run does not start. */
export interface SkippedRun {
  readonly skipped: string
}

/**
 * Finds everything that can be known to be wrong before anything is started.
 *
 * @throws {AgentEvalsError} such as `unsupported-engine`, `missing-input`, `missing-answers`, `sandbox-unavailable`.
 */
export async function prepareRun(asked: RunToPrepare): Promise<PreparedRun | SkippedRun> {
  const { suite, evalCase } = asked
  // Nothing is spent on one engine where another one was named that cannot run.
  const isBuiltIn = (name: string): boolean => !Object.hasOwn(asked.settings.engineModules, name)
  for (const name of enginesOf(suite, asked.settings).filter(isBuiltIn)) requireEngine(name, [])
  const found = await findEngineOf(asked.engineName, asked.settings)
  const { settings, ...named } = askedOf(found.engine, asked, asked.settings)
  requireTrust(evalCase, settings)
  const pluginCase = kindOf(evalCase).pluginCase(evalCase)
  if ((pluginCase?.context.history ?? null) !== null && found.engine.resumesTranscripts !== true)
    return { skipped: `its history_file is a session of Claude Code, which ${found.engine.name} cannot resume` }
  const plugins = await asked.packages.pluginsOf(suite, evalCase)
  if (plugins.length > 1 && found.engine.loadsPlugins !== true)
    return { skipped: `it names several plugins, of which ${found.engine.name} can install only one` }
  const whole = await asked.packages.packageFor(suite, evalCase)
  const pkg = withoutArm(whole, evalCase, pluginCase !== null)
  requireSound(whole, evalCase, settings.root)
  await requireChecks(evalCase, suite.file, settings.root)
  const source = await chooseSource({ ...asked, ...named, settings })
  if (source.name === null) return { skipped: source.reason }
  const engine = withWire(found, source.model, suite)
  if (settings.dryRun) return { skipped: `dry run: ${engine.engine.name}, answered by ${source.name}` }
  if (source.model !== null && upstreamKind(source.answers) === 'live')
    requirePrice({ model: source.model, wire: engine.engine.wire }, settings)

  const scenario = source.scenario?.file ?? null
  const inputs = await collectInputs(
    { suite, evalCase, package: pkg, plugins, scenario, scripts: scriptFiles(evalCase.checks) },
    asked.inputs,
  )
  const sandbox = sandboxOf(engine, settings, source, inputs)
  const request: AgentRequest = {
    label: asked.label,
    engine,
    package: asked.sabotages === undefined ? pkg : withIdleHooks(pkg, asked.sabotages),
    suite,
    evalCase,
    source: source.answers,
    model: source.model,
    deadlineMs: caseTimeout(suite, evalCase, settings) * 1000,
    sandbox,
    controlSocket: settings.controlSocket,
    inputs: asked.inputs,
    keepWorkspace: settings.keepWorkspace,
    project: settings.root,
    pluginCase,
    plugins,
    pluginEval: settings,
    projectCopy: settings.projectCopy,
    scenarios: settings.scenarios,
    signal: asked.signal,
  }
  return {
    request,
    // A run that may not go live in this sandbox stays stale instead.
    source: isProgram(engine) && 'code' in settings.sandbox ? { ...source, whenStale: null } : source,
    inputs,
    findings: engineFindings(engine, sandbox),
  }
}

function withoutArm(whole: AgentPackage, { arm, target }: EvalCase, isPlugin: boolean): AgentPackage {
  if (arm === undefined) return whole
  if (isPlugin) return leaveOutPlugin(whole)
  return target === null ? whole : leaveOutSkill(whole, target.name)
}

function sandboxOf(
  engine: FoundEngine,
  { root, sandbox }: RunSettings,
  source: PlayedSource,
  inputs: readonly Input[],
): SandboxDecision {
  // Where nothing is started there is nothing to confine.
  if (!isProgram(engine))
    return { asked: 'asked' in sandbox ? sandbox.asked : 'auto', backend: 'none', enforced: NO_PROGRAM, notice: null }
  if (!('code' in sandbox)) return sandbox
  if (sandbox.ownRepository === null || isLive(source)) throw new AgentEvalsError(sandbox.code, sandbox.message)
  const answers = source.recording === null ? [] : [source.recordingFile]
  const foreign = findForeignFile(root, [...answers, ...inputs.map(({ file }) => file)])
  if (foreign === null) return sandbox.ownRepository
  const why = `Only recordings and scenarios of your own project run without one, and ${pathFrom(root, foreign)} is not part of it: that is the git work tree, or the Vitest root where there is none, without node_modules.`
  throw new AgentEvalsError(sandbox.code, `${sandbox.message} ${why}`)
}

function isLive({ answers }: PlayedSource): boolean {
  return answers.kind === 'live' || (answers.kind === 'record' && answers.upstream.kind === 'live')
}

const NO_PROGRAM = 'none (no program is started)'
