import { existsSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import type { Engine } from '../../engines/engine.ts'
import { engines } from '../../engines/registry.ts'
import { kindOf } from '../../formats/kinds.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { resolveAlias, type ModelPrices } from '../../gateway/budget/price.ts'
import { upstreamKind } from '../../gateway/leases/lease.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { countTo, sumOf } from '../../lib/lists.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { Recording } from '../../recordings/recording.ts'
import { isChangedSince, type AnswerReference } from '../../recordings/reference.ts'
import { changedInputs } from '../../recordings/stale.ts'
import { readRecording, recordingFileFor, recordingsFolder, type RecordingKey } from '../../recordings/store.ts'
import { readLastRuns, readPastRuns, type LastRun, type PastRun } from '../../report/results/past-runs.ts'
import { collectInputs, type InputsRequest } from '../../session/inputs/collect.ts'
import type { InputCache } from '../../session/inputs/input-cache.ts'
import { countRuns, identifyCase } from '../plan/plan-case.ts'
import type { CaseSource } from '../replay/run-recorded.ts'
import { recordsScenarios } from './choose-source.ts'
import { findScenario, isScenarioChanged, scenarioFolders } from './find-scenario.ts'
import { withModel } from './resolve-engine.ts'

/** What is known of a case before it runs. `null`: unknown. */
export interface ExpectedCase {
  readonly id: string
  readonly name: string
  readonly target: string | null
  /** Relative to the folder that is listed. */
  readonly file: string
  readonly line: number
  /** Where other cases start at its line. */
  readonly column: number | null
  readonly engine: string
  /** Id that a live run asks, where one was asked for; `null` where nothing goes live, or only the run will show it. */
  readonly model?: string | null
  readonly answers: 'live' | 'recording' | 'scenario'
  readonly runs: number
  /** Requests to a model, or to what stands in for it. */
  readonly calls: number | null
  readonly seconds: number | null
  /** US dollars of the next run: nothing for what is played. */
  readonly cost_usd: number | null
}

/** What a run depends on that is only expected. */
type Expecting = Pick<RunSettings, 'engine' | 'model' | 'prices' | 'root' | 'runs' | 'scenarios' | 'source'>

/** Says of each case what its next run will take, by the last reports or else by its recording. */
export function createExpectations(
  options: Expecting,
  believed: AnswerReference | null = null,
): (suite: Suite, evalCase: EvalCase) => ExpectedCase {
  const { root } = options
  const asksModels = options.source === 'live' || options.source === 'record'
  const lastRuns = remember<LastRun>(readLastRuns)
  const pastRuns = remember<PastRun>(readPastRuns)
  const settings = { root, scenarios: options.scenarios === null ? null : resolve(root, options.scenarios) }
  // Looked at once for a suite: most have neither.
  const folders = new Map<string, SuiteFolders>()

  return (suite, evalCase) => {
    const planned = identifyCase(suite, evalCase, { engine: options.engine, root })
    const { id, name, target, file, at, engineName: engine } = planned
    const has = folders.get(suite.file) ?? {
      recordings: existsSync(recordingsFolder(placeOf(suite))),
      scenarios: scenarioFolders({ suite, settings }).length > 0,
    }
    folders.set(suite.file, has)
    const runs = countRuns(evalCase, options)
    const kept = { suite, evalCase, engine, model: options.model }
    const played = { suite, evalCase, engineName: engine, settings }
    const isChanged =
      believed !== null &&
      countTo(runs).some(
        (run) => isChangedSince(believed, fileOf(kept, run)) || isScenarioChanged(believed, { ...played, run }),
      )
    const recording = has.recordings && !isChanged ? readKept(kept) : null
    const hasScenario = has.scenarios && findScenario(played) !== null
    const answers = isChanged ? 'live' : answersOf(recording, hasScenario, options.source)
    const times = (amount: number | null | undefined): number | null => (amount == null ? null : amount * runs)
    const last = lastRuns(suite.packageRoot, engine).get(id)
    const past = pastRuns(suite.packageRoot, engine).get(id)
    const isLive = answers === 'live'
    // What a scenario took says nothing of what a model will.
    const measured = isLive && recording?.origin === 'scenario' ? null : recording
    const lastLike = last !== undefined && (!isLive || last.isLive) ? last : null
    return {
      id,
      name,
      target,
      file,
      line: at.line,
      column: evalCase.sharesLine === true ? at.column : null,
      engine,
      ...(asksModels ? { model: isLive ? modelOf({ ...kept, recording }, options) : null } : {}),
      answers,
      runs,
      calls: times(measured === null ? lastLike?.calls : callsOf(measured)),
      seconds: (isLive ? past?.durationSeconds : lastLike?.durationSeconds) ?? null,
      cost_usd: isLive ? times(costOfRun(past, measured).usd) : 0,
    }
  }
}

interface SuiteFolders {
  readonly recordings: boolean
  readonly scenarios: boolean
}

function placeOf({ packageRoot, format, file }: Suite): Pick<RecordingKey, 'format' | 'packageRoot' | 'suite'> {
  return { packageRoot, format, suite: relative(packageRoot, file) }
}

/** What one live run of a case costs, by earlier ones. */
export interface CostOfRun {
  /** US dollars; `null` where a part of it is unknown. */
  readonly usd: number | null
  /** Those of what is known. */
  readonly knownUsd: number
}

/** Says what one live run of a case costs, by the last report that has one, or else by its recording. */
export function createCosts(): (id: string, recorded: RecordedCase) => CostOfRun {
  const pastRuns = remember<PastRun>(readPastRuns)
  return (id, recorded) => costOfRun(pastRuns(recorded.suite.packageRoot, recorded.engine).get(id), readKept(recorded))
}

function costOfRun(past: PastRun | undefined, recording: Recording | null): CostOfRun {
  if (past?.costUsd != null) return { usd: past.costUsd, knownUsd: past.costUsd }
  // What a scenario took says nothing of what a model will.
  const usd = recording === null || recording.origin === 'scenario' ? null : recording.costUsd
  // A recording has the cost of its agent alone.
  return { usd: recording?.judge === null ? usd : null, knownUsd: usd ?? 0 }
}

// As a run chooses. An engine of the user's own is loaded by a run alone.
function modelOf(
  { evalCase, engine: name, recording }: RecordedCase & { readonly recording: Recording | null },
  options: Expecting,
): string | null {
  const engine = Object.hasOwn(engines, name) ? engines[name] : undefined
  const named =
    engine === undefined ? (evalCase.model ?? options.model) : withModel(engine, { evalCase }, options).model
  const isKept = options.source === 'record' && recording !== null && recording.origin !== 'scenario'
  return liveModelOf(
    engine,
    named ?? (isKept ? (recording.model.given ?? recording.model.asked) : null),
    options.prices,
  )
}

/** The id of the model that an engine is asked for: an alias stands for what the gateway makes of it. `null`: unknown. */
export function liveModelOf(
  engine: Pick<Engine, 'defaultModel'> | undefined,
  named: string | null,
  prices: ModelPrices,
): string | null {
  const name = named ?? engine?.defaultModel ?? null
  return name === null ? null : resolveAlias(name, prices)
}

type ReadRuns<T> = (packageRoot: string, engineName: string) => ReadonlyMap<string, T>

function remember<T>(read: ReadRuns<T>): ReadRuns<T> {
  const cached = new Map<string, ReadonlyMap<string, T>>()
  return (packageRoot, engineName) => {
    const key = JSON.stringify([packageRoot, engineName])
    const runs = cached.get(key) ?? read(packageRoot, engineName)
    cached.set(key, runs)
    return runs
  }
}

// Answers as `chooseSource` does.
function answersOf(
  recording: Recording | null,
  hasScenario: boolean,
  source: RunSettings['source'],
): ExpectedCase['answers'] {
  if (source === 'live') return 'live'
  if (source === 'record') return hasScenario && recordsScenarios() ? 'scenario' : 'live'
  return recording !== null ? 'recording' : hasScenario ? 'scenario' : 'live'
}

interface RecordedCase {
  readonly suite: Suite
  readonly evalCase: EvalCase
  readonly engine: string
  /** As the user names it. */
  readonly model: string | null
}

function fileOf({ suite, evalCase, engine, model }: RecordedCase, run: number): string {
  const key = { ...placeOf(suite), caseId: kindOf(evalCase).slug(evalCase), engine, run }
  return recordingFileFor(key, evalCase, model)
}

function readKept(recorded: RecordedCase): Recording | null {
  try {
    return readRecording(fileOf(recorded, 1))
  } catch (error) {
    // Lint and the run report a broken recording.
    if (error instanceof AgentEvalsError) return null
    throw error
  }
}

function callsOf({ lanes: threads }: Recording): number {
  return sumOf(threads, ({ turns }) => turns.length)
}

/**
 * Whether a case that is played from a recording may ask a model all the same: a file has changed of which its model saw a
 * text, or what its judge is asked. Only the replay shows whether it does.
 *
 * @param judge - model of the judge; `null` where none is known before the run.
 */
export async function mayGoLive(
  { recording, whenStale, rejudge }: Pick<CaseSource, 'recording' | 'rejudge' | 'whenStale'>,
  request: InputsRequest,
  judge: string | null,
  cache: InputCache,
): Promise<boolean> {
  if (recording === null) return false
  const mayRecord = whenStale !== null && upstreamKind(whenStale.answers) === 'live'
  const mayJudge = rejudge?.kind === 'live' && recording.judge !== null
  if (!mayRecord && !mayJudge) return false
  if (mayJudge && judge !== null && judge !== recording.judge?.hash.model) return true
  const changed = changedInputs(recording, await collectInputs(request, cache))
  const seen = recording.lanes.flatMap(({ turns }) => turns.flatMap(({ sees }) => sees.map(({ path }) => path)))
  return (
    (mayRecord && seen.some((path) => changed.has(path))) ||
    (mayJudge && recording.inputs.some(({ path, role }) => QUESTIONS.has(role) && changed.has(path)))
  )
}

/** Files that hold what a judge is asked. */
const QUESTIONS: ReadonlySet<string> = new Set(['case', 'config'])
