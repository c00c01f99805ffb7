import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { recordingSegments, toPathSegment } from '../formats/paths.ts'
import { formatOf } from '../formats/registry.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { readTextFile, refuseLinks, replaceFile } from '../lib/files.ts'
import { isJsonObject, type JsonValue } from '../lib/json.ts'
import { type Recording } from './recording.ts'
import { NO_USAGE } from '../transcript/transcript.ts'
import { RECORDING_VERSION, recordingSchema } from './schema.ts'

/** Which run a recording is of. */
export interface RecordingKey {
  /** Absolute path of the package. */
  readonly packageRoot: string
  readonly format: string
  /** Suite file relative to the package. */
  readonly suite: string
  readonly caseId: string
  readonly engine: string
  /** Given where recordings of several models lie beside each other. */
  readonly model?: string
  readonly arm: 'variant' | 'with_skill' | 'without_skill'
  /** From 1. */
  readonly run: number
}

/** Absolute path of the folder in which the cases of a suite have their recordings. */
export function recordingsFolder(key: Pick<RecordingKey, 'format' | 'packageRoot' | 'suite'>): string {
  return join(key.packageRoot, ...recordingSegments(formatOf(key.format).recordingFolder(key.suite)))
}

/** Absolute path of a recording: `evals/recordings/<suite>/<case>/<engine>[.<model>][.without_skill].<run>.json`. */
export function recordingFile(key: RecordingKey): string {
  const { caseId, engine, model, arm, run } = key
  const ofModel = model === undefined ? '' : `.${toPathSegment(model)}`
  const name = `${toPathSegment(engine)}${ofModel}${arm === 'without_skill' ? '.without_skill' : ''}.${run}.json`
  return join(recordingsFolder(key), toPathSegment(caseId), name)
}

/**
 * Absolute path of the recording of a run of a case, which asks for the case's own model or else for `askedModel`: that
 * of this name, if there is one, else the one that names no model. Of several models that run a case, only the one that
 * it is of has it.
 */
export function recordingFileFor(
  key: Omit<RecordingKey, 'arm' | 'model'>,
  { arm = 'with_skill', model }: Partial<Pick<RecordingKey, 'arm' | 'model'>>,
  askedModel: string | null,
): string {
  const shared = recordingFile({ ...key, arm })
  const name = model ?? askedModel
  if (name === null) return shared
  const ownFile = recordingFile({ ...key, arm, model: name })
  if (existsSync(ownFile) || (model !== undefined && !isSharedOf(shared, name))) return ownFile
  return shared
}

// One that is broken is reported where it is read.
function isSharedOf(file: string, model: string): boolean {
  try {
    const recording = readRecording(file)
    return recording !== null && isModelOf(recording, model)
  } catch {
    return false
  }
}

/** Whether a recording is of a model. */
export function isModelOf({ model }: Pick<Recording, 'model'>, name: string): boolean {
  return [model.given, model.asked, model.observed].includes(name)
}

/**
 * Reads a recording; `null` when there is none.
 *
 * @throws {AgentEvalsError} `recording-invalid` when it cannot be read or is none.
 */
export function readRecording(file: string): Recording | null {
  const text = readRecordingText(file)
  if (text === null) return null
  const value = parse(text, file)
  const version = z.looseObject({ version: z.number() }).safeParse(value)
  if (version.success && version.data.version !== RECORDING_VERSION)
    throw invalid(file, `it has version ${version.data.version}, and this program knows version ${RECORDING_VERSION}`)
  const { success, data, error } = recordingSchema.safeParse(value)
  if (success) return data
  const [issue] = error.issues
  throw invalid(file, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`)
}

/**
 * Writes a recording at once: a reader meanwhile sees the old one or the new one.
 *
 * @throws {AgentEvalsError} `recording-unwritable`.
 */
export function writeRecording(file: string, recording: Recording): void {
  try {
    const [, packageRoot = ''] = /^(.*)[\\/]evals[\\/]recordings[\\/]/.exec(file) ?? []
    if (packageRoot !== '') refuseLinks(packageRoot, dirname(file))
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, formatRecording(recording))
  } catch (cause) {
    const message = `The recording ${file} cannot be written: ${(cause as Error).message}. Free some space, or make the folder writable.`
    throw new AgentEvalsError('recording-unwritable', message, { cause })
  }
}

/**
 * The text of a recording; `null` when there is none.
 *
 * @throws {AgentEvalsError} `recording-invalid` when it is too large or no regular file.
 */
export function readRecordingText(file: string): string | null {
  try {
    // Most cases that run have none yet, and an error takes longer to make than a look.
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) return null
    if (found.size > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES / 1_048_576} MiB`)
    return readTextFile(file)
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw invalid(file, (cause as Error).message)
  }
}

// The largest that were recorded have a tenth of it.
const MOST_BYTES = 33_554_432

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const conflict = /^(?:<{7}|={7}|>{7})/m.test(text)
      ? 'it contains the marks of a merge conflict'
      : (error as Error).message
    throw invalid(file, conflict)
  }
}

function invalid(file: string, why: string): AgentEvalsError {
  return new AgentEvalsError('recording-invalid', `${file} is not a valid recording: ${why}.`, {
    remedy: 'Record it again.',
  })
}

/** Writes a recording for review: keys in one order, one turn a block, and on one line what fits there. */
export function formatRecording(recording: Recording): string {
  return `${print(recording as unknown as JsonValue, '')}\n`
}

const WIDTH = 120

function print(value: JsonValue, indent: string, isOurs = true): string {
  const line = printLine(value, isOurs)
  const fits = indent.length + line.length <= WIDTH && !(isOurs && line.includes('"answer"'))
  if (fits || typeof value !== 'object' || value === null) return line
  const deeper = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((item: JsonValue) => print(item, deeper, isOurs))
    : entriesOf(value, isOurs).map(
        ([key, item]) => `${JSON.stringify(key)}: ${print(item, deeper, isOurs && !FOREIGN.has(key))}`,
      )
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${parts.map((part) => `${deeper}${part}`).join(',\n')}\n${indent}${close}`
}

function printLine(value: JsonValue, isOurs: boolean): string {
  if (Array.isArray(value)) return `[${value.map((item: JsonValue) => printLine(item, isOurs)).join(', ')}]`
  if (!isJsonObject(value)) return JSON.stringify(value)
  const parts = entriesOf(value, isOurs).map(
    ([key, item]) => `${JSON.stringify(key)}: ${printLine(item, isOurs && !FOREIGN.has(key))}`,
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

function entriesOf(value: JsonValue, isOurs: boolean): readonly (readonly [string, JsonValue])[] {
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) =>
    item === undefined || (isOurs && JSON.stringify(item) === USUAL.get(key)) ? [] : [[key, item] as const],
  )
}

/** An answer of a model or a judge, whose fields mean nothing to us. */
const FOREIGN: ReadonlySet<string> = new Set(['answers', 'input'])

/** What goes without saying, as the schema fills it in again. */
const USUAL: ReadonlyMap<string, string> = new Map([
  ['given', 'null'],
  ['hooks', 'null'],
  ['isError', 'false'],
  ['judge', 'null'],
  ['lines', '[]'],
  ['rest', 'null'],
  ['results', '[]'],
  ['sees', '[]'],
  ['unstable', '[]'],
  ['usage', JSON.stringify(NO_USAGE)],
  ['varies', 'false'],
])
