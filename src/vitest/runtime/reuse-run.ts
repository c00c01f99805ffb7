import { join } from 'node:path'
import { isSameJudge } from '../../recordings/judge-part.ts'
import { readRecording } from '../../recordings/store.ts'
import { createJudgeRecorder } from '../../case/judge/judge-recorder.ts'
import { resultKey } from '../../case/result/result-key.ts'
import { readTestRun, storeTestRun, type StoredTestRun } from '../../case/stored-test-run.ts'
import { linkRun, type RunLink } from '../matchers/run-link.ts'
import { sha256 } from '../../sha256.ts'
import type { RunWithFiles } from '../../transcript/agent-run.ts'
import type { UpstreamSource } from '../../gateway/leases/lease.ts'
import type { JudgeHash, RecordedJudge, Recording } from '../../recordings/recording.ts'
import type { EarlierResults } from '../../report/fold/earlier-results.ts'
import type { Redactor } from '../../results/redact.ts'
import type { JudgeSupply } from '../../case/judge/judge-case.ts'
import type { Run } from '../../case/context.ts'
import type { EvalCase } from '../../suites/suite.ts'
import type { TestRecord } from './test-record.ts'
import type { PreparedRun } from '../../replay/prepared-run.ts'

/** A run that an unfinished run of Vitest has left, of a test that it had finished. */
export interface ReusedRun {
  readonly stored: StoredTestRun
  /** Folder of its evidence: absolute, and relative to the Vitest root. */
  readonly path: string
  readonly folder: string
  /** Name of the run that made it. */
  readonly from: string
}

/** Hash of everything that decides how a run comes out, the run that it goes on with included. */
export function testRunKey(asked: Run, prepared: PreparedRun, parent: string | null): string {
  const own = resultKey(asked, prepared)
  return parent === null ? own : sha256(`${parent} ${own}`)
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
export interface AskedAgain {
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
