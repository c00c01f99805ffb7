import { z } from 'zod'
import { isTooDeep } from '../lib/documents/parse-json.ts'
import { AgentEvalsError, messageOf } from '../lib/errors.ts'
import { codeOf, readTextFile } from '../lib/files.ts'
import { isJsonObject, type JsonObject } from '../lib/json.ts'
import { sum } from '../lib/lists.ts'
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
  reader ??= reading(reportSchema)
  const { success, data, error } = reader.safeParse(value)
  if (!success) {
    const [issue] = error.issues
    throw invalid(file, `${issue?.path.join('.') || 'the file'}: ${issue?.message ?? 'not valid'}`)
  }
  const report = withTable(data as Read<typeof reportSchema>)
  return { ...report, notices: [...report.notices, ...describeUnreadable(value)] }
}

/** A report of our own as it would be read from its file. What we built is not validated. */
export function ownReport(report: Report): ReadReport {
  return withTable(filled(reportSchema, report) as Read<typeof reportSchema>)
}

// What `Read` is for a value that is as its schema says: what is absent is `null` or empty.
function filled(schema: z.core.$ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodNonOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodExactOptional)
    return value === undefined && schema.unwrap() instanceof z.ZodArray ? [] : filled(schema.unwrap(), value)
  if (value === undefined || value === null) return null
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((item) => filled(schema.element, item))
  const at = (key: string): unknown => (value as JsonObject)[key]
  if (schema instanceof z.ZodRecord)
    return Object.fromEntries(Object.keys(value).map((key) => [key, filled(schema.valueType, at(key))]))
  if (!(schema instanceof z.ZodObject)) return value
  return Object.fromEntries(Object.entries(schema.shape).map(([key, field]) => [key, filled(field, at(key))]))
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

// What `Read` is for types. A part that is not as it should be costs no other part.
function reading(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape)
    return z.object(Object.fromEntries(fields.map(([key, field]) => [key, readingField(field)])))
  }
  if (schema instanceof z.ZodArray) {
    const readItem = readerOfItem(reading(schema.element))
    return z.array(z.unknown()).transform((items) => items.flatMap((item) => readItem(item)))
  }
  if (schema instanceof z.ZodRecord) {
    const readItem = readerOfItem(reading(schema.valueType))
    return z
      .record(z.string(), z.unknown())
      .transform((items) =>
        Object.fromEntries(Object.entries(items).flatMap(([key, item]) => readItem(item).map((one) => [key, one]))),
      )
  }
  return schema as z.ZodType
}

function readingField(schema: z.core.$ZodType): z.ZodType {
  if (schema instanceof z.ZodNonOptional) {
    const inner = schema.unwrap()
    // Without one of the cases the others are another report.
    return inner instanceof z.ZodArray ? z.array(reading(inner.element)) : reading(inner)
  }
  const isNullable = schema instanceof z.ZodNullable
  const bare = isNullable || schema instanceof z.ZodExactOptional ? schema.unwrap() : schema
  const inner = reading(bare)
  if (bare instanceof z.ZodArray && !isNullable) return inner.catch([])
  if (bare instanceof z.ZodRecord && !isNullable) return inner.catch({})
  if (bare instanceof z.ZodObject && bare === schema) {
    const { success, data } = inner.safeParse({})
    return success ? inner.catch(data) : inner
  }
  return inner.nullable().catch(null)
}

function readerOfItem(schema: z.ZodType): (item: unknown) => readonly unknown[] {
  return (item) => {
    const { success, data } = schema.safeParse(item)
    return success ? [data] : []
  }
}

// Making it takes a while, and most starts read no report.
let reader: z.ZodType | undefined

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

function describeUnreadable(value: unknown): readonly string[] {
  const issues = reportSchema.safeParse(value).error?.issues ?? []
  const wrong = issues.filter(({ path }) => valueAt(value, path) !== undefined).map(({ path }) => path.join('.'))
  if (wrong.length === 0) return []
  const shown = wrong.slice(0, MOST_NAMED).join(', ')
  const more = wrong.length > MOST_NAMED ? ` and ${wrong.length - MOST_NAMED} more` : ''
  return [`Not of the kind that the schema of a report names, and so taken for unknown: ${shown}${more}.`]
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((at, key) => (at as Readonly<Record<PropertyKey, unknown>> | null | undefined)?.[key], value)
}

function invalid(file: string, why: string): AgentEvalsError {
  return new AgentEvalsError('invalid-report', `${file} is not an eval report: ${why}.`)
}

const MAX_LEVELS = 500
const MOST_NAMED = 5
