import { isDeepStrictEqual } from 'node:util'
import { valueAt } from '../lib/documents/document.ts'
import { isJsonObject } from '../lib/json.ts'
import type { Search } from '../lib/patterns.ts'
import { toolCalls, type ToolCall } from '../transcript/select.ts'
import type { AgentRun } from '../transcript/transcript.ts'
import { patternField, patternLabel, searchPattern, type Pattern } from './pattern.ts'
import { countOf, timesOf, type CheckKind, type TextFields, isToolNamed, type AskedNames } from './check.ts'
import { oneOrMany, type Zod } from './schemas.ts'
import type { z } from 'zod'

/** A tool, and what else has to hold of its calls. */
export interface CallFields extends TextFields {
  /** Each key must be in the input, deeply. */
  readonly input?: Readonly<Record<string, unknown>> | undefined
  /** What the input must match, by key. */
  readonly inputMatches?: Readonly<Record<string, Pattern>> | undefined
  /** The pattern that the input must match as JSON. */
  readonly inputMatch?: Pattern
  /** How many calls exactly. */
  readonly times?: number | undefined
  /** How many at least, or at most; absent for one, and for no limit. */
  readonly min?: number
  readonly max?: number
  /** Compares the name letter by letter, as the engine's own. */
  readonly isExact?: boolean
}

/** Whether the agent has called a tool. Letter case does not matter: engines write a name as they like. */
export const toolCalled: CheckKind<CallFields> = {
  schema: (zod) => {
    const named = zod
      .strictObject({
        tool: toolName(zod),
        input: zod.record(zod.string(), zod.unknown()).optional().describe('Keys that its input must have, deeply.'),
        'input-matches': zod
          .record(zod.string(), patternField(zod))
          .optional()
          .describe('Regular expressions for texts of its input, by key.'),
        times: zod.int().positive('write no-tool for a tool that must not be called').optional(),
      })
      .transform(({ tool, 'input-matches': inputMatches, ...more }): CallFields => ({
        value: tool,
        ...more,
        ...(inputMatches === undefined ? {} : { inputMatches }),
      }))
    const plain = toolName(zod).transform((value): CallFields => ({ value }))
    return oneOrMany(zod, zod.union([plain, named])).describe('Tools that the agent must call.')
  },
  run(fields, { run }) {
    const search = findCalls(fields, run)
    if ('problem' in search) return { outcome: 'errored', message: `${label(fields)}: ${search.problem}` }
    const { length } = search.found
    const [min, max] = rangeOf(fields)
    if (length >= min && length <= max) return { outcome: 'passed' }
    const instead = length === 0 ? 'was not' : `was called ${countOf(length)}`
    const message = `expected ${describeCall(fields)} ${max === 0 ? 'not ' : ''}to be called${describeRange(fields)} but it ${instead}`
    return { outcome: 'failed', message, expected: label(fields), actual: listCalls(toolCalls(run)) }
  },
  names: namesOf,
  describe: (fields) =>
    `The tool ${describeCall(fields)} is ${fields.max === 0 ? 'not ' : ''}called${describeRange(fields)}.`,
  label,
  needsOutput: true,
}

/** Checks that the first call of one tool comes before the first call of another. */
export const firstCalled: CheckKind<TextFields & { readonly before: CallFields; readonly after: CallFields }> = {
  run({ before, after }, { run }) {
    const firsts: number[] = []
    for (const fields of [before, after]) {
      const search = findCalls(fields, run)
      if ('problem' in search) return { outcome: 'errored', message: `${label(fields)}: ${search.problem}` }
      const [first] = search.found
      if (first === undefined) return { outcome: 'failed', message: `${describeCall(fields)} was never called` }
      firsts.push(first)
    }
    const [one = 0, other = 0] = firsts
    if (one < other) return { outcome: 'passed' }
    const message = `expected ${label(before)} to be called before ${label(after)}, but they are calls ${one + 1} and ${other + 1}`
    return { outcome: 'failed', message }
  },
  names: ({ before, after }) => {
    const names = [before, after].map(namesOf)
    return { tools: names.flatMap(({ tools = [] }) => tools), skillWords: names.flatMap((one) => one.skillWords ?? []) }
  },
  describe: ({ before, after }) => `${describeCall(before)} is called before ${describeCall(after)}.`,
  needsOutput: true,
}

/** Places of such calls among all calls, those of sub-agents and those that were refused included. */
function findCalls(fields: CallFields, run: Pick<AgentRun, 'names' | 'transcript'>): Search<readonly number[]> {
  const found: number[] = []
  for (const [index, call] of toolCalls(run).entries()) {
    const holds = isCallOf(call, fields, run)
    if (typeof holds === 'string') return { problem: holds }
    if (holds) found.push(index)
  }
  return { found }
}

function rangeOf({
  times,
  min = times ?? 1,
  max = times ?? Infinity,
}: CallFields): readonly [min: number, max: number] {
  return [min, max]
}

function describeRange(fields: CallFields): string {
  const [min, max] = rangeOf(fields)
  if (max === 0) return ''
  if (max === Infinity) return fields.min === undefined || min === 1 ? '' : ` at least ${countOf(min)}`
  return min === max ? ` ${countOf(min)}` : ` ${min} to ${max} times`
}

/** Whether the agent has not called a tool, or no tool at all. */
export const noTool: CheckKind<{ readonly value: string | true }> = {
  schema: (zod) => {
    const all = zod.literal(true).transform((value) => ({ value }))
    const named = toolName(zod).transform((value) => ({ value }))
    return zod
      .union([all, oneOrMany(zod, named)])
      .describe('Tools that the agent must not call; true for no tool at all.')
  },
  run({ value }, { run }) {
    const calls = toolCalls(run)
    const found = value === true ? calls : calls.filter(({ call }) => isToolNamed(call.tool, value, run))
    if (found.length === 0) return { outcome: 'passed' }
    const what = value === true ? 'no tool to be called' : `${value} not to be called`
    const message = `expected ${what} but ${listCalls(found.slice(0, 1))} was`
    return {
      outcome: 'failed',
      message,
      expected: value === true ? '(no call)' : `no ${value}`,
      actual: listCalls(found),
    }
  },
  names: ({ value }) => (value === true ? {} : { tools: [value] }),
  describe: ({ value }) => (value === true ? 'No tool is called.' : `The tool ${value} is not called.`),
}

/** Whether the agent has called tools one after the other. Others may lie between. */
export const toolsInOrder: CheckKind<TextFields & { readonly names: readonly string[] }> = {
  schema: (zod) =>
    zod
      .array(toolName(zod))
      .min(2, 'must name at least two tools; write tool-called for one')
      .transform((names) => ({ value: names.join(', '), names }))
      .describe('Tools that the agent must call in this order. Other calls may come between.'),
  run({ value, names }, { run }) {
    const calls = toolCalls(run)
    let next = 0
    for (const { call } of calls) if (isToolNamed(call.tool, names[next] ?? '', run)) next += 1
    if (next === names.length) return { outcome: 'passed' }
    const where = next === 0 ? '' : ` after ${names[next - 1]}`
    const message = `expected the tools ${value} to be called in this order but ${names[next]} was not called${where}`
    return { outcome: 'failed', message, expected: names.join('\n'), actual: listCalls(calls) }
  },
  names: ({ names }) => ({ tools: names }),
  describe: ({ value }) => `The tools ${value} are called in this order.`,
  needsOutput: true,
}

/** Whether a call is of this tool; a text says why that cannot be decided. */
function isCallOf(
  call: ToolCall,
  { value, input = {}, inputMatches = {}, inputMatch, isExact = false }: CallFields,
  run: Pick<AgentRun, 'names'>,
): boolean | string {
  const { tool, input: actual } = call.call
  const isOf = isExact ? tool === value || run.names?.tools?.[value] === tool : isToolNamed(tool, value, run)
  if (!isOf || !includes(actual, input)) return false
  const parts = Object.entries(inputMatches).map(([key, pattern]) => [pattern, valueAt(actual, key)] as const)
  for (const [pattern, text] of inputMatch === undefined ? parts : [[inputMatch, JSON.stringify(actual)] as const]) {
    if (text === undefined) return false
    const found = searchPattern(pattern, typeof text === 'string' ? text : JSON.stringify(text))
    if ('problem' in found) return found.problem
    if (found.found === null) return false
  }
  return true
}

/** The names in the call of a tool: its own, and that of the skill that it uses. */
export function namesInCall(tool: string, input: Readonly<Record<string, unknown>> = {}): AskedNames {
  const { skill } = input
  return { tools: [tool], ...(tool.toLowerCase() === 'skill' && typeof skill === 'string' ? { skills: [skill] } : {}) }
}

// The pattern of a call may hold the name of a skill among other words.
function namesOf({ value, input, inputMatch }: CallFields): AskedNames {
  const words = value === 'Skill' && inputMatch !== undefined ? [inputMatch.value] : []
  return { ...namesInCall(value, input), ...(words.length === 0 ? {} : { skillWords: words }) }
}

// An object holds each key that is asked for; everything else is equal.
function includes(actual: unknown, expected: unknown): boolean {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return isDeepStrictEqual(actual, expected)
  return Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && includes(actual[key], value))
}

function label(fields: CallFields): string {
  return `${describeCall(fields)}${timesOf(fields.times)}`
}

function describeCall({ value, input, inputMatches, inputMatch }: CallFields): string {
  const matching = Object.entries(inputMatches ?? {}).map(([key, pattern]) => `${key} ${patternLabel(pattern)}`)
  const parts = [
    ...(input === undefined ? [] : [`with ${JSON.stringify(input)}`]),
    ...(matching.length === 0 ? [] : [`matching ${matching.join(' and ')}`]),
    ...(inputMatch === undefined ? [] : [`with an input that matches ${patternLabel(inputMatch)}`]),
  ]
  return [value, ...parts].join(' ')
}

/** The calls of a run for a message or a diff, one a line. */
function listCalls(calls: readonly ToolCall[]): string {
  const lines = calls.slice(0, 50).map(({ call }) => `${call.tool} ${JSON.stringify(call.input).slice(0, 200)}`)
  return lines.join('\n') || '(no call)'
}

function toolName(zod: Zod): z.ZodString {
  return zod.string().regex(/^\S{1,200}$/, 'must be the name of a tool')
}
