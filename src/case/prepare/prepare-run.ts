import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describeLosses, isProgram, type FoundEngine } from '../../engines/find.ts'
import { isNativeProgram } from '../../engines/native-program.ts'
import { requireEngine } from '../../engines/registry.ts'
import { subjectOfSuite } from '../../formats/before.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { Engine } from '../../engines/engine.ts'
import type { SuiteCache } from '../../formats/format.ts'
import { leaveOutHooks, leaveOutPlugin, leaveOutSkill } from '../../formats/leave-out.ts'
import type { CaseMatter, EvalCase, Suite } from '../../formats/suite.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import { PLUGIN_FILE, pathFrom } from '../../packages/package-root.ts'
import { withIdleHooks, type AgentPackage } from '../../packages/package.ts'
import type { Input } from '../../recordings/input.ts'
import { findForeignFile } from '../../sandbox/prepare-session.ts'
import type { SandboxDecision } from '../../sandbox/sandbox.ts'
import type { AgentRequest } from '../../session/agent-request.ts'
import { whyUnanswered } from '../../session/answer-questions.ts'
import { collectInputs } from '../../session/inputs/collect.ts'
import type { InputCache } from '../../session/inputs/input-cache.ts'
import { scriptFiles } from '../assess/inspect-workspace.ts'
import { enginesOf } from '../plan/plan-case.ts'
import { caseTimeout } from '../plan/plan.ts'
import type { CaseSource, PreparedRun } from '../replay/run-recorded.ts'
import { chooseSource, requireChecks, requireSound } from './choose-source.ts'
import { hashSurroundings } from './surroundings.ts'
import { askedOf, findEngineOf, requirePrice, speaks, withWire } from './resolve-engine.ts'

/** A run that is asked for. */
interface RunToPrepare {
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
export async function prepareRun(run: RunToPrepare): Promise<PreparedRun | SkippedRun> {
  const { suite, evalCase } = run
  // Nothing is spent on one engine where another one was named that cannot run.
  const isBuiltIn = (name: string): boolean => !Object.hasOwn(run.settings.engineModules, name)
  const engines = enginesOf(suite, run.settings)
  for (const name of engines.filter(isBuiltIn)) requireEngine(name, [])
  const found = await findEngineOf(run.engineName, run.settings)
  const { settings, ...named } = askedOf(found.engine, run, run.settings)
  const { model } = evalCase
  // Each model is asked of each engine, where several of both are named.
  if (model !== undefined && engines.length > 1 && !speaks(found.engine, model))
    return { skipped: `${found.engine.name} does not ask for models such as ${model}` }
  requireTrust(evalCase, settings)
  const pluginCase = kindOf(evalCase).pluginCase(evalCase)
  if ((pluginCase?.context.history ?? null) !== null && found.engine.resumesTranscripts !== true)
    return { skipped: `its history_file is a session of Claude Code, which ${found.engine.name} cannot resume` }
  if ((evalCase.turns ?? []).length > 1 && !converses(found.engine))
    return { skipped: `it has several turns, and a session of ${found.engine.name} ends with the first one` }
  const subject = subjectOfSuite(suite, evalCase)
  const plugins = await run.packages.pluginsOf(...subject)
  if (plugins.length > 1 && found.engine.loadsPlugins !== true)
    return { skipped: `it names several plugins, of which ${found.engine.name} can install only one` }
  const whole = await run.packages.packageFor(...subject)
  const withHooks = withoutArm(whole, evalCase, pluginCase !== null)
  const pkg = kindOf(evalCase).question(evalCase) === null || settings.hooks ? withHooks : leaveOutHooks(withHooks)
  requireSound(whole, evalCase, settings.root)
  await requireChecks(evalCase, suite.file, settings.root)
  const source = await chooseSource({ ...run, ...named, settings })
  if (source.name === null) return { skipped: source.reason }
  const engine = withWire(found, source.model, evalCase)
  if (settings.dryRun) return { skipped: `dry run: ${engine.engine.name}, answered by ${source.name}` }
  if (source.model !== null && upstreamKind(source.answers) === 'live')
    requirePrice({ model: source.model, wire: engine.engine.wire }, settings)

  const scenario = source.scenario?.file ?? null
  const inputs = await collectInputs(
    { suite, evalCase, package: pkg, plugins, scenario, scripts: scriptFiles(evalCase.checks) },
    run.inputs,
  )
  const sandbox = sandboxOf(engine, settings, source, inputs)
  const request: AgentRequest = {
    label: run.label,
    engine,
    package: run.sabotages === undefined ? pkg : withIdleHooks(pkg, run.sabotages),
    suite,
    evalCase,
    source: source.answers,
    model: source.model,
    deadlineMs: caseTimeout(suite, evalCase, settings) * 1000,
    sandbox,
    controlSocket: settings.controlSocket,
    inputs: run.inputs,
    keepWorkspace: settings.keepWorkspace,
    project: settings.root,
    pluginCase,
    plugins,
    pluginEval: settings,
    projectCopy: settings.projectCopy,
    scenarios: settings.scenarios,
    signal: run.signal,
  }
  return {
    request,
    // A run that may not go live in this sandbox stays stale instead.
    source: isProgram(engine) && 'code' in settings.sandbox ? { ...source, whenStale: null } : source,
    inputs,
    surroundings: await hashSurroundings(request, inputs, evalCase, settings),
    findings: [
      ...engineFindings(engine, sandbox),
      ...leftOutHooks(withHooks, pkg),
      ...notAnswered(evalCase, engine, pkg),
    ],
  }
}

function converses(engine: Engine): boolean {
  return engine.resumes === true || engine.resumesKept === true || engine.dialogue !== undefined
}

function leftOutHooks({ hookGroups }: AgentPackage, reduced: AgentPackage): readonly string[] {
  if (reduced.hookGroups.length === hookGroups.length) return []
  const events = [...new Set(hookGroups.map(({ event }) => event))].join(', ')
  return [`The hooks of the package (${events}) are left out: hooks is false. In a session of its user they run.`]
}

function notAnswered(
  { answers }: Pick<EvalCase, 'answers'>,
  { engine }: FoundEngine,
  pkg: Pick<AgentPackage, 'hookGroups'>,
): readonly string[] {
  const why = answers === undefined ? null : whyUnanswered(engine, pkg)
  return why === null ? [] : [`The \`answers\` of the case are not given: ${why}.`]
}

function withoutArm(whole: AgentPackage, { arm, target }: EvalCase, isPlugin: boolean): AgentPackage {
  if (arm === undefined) return whole
  if (isPlugin) return leaveOutPlugin(whole)
  return target === null ? whole : leaveOutSkill(whole, target.name)
}

function sandboxOf(
  engine: FoundEngine,
  { before, root, sandbox }: RunSettings,
  source: CaseSource,
  inputs: readonly Input[],
): SandboxDecision {
  // Where nothing is started there is nothing to confine.
  if (!isProgram(engine))
    return { asked: 'asked' in sandbox ? sandbox.asked : 'auto', backend: 'none', enforced: NO_PROGRAM, notice: null }
  if (!('code' in sandbox)) return sandbox
  if (sandbox.ownRepository === null || isLive(source)) throw new AgentEvalsError(sandbox.code, sandbox.message)
  const answers = source.recording === null ? [] : [source.recordingFile]
  const foreign = findForeignFile(root, [...answers, ...inputs.map(({ file }) => file)], twinOf(before))
  if (foreign === null) return sandbox.ownRepository
  const why = `Only recordings and scenarios of your own project run without one, and ${pathFrom(root, foreign)} is not part of it: that is the git work tree, or the Vitest root where there is none, without node_modules.`
  throw new AgentEvalsError(sandbox.code, `${sandbox.message} ${why}`)
}

function isLive({ answers }: CaseSource): boolean {
  return answers.kind === 'live' || (answers.kind === 'record' && answers.upstream.kind === 'live')
}

const NO_PROGRAM = 'none (no program is started)'

/** What a run lacks for the version and the kind of its program, one sentence each. */
function engineFindings(found: FoundEngine, { backend }: Pick<SandboxDecision, 'backend'>): readonly string[] {
  if (!isProgram(found)) return []
  const { engine, executable } = found
  const isHidden = backend !== 'none' && engine.resolveExecutable !== undefined && !isNativeProgram(executable)
  const script = `${executable} is a script, and the program that it starts was not found. The sandbox contains only the script. Set \`engines: { '${engine.name}': PATH }\` in the plugin's options to the program itself.`
  return [...describeLosses(found), ...(isHidden ? [script] : [])]
}

/**
 * Refuses to run evals of a plugin, or scripts of a suite, that are not the user's own, unless the user trusts it: they run its code.
 *
 * @throws {AgentEvalsError} `untrusted-plugin`.
 */
export function requireTrust(
  evalCase: CaseMatter & Pick<EvalCase, 'checks'>,
  { before, root, trustPlugin }: Pick<RunSettings, 'before' | 'root' | 'trustPlugin'>,
): void {
  if (trustPlugin) return
  const scripts = scriptFiles(evalCase.checks).map(({ from }) => from)
  const { caseDir = [], pluginDirs = [] } = kindOf(evalCase).pluginCase(evalCase) ?? {}
  const files = [...[caseDir, pluginDirs].flat().map(someFile), ...scripts.filter((file) => existsSync(file))]
  const foreign = findForeignFile(root, files, twinOf(before))
  if (foreign === null) return
  const message = `${pathFrom(root, foreign)} is not in your repository, and its evals run its code. If you trust it, add --trust-plugin.`
  throw new AgentEvalsError('untrusted-plugin', message)
}

// A version of the user's own repository is as much their own.
function twinOf(before: RunSettings['before']): string | null {
  return before?.isOwn === true ? before.root : null
}

// The folder of a file says which repository it is in.
function someFile(folder: string): string {
  const files = [PLUGIN_FILE, 'plugin.json', 'SKILL.md', 'case.yaml', 'prompt.md'].map((name) => join(folder, name))
  return files.find((file) => existsSync(file)) ?? folder
}
