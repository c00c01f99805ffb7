import { join, relative, resolve } from 'node:path'
import { kindOf } from '../../formats/kinds.ts'
import { TEST_FORMAT, toPathSegment } from '../../formats/paths.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { listEntries } from '../../lib/files.ts'
import { countOf, isJsonObject, objectOf, objectsOf, tryParseJson, type JsonObject } from '../../lib/json.ts'
import { countTo, sum, sumOf } from '../../lib/lists.ts'
import type { RunSettings } from '../../options/settings.ts'
import { packageRootOf, pathFrom } from '../../packages/package-root.ts'
import { readRecordingText, recordingFileFor, recordingsFolder } from '../../recordings/store.ts'
import type { PlannedCase } from '../../report/results/result.ts'
import { readShardTimes, type ShardTimes } from './shard-times.ts'

/** What the next run of cases is expected to take. Nothing of it is known by this machine alone. */
export interface ExpectedTimes {
  /** Where the times come from: the path as it was given, or `recordings`. */
  readonly origin: string
  /** Seconds of all runs of a case; `null`: unknown. */
  ofCase(suite: Suite, evalCase: EvalCase, planned: TimedCase): number | null
  /** Seconds of a file of tests in TypeScript, by its absolute path. */
  ofFile(file: string): number | null
}

/** What of a planned case finds its time. */
export type TimedCase = Pick<PlannedCase, 'engineName' | 'file' | 'id' | 'suite'> & { readonly runs: number }

/** What times depend on. */
export type TimeSettings = Pick<RunSettings, 'engine' | 'model' | 'root' | 'shardTimes' | 'source'>

/**
 * The times by which a run is cut into shards: those of the option `shardTimes`, else those of the recordings.
 *
 * @throws {AgentEvalsError} as {@link readShardTimes}.
 */
export function expectTimes(settings: TimeSettings): ExpectedTimes {
  const { root, shardTimes } = settings
  if (shardTimes === null) return recordedTimes(settings)
  const file = resolve(root, shardTimes)
  return { origin: pathFrom(root, file), ...writtenTimes(readShardTimes(file), root) }
}

function writtenTimes(times: ShardTimes, root: string): Omit<ExpectedTimes, 'origin'> {
  const below = (path: string): number | null => {
    const own = [...times].filter(([id]) => id === path || id.startsWith(`${path}#`))
    return own.length === 0 ? null : sumOf(own, ([, seconds]) => seconds)
  }
  return {
    ofCase: (_suite, _evalCase, { file, id, suite }) =>
      times.get(`${file}${id.slice(suite.length)}`) ?? times.get(id) ?? null,
    ofFile: (file) => below(pathFrom(root, file)) ?? below(pathFrom(packageRootOf(file, root), file)),
  }
}

function recordedTimes({ engine, model, root, source }: TimeSettings): ExpectedTimes {
  const isLive = source === 'live' || source === 'record'
  const read = isLive ? (one: JsonObject) => liveSeconds(one, source === 'record') : replaySeconds
  return {
    origin: 'recordings',
    ofCase(suite, evalCase, { engineName, runs }) {
      const { packageRoot, format, file } = suite
      const place = { packageRoot, format, suite: relative(packageRoot, file), engine: engineName }
      const known = countTo(runs).flatMap((run) => {
        const path = recordingFileFor({ ...place, caseId: kindOf(evalCase).slug(evalCase), run }, evalCase, model)
        return readSeconds(path, read) ?? []
      })
      // A run without a recording is one like the others.
      return known.length === 0 ? null : (sum(known) / known.length) * runs
    },
    ofFile(file) {
      const packageRoot = packageRootOf(file, root)
      const folder = recordingsFolder({ packageRoot, format: TEST_FORMAT, suite: relative(packageRoot, file) })
      const named = engine.environment ?? engine.option
      const start = named === null ? '' : `${toPathSegment(named)}.`
      const known = listEntries(folder, true).flatMap((entry) => {
        if (!entry.isFile() || !entry.name.startsWith(start) || !entry.name.endsWith('.json')) return []
        return readSeconds(join(entry.parentPath, entry.name), read) ?? []
      })
      return known.length === 0 ? null : sum(known)
    },
  }
}

// It is read for its times alone: the run reports what is wrong with it.
function readSeconds(path: string, read: (recording: JsonObject) => number | null): number | null {
  try {
    const value = tryParseJson(readRecordingText(path) ?? '')
    return isJsonObject(value) ? read(value) : null
  } catch (error) {
    if (error instanceof AgentEvalsError) return null
    throw error
  }
}

// What a scenario took says nothing of what a model will, but for recording it again.
function liveSeconds(recording: JsonObject, playsScenarios: boolean): number | null {
  if (recording['origin'] === 'scenario' && !playsScenarios) return null
  const { durationMs } = recording
  if (typeof durationMs === 'number') return countOf(durationMs) / 1000
  // Those of earlier versions have no time.
  const words = countOf(objectOf(recording['usage'])['outputTokens']) / TOKENS_A_SECOND
  return countRequests(recording) * SECONDS_A_REQUEST + words
}

// No model is waited for.
function replaySeconds(recording: JsonObject): number {
  return REPLAY_START + countRequests(recording) * REPLAYED_REQUEST
}

function countRequests(recording: JsonObject): number {
  return sumOf(objectsOf(recording['lanes']), ({ turns }) => objectsOf(turns).length)
}

// Rough, but only what is long beside what is short matters.
const SECONDS_A_REQUEST = 2
const TOKENS_A_SECOND = 60
const REPLAY_START = 1
const REPLAYED_REQUEST = 0.1
