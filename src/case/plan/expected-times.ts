import { join, relative, resolve } from 'node:path'
import { kindOf } from '../../formats/kinds.ts'
import { TEST_FORMAT, toPathSegment } from '../../formats/paths.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { AgentEvalsError, messageOf, withoutStack } from '../../lib/errors.ts'
import { listEntries, codeOf, readTextFile } from '../../lib/files.ts'
import {
  countOf,
  isJsonObject,
  objectOf,
  objectsOf,
  tryParseJson,
  type JsonObject,
  type JsonValue,
} from '../../lib/json.ts'
import { countTo, sum, sumOf } from '../../lib/lists.ts'
import type { RunSettings } from '../../options/settings.ts'
import { packageRootOf, pathFrom } from '../../packages/package-root.ts'
import { readRecordingText, recordingFileFor, recordingsFolder } from '../../recordings/store.ts'
import type { PlannedCase } from '../../report/results/result.ts'
import { errorAt, formatIssue, type FieldPath, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readJson } from '../../lib/documents/read-json.ts'

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
    const matching = [...times].filter(([id]) => id === path || id.startsWith(`${path}#`))
    return matching.length === 0 ? null : sumOf(matching, ([, seconds]) => seconds)
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
      const key = { packageRoot, format, suite: relative(packageRoot, file), engine: engineName }
      const recorded = countTo(runs).flatMap((run) => {
        const path = recordingFileFor({ ...key, caseId: kindOf(evalCase).slug(evalCase), run }, evalCase, model)
        return readSeconds(path, read) ?? []
      })
      // A run without a recording is one like the others.
      return recorded.length === 0 ? null : (sum(recorded) / recorded.length) * runs
    },
    ofFile(file) {
      const packageRoot = packageRootOf(file, root)
      const folder = recordingsFolder({ packageRoot, format: TEST_FORMAT, suite: relative(packageRoot, file) })
      const named = engine.environment ?? engine.option
      const start = named === null ? '' : `${toPathSegment(named)}.`
      const recorded = listEntries(folder, true).flatMap((entry) => {
        if (!entry.isFile() || !entry.name.startsWith(start) || !entry.name.endsWith('.json')) return []
        return readSeconds(join(entry.parentPath, entry.name), read) ?? []
      })
      return recorded.length === 0 ? null : sum(recorded)
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

/** Seconds by id of a case or test. Where the file says it, the id starts with the path from the Vitest root. */
export type ShardTimes = ReadonlyMap<string, number>

/**
 * Reads the expected times of cases: from a report of ours, or from an object of seconds by id.
 *
 * @param path - absolute path.
 * @throws {AgentEvalsError} `missing-input` where there is none; `invalid-options` for anything else than such a file,
 * with line, column and field of the first mistake.
 */
export function readShardTimes(path: string): ShardTimes {
  const text = readTimes(path)
  const value = tryParseJson(text)
  const found = value === undefined ? NO_OBJECT : timesIn(value)
  if (found instanceof Map) return found
  // Places are only of use where something is wrong, and cost ten times as much to find.
  const document = readJson(text, { file: path, what: 'times', maxLength: text.length })
  throw refused(path, document.issues[0] ?? issueOf(document, found))
}

interface Mistake {
  readonly at: FieldPath
  readonly message: string
}

const NO_OBJECT: Mistake = { at: [], message: 'expected a report, or an object of seconds by id of the case' }

function timesIn(value: JsonValue): Map<string, number> | Mistake {
  if (!isJsonObject(value)) return NO_OBJECT
  const { cases } = value
  const entries: readonly (readonly [FieldPath, JsonValue | undefined])[] = Array.isArray(cases)
    ? cases.map((one: JsonValue, index) => [['cases', index], one])
    : Object.entries(value).map(([id, seconds]) => [[id], seconds])
  const times = new Map<string, number>()
  for (const [at, entry] of entries) {
    const [id, seconds] = Array.isArray(cases) ? timeOfCase(entry, at) : [String(at[0]), secondsAt(entry, at)]
    if (typeof seconds === 'object' && seconds !== null) return seconds
    // Of a test that two engines ran, the longer one counts.
    if (seconds !== null) times.set(id, Math.max(seconds, times.get(id) ?? 0))
  }
  return times
}

// What its runs took: the time of the case also has what it waited for a place.
function timeOfCase(
  entry: JsonValue | undefined,
  at: FieldPath,
): readonly [id: string, seconds: number | Mistake | null] {
  if (!isJsonObject(entry)) return ['', { at, message: 'expected a case of a report' }]
  const { id, verdict, runs, duration_seconds: whole } = entry
  if (typeof id !== 'string') return ['', { at: [...at, 'id'], message: 'expected the id of a case' }]
  if (verdict === 'SKIP') return [id, null]
  const seconds = secondsAt(whole ?? null, [...at, 'duration_seconds'])
  const ofRuns = (Array.isArray(runs) ? runs : []).map((run: JsonValue, index) =>
    secondsAt((isJsonObject(run) ? run['duration_seconds'] : null) ?? null, [...at, 'runs', index, 'duration_seconds']),
  )
  const wrong = [seconds, ...ofRuns].find((one) => typeof one === 'object' && one !== null)
  if (wrong !== undefined) return [id, wrong]
  const measured = ofRuns.filter((one) => typeof one === 'number')
  return [fromRoot(id, entry), measured.length > 0 ? sum(measured) : seconds]
}

// The ids of two packages may be the same.
function fromRoot(id: string, { file, suite }: JsonObject): string {
  const isPlaced = typeof file === 'string' && typeof suite === 'string' && id.startsWith(`${suite}#`)
  return isPlaced ? `${file}${id.slice(suite.length)}` : id
}

function secondsAt(value: JsonValue | undefined, at: FieldPath): number | Mistake | null {
  if (value === null) return null
  if (typeof value === 'number' && value >= 0 && value <= MOST_SECONDS) return value
  return { at, message: `expected seconds, from 0 to ${MOST_SECONDS}` }
}

// Nothing that runs as a test takes a year; sums of what is larger would not be exact.
const MOST_SECONDS = 31_536_000

function issueOf(document: ReadDocument, { at, message }: Mistake): Issue {
  return errorAt(document, at, 'invalid-value', message)
}

function readTimes(path: string): string {
  try {
    return readTextFile(path)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT')
      throw withoutStack(
        new AgentEvalsError('missing-input', `There is no file of times at ${path}, which shardTimes names.`),
      )
    throw withoutStack(new AgentEvalsError('invalid-options', `Cannot read the file of times: ${messageOf(cause)}.`))
  }
}

function refused(path: string, issue: Issue): AgentEvalsError {
  const { line, column } = issue
  const message = `The file of times, which shardTimes names, is of no use: ${formatIssue(issue)}.`
  return withoutStack(new AgentEvalsError('invalid-options', message, { at: { file: path, line, column } }))
}
