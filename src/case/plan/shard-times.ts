import { errorAt, formatIssue, type FieldPath, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { readJson } from '../../lib/documents/read-json.ts'
import { AgentEvalsError, messageOf, withoutStack } from '../../lib/errors.ts'
import { codeOf, readTextFile } from '../../lib/files.ts'
import { isJsonObject, tryParseJson, type JsonObject, type JsonValue } from '../../lib/json.ts'
import { sum } from '../../lib/lists.ts'

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
  const text = read(path)
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
  const known = ofRuns.filter((one) => typeof one === 'number')
  return [fromRoot(id, entry), known.length > 0 ? sum(known) : seconds]
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

function read(path: string): string {
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
