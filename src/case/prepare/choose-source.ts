import { dirname } from 'node:path'
import { kindOf as kindOfCheck } from '../../checks/checks.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { CasePart, EvalCase, Suite } from '../../formats/suite.ts'
import { credentialVariable, hasAnyCredential, hasCredential } from '../../gateway/credentials.ts'
import type { UpstreamSource, WireName } from '../../gateway/leases/lease.ts'
import { loadScenario } from '../../gateway/sources/load-scenario.ts'
import type { Scenario } from '../../gateway/sources/scenario-file.ts'
import { formatIssue } from '../../lib/documents/document.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { sha256 } from '../../lib/sha256.ts'
import type { RunSettings } from '../../options/settings.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { AgentPackage, PackageFinding } from '../../packages/package.ts'
import type { Recording } from '../../recordings/recording.ts'
import { isChangedSince } from '../../recordings/reference.ts'
import { isModelOf, readRecording, recordingFile, recordingFileFor, type RecordingKey } from '../../recordings/store.ts'
import { rerunCommand, type RerunSource } from '../../report/rerun-command.ts'
import type { CaseResult } from '../../report/results/result.ts'
import { replayAnswers, type CaseSource, type RecordLive } from '../replay/run-recorded.ts'
import { describeScenarioPlace, findScenario, isScenarioChanged } from './find-scenario.ts'

/** Where a case's answers come from, or why it is not run. */
export type ChosenSource = CaseSource | { readonly name: null; readonly reason: string }

/** The case that is asked for. */
export interface SourceRequest {
  readonly suite: Pick<Suite, 'before' | 'file' | 'format' | 'packageRoot'>
  readonly evalCase: CasePart<'arm' | 'at' | 'id' | 'model' | 'prompt'> & Partial<Pick<EvalCase, 'name' | 'sharesLine'>>
  /** Which of the case's runs, from 1. Default: the only one. */
  readonly run?: number
  readonly engineName: string
  readonly wire: WireName
  /** Model that a scenario is played with where neither it nor anybody else names one. */
  readonly scenarioModel?: string | undefined
  readonly settings: RunSettings
}

/**
 * Chooses where a case's answers come from. A recording is played before a scenario. `record` and `live` ask the model
 * also where a scenario exists.
 *
 * @throws {AgentEvalsError} `invalid-scenario`; `recording-invalid`; `missing-answers` where nothing may be spent and
 * there is nothing to play; `recording-changed` where its recording or scenario is not believed.
 */
export async function chooseSource(request: SourceRequest): Promise<ChosenSource> {
  const { settings } = request
  const scenarioFile = findScenario(request)
  const scenario = scenarioFile === null ? null : await readScenario(scenarioFile, settings.root)
  const file = recordingFileFor(placeOf(request), request.evalCase, settings.model)
  const changed = findChanged(request, file)
  const isUnread = changed !== null || settings.source === 'live' || settings.trial !== null
  const recording = isUnread ? null : readForSource(file, request)
  const { asked: askedModel, given: givenModel } = recording?.model ?? { asked: null, given: null }
  const isLive = recording !== null && recording.origin !== 'scenario'
  // An engine whose tools depend on the model has to be asked for the model of the scenario.
  const played =
    scenario === null || request.scenarioModel === undefined ? null : (scenario.model ?? request.scenarioModel)
  const live: RecordLive = {
    answers: { kind: 'record', upstream: { kind: 'live' } },
    model: settings.model ?? (isLive ? (givenModel ?? askedModel) : null),
  }
  const shared = {
    scenario:
      scenario === null || scenarioFile === null ? null : { file: scenarioFile, hash: hashOfScenario(scenario) },
    recordingFile: file,
    recording: null,
    whenStale: null,
    rejudge: null,
    recordCommand: commandOf(request, 'record'),
  }

  if (settings.source === 'live') return { ...shared, name: 'live', answers: { kind: 'live' }, model: settings.model }
  if (settings.source === 'record') {
    if (scenario === null || changed !== null || !recordsScenarios()) return { ...shared, ...live, name: 'record' }
    const answers = { kind: 'record', upstream: { kind: 'scenario', scenario } } as const
    return { ...shared, name: 'record', answers, model: live.model ?? played }
  }

  if (changed !== null)
    return runChanged(request, changed, { ...shared, name: 'live', answers: { kind: 'live' }, model: settings.model })
  const forbidden = whyNotLive(request, settings.liveBlockedReason)
  const isOtherModel = isLive && settings.model !== null && !isModelOf(recording, settings.model)
  if (recording !== null && !isOtherModel) {
    const answers = replayAnswers(recording)
    const model = isLive
      ? (askedModel ?? givenModel)
      : (settings.model ?? (request.scenarioModel === undefined ? null : askedModel))
    const whenStale = forbidden === null && scenario === null ? live : null
    const rejudge = whoRejudges(settings, isLive ? null : scenario, forbidden)
    return { ...shared, name: 'replay', answers, model, recording, whenStale, rejudge }
  }
  if (scenario !== null) {
    return { ...shared, name: 'scenario', answers: { kind: 'scenario', scenario }, model: settings.model ?? played }
  }
  // One file is one run for one model: another model is not recorded unless that was asked for.
  if (forbidden === null && (isOtherModel || settings.trial !== null))
    return { ...shared, name: 'live', answers: { kind: 'live' }, model: settings.model }
  if (forbidden === null) return { ...shared, ...live, name: 'record' }
  return refuse(request, forbidden, isOtherModel ? recording : null)
}

/**
 * Tells if `record` takes scenarios for the model. The scripts and tests of this repository set the variable, to make
 * recordings without a key; the recordings name the scenario as their origin.
 */
export function recordsScenarios(): boolean {
  return process.env['VITEST_AGENT_EVALS_RECORD_SCENARIOS'] === '1'
}

// Writes a new judgement into the recording, so it is made only where that may be written. `scenario` is the one that the
// recording was made of.
function whoRejudges(
  settings: RunSettings,
  scenario: Scenario | null,
  forbidden: string | null,
): UpstreamSource | null {
  if (settings.source === 'replay' || settings.liveBlockedReason !== null) return null
  if (scenario !== null) return { kind: 'scenario', scenario }
  return forbidden === null ? { kind: 'live' } : null
}

/** Absolute path of the folder of a case's recordings, of all engines and runs. */
export function recordingFolder(request: Omit<SourceRequest, 'settings' | 'wire'>): string {
  return dirname(recordingFile(placeOf(request)))
}

function placeOf({ suite, evalCase, engineName, run = 1 }: Omit<SourceRequest, 'settings' | 'wire'>): RecordingKey {
  return {
    // Each version has recordings of its own.
    packageRoot: suite.before?.packageRoot ?? suite.packageRoot,
    format: suite.format,
    suite: pathFrom(suite.packageRoot, suite.file),
    caseId: kindOf(evalCase).slug(evalCase),
    engine: engineName,
    arm: evalCase.arm ?? 'with_skill',
    run,
  }
}

// A recording that cannot be read is no reason not to make a new one.
function readForSource(file: string, request: SourceRequest): Recording | null {
  try {
    return readRecording(file)
  } catch (error) {
    if (request.settings.source === 'record') return null
    if (!(error instanceof AgentEvalsError)) throw error
    const remedy = `Record it again: ${commandOf(request, 'record')}`
    throw new AgentEvalsError(error.code, error.message, { remedy, cause: error.cause })
  }
}

function whyNotLive({ wire, settings }: SourceRequest, blocked: string | null): string | null {
  if (settings.source === 'replay') return 'source is "replay", which never calls a model'
  return blocked ?? (hasCredential(wire, process.env) ? null : `no credential is set; set ${credentialVariable(wire)}`)
}

function findChanged(request: SourceRequest, recording: string): 'recording' | 'scenario' | null {
  const { requireLive } = request.settings
  if (requireLive === undefined) return null
  if (isChangedSince(requireLive, recording)) return 'recording'
  return isScenarioChanged(requireLive, request) ? 'scenario' : null
}

// Whoever changed one of the two would decide what the model seems to say: neither stands for the model then.
function runChanged(request: SourceRequest, changed: string, live: CaseSource): CaseSource {
  const { ref, blockedReason } = request.settings.requireLive ?? { ref: '', blockedReason: null }
  const forbidden = whyNotLive(request, blockedReason)
  if (forbidden === null) return live
  throw new AgentEvalsError(
    'recording-changed',
    `Its ${changed} differs from the one at ${ref}, so the case must run live; ${forbidden}. Run it live: ${commandOf(request, 'live')}`,
  )
}

function refuse(request: SourceRequest, forbidden: string, other: Recording | null): ChosenSource {
  const { settings } = request
  const missing =
    other === null
      ? `${WITHOUT_RECORDING}, and no scenario at ${describeScenarioPlace(request)}`
      : `Its recording is of ${other.model.observed ?? other.model.asked ?? 'another model'}, not of ${settings.model ?? ''}`
  const source = other === null ? 'record' : 'live'
  const remedy = `Run it live: ${commandOf(request, source)}`
  if (settings.source === 'auto' && settings.onMissingAnswers === 'skipped')
    return { name: null, reason: `${missing}; ${forbidden}. ${remedy}` }
  // Where its scenario would be differs from case to case.
  const message = other === null ? `${WITHOUT_RECORDING} and no scenario; ${forbidden}.` : `${missing}; ${forbidden}.`
  const place = other === null ? [`Its scenario would be ${describeScenarioPlace(request)}.`] : []
  throw new AgentEvalsError('missing-answers', message, { remedy: [...place, remedy].join('\n') })
}

/** Whether a case was left out for want of a recording. */
export function lacksRecording({ outcome, reason }: Pick<CaseResult, 'outcome' | 'reason'>): boolean {
  return outcome === 'skipped' && reason !== null && reason.startsWith(WITHOUT_RECORDING)
}

const WITHOUT_RECORDING = 'It has no recording'

function commandOf({ suite, evalCase, engineName, settings }: SourceRequest, source: RerunSource): string {
  const file = pathFrom(settings.root, suite.file)
  const { at, model, name, sharesLine } = evalCase
  return rerunCommand(
    {
      file,
      at,
      engineName,
      name,
      ...(model === undefined ? {} : { model }),
      ...(sharesLine === undefined ? {} : { sharesLine }),
    },
    settings,
    source,
  )
}

async function readScenario(file: string, root: string): Promise<Scenario> {
  const { scenario, issues } = await loadScenario(file, pathFrom(root, file))
  if (scenario !== null) return scenario
  const errors = issues.filter((issue) => issue.severity === 'error')
  const [at] = errors
  throw new AgentEvalsError('invalid-scenario', errors.map((issue) => formatIssue(issue, root)).join('\n'), { at })
}

// What the judge is to say is recorded apart, and where a turn stands in the file is no matter.
function hashOfScenario({ model, turns, side }: Scenario): string {
  const text = JSON.stringify([model, turns, side], (key, value: unknown) => (key === 'line' ? undefined : value))
  return sha256(text)
}

/** Whether any case of a run could be answered by a live API. */
export function isLiveAllowed({
  source,
  liveBlockedReason,
  requireLive,
}: Pick<RunSettings, 'liveBlockedReason' | 'requireLive' | 'source'>): boolean {
  if (source !== 'auto') return source !== 'replay'
  return (liveBlockedReason === null || requireLive?.blockedReason === null) && hasAnyCredential(process.env)
}

/**
 * Refuses a case with a check that cannot be made, before anything is spent.
 *
 * @throws {AgentEvalsError} `invalid-check` with the place of each.
 */
export async function requireChecks({ checks }: Pick<EvalCase, 'checks'>, file: string, root: string): Promise<void> {
  const found = await Promise.all(
    checks.map(async (check) => ({ check, problem: (await kindOfCheck(check.kind)?.problem?.(check)) ?? null })),
  )
  const lines = found.flatMap(({ check: { kind, at }, problem }) =>
    problem === null ? [] : [`${pathFrom(root, file)}:${at.line}:${at.column} ${kind}: ${problem}`],
  )
  if (lines.length > 0) throw new AgentEvalsError('invalid-check', lines.join('\n'))
}

/**
 * Refuses a case whose subject is broken, before anything starts.
 *
 * @throws {AgentEvalsError} `missing-input` with every error that concerns the case.
 */
export function requireSound(
  { findings }: Pick<AgentPackage, 'findings'>,
  { target }: Pick<EvalCase, 'target'>,
  root: string,
): void {
  const concerns = ({ part }: PackageFinding): boolean =>
    part === null || (target !== null && part.kind === target.kind && part.name === target.name)
  const errors = findings.filter((finding) => finding.severity === 'error' && concerns(finding))
  if (errors.length > 0)
    throw new AgentEvalsError('missing-input', errors.map((finding) => formatIssue(finding, root)).join('\n'))
}
