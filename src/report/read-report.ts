import { z } from 'zod'
import { isTooDeep } from '../lib/documents/parse-json.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import { codeOf, readTextFile } from '../lib/files.ts'
import { isJsonObject, type JsonObject } from '../lib/json.ts'
import { firstInSentence, sum } from '../lib/lists.ts'
import { reportSchema, type reportCase, type input, type Report } from './report.ts'
import { OUTCOMES, type Outcome } from './results/result.ts'

/** A report as it is read. What it does not say is `null` or empty: later versions add fields. */
export interface ReadReport extends Omit<Read<typeof reportSchema>, 'cases' | 'inputs' | 'version'> {
  readonly cases: readonly ReadCase[]
}

/** One case, with its inputs from the table of the report. */
export interface ReadCase extends Omit<Read<typeof reportCase>, 'inputs' | 'outcome'> {
  readonly outcome: Outcome
  readonly inputs: readonly Read<typeof input>[]
}

/** Parts of it. */
export type ReadRun = ReadCase['runs'][number]
export type ReadCheck = ReadCase['checks'][number]
export type ReadExpectation = NonNullable<ReadCase['expectations']>[number]
export type ReadGraded = NonNullable<ReadCase['graded']>

/** All tokens of a case, agent and judge together; `null` when they are unknown. */
export function tokensOf({ usage }: Pick<ReadCase, 'usage'>): number | null {
  return usage === null ? null : sum(Object.values(usage))
}

/**
 * Reads the file of a report.
 *
 * @throws {AgentEvalsError} `missing-input`, `invalid-report`
 */
export function readReportFile(path: string): ReadReport {
  let source
  try {
    source = readTextFile(path)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT')
      throw new AgentEvalsError('missing-input', `There is no report at ${path}.`, { cause })
    const reason = messageOf(cause)
    throw new AgentEvalsError('invalid-report', `Cannot read the report ${path}: ${reason}`, { cause })
  }
  return parseReport(source, path)
}

/**
 * Reads the text of a report.
 *
 * @throws {AgentEvalsError} `invalid-report`, naming the file.
 */
export function parseReport(source: string, file: string): ReadReport {
  let value: unknown
  try {
    value = JSON.parse(source)
  } catch (error) {
    throw invalid(file, messageOf(error))
  }
  // Its readers could not end.
  if (isTooDeep(value, MAX_LEVELS)) throw invalid(file, `it is nested deeper than ${MAX_LEVELS} levels`)
  return readReport(value, file)
}

/**
 * Reads a report that is parsed. A value of another kind than it should be is unknown, and a notice names it.
 *
 * @throws {AgentEvalsError} `invalid-report`, naming the file and the first field without which it is none.
 */
export function readReport(value: unknown, file: string): ReadReport {
  requireOwn(value, file)
  const readable = structuredClone(value)
  const issues = reportSchema.safeParse(value).error?.issues ?? []
  for (const { path, message } of issues) {
    const length = lengthToOptional(path)
    if (length === 0) throw invalid(file, `${path.join('.') || 'the file'}: ${message}`)
    leaveOut(readable, path.slice(0, length))
  }
  const report = withTable(filled(reportSchema, readable) as Read<typeof reportSchema>)
  const wrong = issues.filter(({ path }) => valueAt(value, path) !== undefined)
  return { ...report, notices: [...report.notices, ...describeUnreadable(wrong)] }
}

/** A report of our own as it would be read from its file. What we built is not validated. */
export function ownReport(report: Report): ReadReport {
  return withTable(filled(reportSchema, report) as Read<typeof reportSchema>)
}

// What `Read` is for a value that is as its schema says: what is absent is `null` or empty.
function filled(schema: z.core.$ZodType, value: unknown): unknown {
  const bare = unwrap(schema)
  const isNullable = schema instanceof z.ZodNullable
  if (value === undefined && bare instanceof z.ZodArray && !isNullable) return []
  const isPart = bare === schema && (bare instanceof z.ZodObject || bare instanceof z.ZodRecord)
  if (value === undefined || value === null) return isPart ? filled(schema, {}) : null
  if (bare instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((item) => (item === undefined ? [] : [filled(bare.element, item)]))
  const parts = value as JsonObject
  if (bare instanceof z.ZodRecord) {
    const known = Object.entries(parts).filter(([, item]) => item !== undefined)
    return Object.fromEntries(known.map(([key, item]) => [key, filled(bare.valueType, item)]))
  }
  if (!(bare instanceof z.ZodObject)) return value
  return Object.fromEntries(Object.entries(bare.shape).map(([key, field]) => [key, filled(field, parts[key])]))
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapped =
    schema instanceof z.ZodNonOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional
  return isWrapped ? unwrap(schema.unwrap()) : schema
}

// How much of a path leads to the innermost part that a report may lack; 0 where it is none without what the path names.
function lengthToOptional(path: readonly PropertyKey[]): number {
  let schema: z.core.$ZodType | undefined = reportSchema
  let length = 0
  for (const [depth, key] of path.entries()) {
    const whole = unwrap(schema)
    const list =
      whole instanceof z.ZodArray ? whole.element : whole instanceof z.ZodRecord ? whole.valueType : undefined
    const part: z.core.$ZodType | undefined = whole instanceof z.ZodObject ? whole.shape[String(key)] : list
    if (part === undefined) break
    // Without one of the cases the others are another report.
    if (part === list ? !(schema instanceof z.ZodNonOptional) : isOptional(part)) length = depth + 1
    schema = part
  }
  return length
}

function isOptional(schema: z.core.$ZodType): boolean {
  if (schema instanceof z.ZodObject) return Object.values(schema.shape).every(isOptional)
  return !(schema instanceof z.ZodNonOptional)
}

function leaveOut(value: unknown, path: readonly PropertyKey[]): void {
  const whole = valueAt(value, path.slice(0, -1)) as Record<PropertyKey, unknown> | undefined
  const [key = ''] = path.slice(-1)
  if (whole !== undefined) whole[key] = undefined
}

// Version 0.1 and other programs write the same `version`.
function requireOwn(value: unknown, file: string): void {
  if (!isJsonObject(value)) return
  const { agent_evals_version: version } = value
  if (typeof version === 'string' && !version.startsWith('0.1.')) return
  throw new AgentEvalsError(
    'invalid-report',
    `${file} was not written by vitest-agent-evals 0.2 or later. Write it anew: npx vitest-agent-evals run.`,
  )
}

/** What reading makes of a schema: only what is `must` there has to be, and what is missing is `null` or empty. */
type Read<Schema> =
  Schema extends z.ZodObject<infer Shape>
    ? { readonly [Key in keyof Shape]: ReadField<Shape[Key]> }
    : Schema extends z.ZodArray<infer Item>
      ? readonly Read<Item>[]
      : Schema extends z.ZodRecord<z.ZodString, infer Item>
        ? Readonly<Record<string, Read<Item>>>
        : Readonly<z.output<Schema>>

type ReadField<Schema> =
  Schema extends z.ZodNonOptional<infer Inner>
    ? Read<Inner>
    : Schema extends z.ZodNullable<infer Inner>
      ? Read<Inner> | null
      : Schema extends z.ZodExactOptional<infer Inner>
        ? Inner extends z.ZodArray
          ? Read<Inner>
          : Read<Inner> | null
        : Schema extends z.ZodArray | z.ZodObject | z.ZodRecord
          ? Read<Schema>
          : Read<Schema> | null

function withTable(whole: Read<typeof reportSchema>): ReadReport {
  const { version: _, inputs, ...report } = whole
  return { ...report, cases: report.cases.map((one) => withInputs(one, inputs)) }
}

function withInputs(
  { inputs, ...one }: Read<typeof reportCase>,
  table: Readonly<Record<string, Read<typeof input>>>,
): ReadCase {
  return {
    ...one,
    outcome: one.outcome ?? OUTCOMES[one.verdict],
    inputs: inputs.flatMap((key) => (Object.hasOwn(table, key) ? (table[key] ?? []) : [])),
  }
}

function describeUnreadable(wrong: readonly z.core.$ZodIssue[]): readonly string[] {
  if (wrong.length === 0) return []
  const shown = firstInSentence(
    wrong.map(({ path }) => path.join('.')),
    MOST_NAMED,
  )
  return [`Not of the kind that the schema of a report names, and so taken for unknown: ${shown}.`]
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at, key) => (at as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key], value)
}

function invalid(file: string, why: string): AgentEvalsError {
  return new AgentEvalsError('invalid-report', `${file} is not an eval report: ${why}.`)
}

const MAX_LEVELS = 500
const MOST_NAMED = 5
