import { join } from 'node:path'
import type { TestContext } from 'vitest'
import type { Run, RunContext } from '../../case/context.ts'
import type { JudgeSupply } from '../../case/judge/judge-case.ts'
import { createJudgeRecorder } from '../../case/judge/judge-recorder.ts'
import { enginesOf } from '../../case/plan/plan-case.ts'
import type { PreparedRun } from '../../case/replay/run-recorded.ts'
import { steadyNow } from '../../case/result/build-result.ts'
import { resultKey } from '../../case/result/result-key.ts'
import { prepare } from '../../case/execute.ts'
import { readTestRun, storeTestRun, type StoredTestRun } from '../../case/stored-test-run.ts'
import { parseRubric } from '../../formats/golden/rubric.ts'
import { DEFAULT_ENGINE, type EvalCase } from '../../formats/suite.ts'
import type { UpstreamSource } from '../../gateway/leases/lease.ts'
import type { Redactor } from '../../gateway/redact.ts'
import { sha256 } from '../../lib/sha256.ts'
import { nearest } from '../../options/option.ts'
import type { RunSettings } from '../../options/settings.ts'
import { isSameJudge, type JudgeHash, type RecordedJudge, type Recording } from '../../recordings/recording.ts'
import { readRecording } from '../../recordings/store.ts'
import type { EarlierResults } from '../../report/fold/earlier-results.ts'
import type { RunWithFiles } from '../../transcript/transcript.ts'
import { linkRun, type RunLink } from '../matchers/received.ts'
import { applyChoices } from './agent-options.ts'
import { describeRun, type AskedRun } from './describe-run.ts'
import type { TestRecord } from './test-record.ts'
import { workerState } from './worker-state.ts'

/** A run that an unfinished run of Vitest has left, of a test that it had finished. */
interface ReusedRun {
  readonly stored: StoredTestRun
  /** Folder of its evidence: absolute, and relative to the Vitest root. */
  readonly path: string
  readonly folder: string
  /** Name of the run that made it. */
  readonly from: string
}

/** Hash of everything that decides how a run comes out, the run that it goes on with included. */
function testRunKey(run: Run, prepared: PreparedRun, parent: string | null): string {
  const ownKey = resultKey(run, prepared)
  return parent === null ? ownKey : sha256(`${parent} ${ownKey}`)
}

/** Finds the run of an earlier Vitest that replaces this one; `null` when it has to be made. */
export function findReusedRun(earlier: EarlierResults | undefined, key: string, root: string): ReusedRun | null {
  const found = earlier?.findRun(key) ?? null
  if (found === null) return null
  const path = join(root, found.folder)
  const stored = readTestRun(path)
  return stored === null ? null : { ...found, path, stored: { ...stored, run: { ...stored.run, costUsd: 0 } } }
}

/** What is known of a run that is asked for. */
interface AskedAgain {
  readonly index: number
  readonly evalCase: EvalCase
  readonly key: string
  readonly record: TestRecord
  readonly prepared: PreparedRun
  readonly linked: Omit<RunLink, 'continuable' | 'files' | 'judge' | 'keepJudgement'>
  readonly redactor: Redactor
}

/** Takes a run over: the test goes on as if it had just been made. */
export function reuseRun(
  { stored, path, folder, from: reusedFrom }: ReusedRun,
  { index, evalCase, key, record, prepared, linked, redactor }: AskedAgain,
): RunWithFiles {
  const { run, files, recorded, source, notices } = stored
  const { inputs, request } = prepared
  const recording = prepared.source.recording ?? recordingOf(stored, prepared.source.recordingFile)
  const upstream = upstreamOf(prepared)
  record.runs.push({ index, evalCase, run, source, recorded, inputs, notices, folder, key, reusedFrom })
  const judges =
    recording === null || upstream === null
      ? createJudgeRecorder({ recording, upstream }, prepared.source)
      : createJudgeRecorder({ recording, upstream: null }, { ...prepared.source, rejudge: upstream })
  const store = storeTestRun(path, stored, redactor)
  return linkRun(run, {
    ...linked,
    files,
    continuable: { request, outcome: { recording, run, upstream }, workspace: null, key, isContinued: false },
    judge: withStored(judges.supply, stored, path),
    async keepJudgement(_exchanges, toRecord) {
      judges.keep(toRecord)
      await store.add(toRecord)
    },
  })
}

// The one that was made of the run. Where it is gone, or another run was recorded since, nothing is added to it.
function recordingOf({ recorded }: StoredTestRun, file: string): Recording | null {
  if (recorded === null) return null
  try {
    const found = readRecording(file)
    return found?.recordedAt === recorded.at ? found : null
  } catch {
    return null
  }
}

function upstreamOf({ source: { answers } }: PreparedRun): UpstreamSource | null {
  if (answers.kind === 'replay') return null
  return answers.kind === 'record' ? answers.upstream : answers
}

// Answers about a live run are repeated; only new questions cost anything.
function withStored(supply: JudgeSupply, { judges }: StoredTestRun, file: string): JudgeSupply {
  if (supply.kind !== 'live') return supply
  const find = (hash: JudgeHash): RecordedJudge | null => judges.find((one) => isSameJudge(one.hash, hash)) ?? null
  return { kind: 'recording', file, find, upstream: supply, advice: '' }
}

/** A run of a test that can start. */
export interface StartingRun {
  readonly record: TestRecord
  readonly state: RunContext
  readonly run: Run
  readonly prepared: PreparedRun
  readonly key: string
  readonly linked: AskedAgain['linked']
}

/** Prepares a run of a test; skips the test where the run cannot be made. */
export async function prepareTestRun(
  askedRun: AskedRun,
  record: TestRecord,
  context: Pick<TestContext, 'signal' | 'skip' | 'task'>,
  provided: RunSettings,
): Promise<StartingRun> {
  const { chosen, index } = askedRun
  const { signal, task } = context
  const state = workerState(provided)
  const settings = await applyChoices(provided, chosen)
  const { suite, evalCase } = await describeRun(record, askedRun, settings)
  const label = index === 1 ? record.planned.id : `${record.planned.id} (run ${index})`
  const ofTest = enginesOf(suite, settings).length === 0 ? null : record.planned.engineName
  const engineName = ofTest ?? nearest(settings.engine, chosen.engine ?? suite.config.engine, DEFAULT_ENGINE)
  const run: Run = {
    suite,
    evalCase,
    signal,
    label,
    settings,
    index,
    recorded: askedRun.run,
    planned: { ...record.planned, engineName },
    startedAt: steadyNow(),
  }
  const prepared = await prepare(state, run)
  if ('skipped' in prepared) return context.skip(prepared.skipped)
  if (askedRun.parent !== null && prepared.request.engine.engine.resumes !== true)
    return context.skip(`${engineName} cannot continue a session`)

  const key = testRunKey(run, prepared, askedRun.parent?.key ?? null)
  const linked = { task, record, settings, suite, evalCase, chosen, label, parseRubric, judgeAnswersUsed: 0, signal }
  return { record, state, run, prepared, key, linked }
}
