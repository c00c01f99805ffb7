import { basename } from 'node:path'
import { valueAt, type FieldPath, type ReadDocument } from '../../../documents/document.ts'
import { isJsonObject } from '../../../json.ts'
import { CASE_FIELDS, EXECUTION_FIELDS } from './schema.ts'
import type { CaseFiles, ReadGrader } from './read-case-files.ts'
import type { Issue, Position } from '../../../documents/issue.ts'

/** A case as `case.yaml`, `prompt.md` and `graders/*.md` define it together. */
export interface MergedCase {
  /** In the shape of `case.yaml`. */
  readonly value: Readonly<Record<string, unknown>>
  /** Where the value of a path is written. */
  readonly placeOf: (path: FieldPath) => Place
  /** Where the key of a path is written. */
  readonly keyPlaceOf: (path: FieldPath) => Place
  /** The value of a path; `undefined` when there is none. */
  readonly valueOf: (path: FieldPath) => unknown
}

/** A place in one of the files of a case. */
export interface Place extends Position {
  /** Absolute path. */
  readonly file: string
  /** The field as it is written there. */
  readonly field: string
}

/** Merges the files of a case as Claude Code does: `prompt.md` wins, its graders come after those of `case.yaml`. */
export function mergeCase(files: CaseFiles): MergedCase {
  const { caseDir, yaml, prompt, graders } = files
  const base: Readonly<Record<string, unknown>> = isJsonObject(yaml?.value)
    ? yaml.value
    : { schema_version: '1.1', name: basename(caseDir) }
  const front = isJsonObject(prompt?.front?.value) ? prompt.front.value : {}
  const written = isJsonObject(base['execution']) ? base['execution'] : {}
  const execution = { ...written, ...pick(front, EXECUTION_FIELDS) }
  const disallowed = joined(written['disallowed_tools'], front['disallowed_tools'])
  const listed = Array.isArray(base['graders']) ? (base['graders'] as readonly unknown[]) : []
  const value: Readonly<Record<string, unknown>> = {
    ...base,
    ...pick(front, CASE_FIELDS),
    execution: {
      ...execution,
      ...(disallowed === undefined ? {} : { disallowed_tools: disallowed }),
      ...(prompt === null || prompt.body === '' ? {} : { prompt: prompt.body }),
    },
    ...(graders.length === 0 ? {} : { graders: [...listed, ...graders.map((one) => one.value)] }),
  }
  return {
    value,
    placeOf: (path) => placeOf(path, files, listed.length, 'value'),
    keyPlaceOf: (path) => placeOf(path, files, listed.length, 'key'),
    valueOf: (path) => path.reduce<unknown>(valueAt, value),
  }
}

/** An error at a place of a case's files. */
export function issueAt(place: Place, code: string, message: string): Issue {
  return { code, severity: 'error', message, ...place }
}

function pick(value: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)))
}

function joined(first: unknown, second: unknown): unknown {
  if (first === undefined) return second
  if (second === undefined || !Array.isArray(first)) return first
  return Array.isArray(second) ? [...(first as readonly unknown[]), ...(second as readonly unknown[])] : second
}

type Part = 'key' | 'value'

function placeOf(path: FieldPath, { caseDir, yaml, prompt, graders }: CaseFiles, listed: number, part: Part): Place {
  const [first, second] = path
  if (first === 'graders' && typeof second === 'number' && second >= listed) {
    const grader = graders[second - listed]
    if (grader !== undefined) return placeInGrader(grader, path.slice(2), part)
  }
  const front = prompt?.front ?? null
  const inFront = first === 'execution' ? path.slice(1) : path
  const [field = ''] = inFront
  if (front !== null && inFront.length > 0 && valueAt(front.value, field) !== undefined) {
    return placeIn(front, inFront, part)
  }
  if (prompt !== null && prompt.body !== '' && path.join('.') === 'execution.prompt')
    return { file: prompt.file, field: 'prompt', line: prompt.bodyLine, column: 1 }
  if (yaml !== null) return placeIn(yaml, path, part)
  return { file: prompt?.file ?? graders[0]?.file ?? caseDir, field: path.join('.'), line: 1, column: 1 }
}

function placeInGrader({ file, front, bodyField, bodyLine }: ReadGrader, path: FieldPath, part: Part): Place {
  const isBody = path.length > 0 && path[0] === bodyField && valueAt(front.value, bodyField) === undefined
  return isBody ? { file, field: path.join('.'), line: bodyLine, column: 1 } : placeIn(front, path, part)
}

function placeIn(document: ReadDocument, path: FieldPath, part: Part): Place {
  const position = part === 'key' ? document.keyPositionOf(path) : document.positionOf(path)
  return { file: document.file, field: path.join('.'), ...position }
}
