import { isDeepStrictEqual } from 'node:util'
import { isJsonObject } from '../lib/json.ts'
import { toolCalls, type ToolCall } from '../transcript/select.ts'
import { countOf } from './hook-ran.ts'
import { patternField, patternLabel, searchPattern, type Pattern } from './matches.ts'
import type { CheckKind, Parts, TextFields } from './check.ts'
import { oneOrMany, type Zod } from './schemas.ts'
import { IS, TOOL } from './skill-used.ts'
import type { z } from 'zod'

/** A tool, and what else has to hold of its calls. */
export interface CallFields extends TextFields {
  /** Each key must be in the input, deeply. */
  readonly input?: Readonly<Record<string, unknown>> | undefined
  /** What the input must match, by key. */
  readonly inputMatches?: Readonly<Record<string, Pattern>> | undefined
  /** How many calls exactly; absent for at least one. */
  readonly times?: number | undefined
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
    const calls = toolCalls(run)
    const found: ToolCall[] = []
    for (const call of calls) {
      const holds = isCallOf(call, fields)
      if (typeof holds === 'string') return { outcome: 'errored', message: `${label(fields)}: ${holds}` }
      if (holds) found.push(call)
    }
    const { value, times } = fields
    const seen = describeCalls(value, found)
    if (times === undefined ? found.length > 0 : found.length === times) return { outcome: 'passed', seen }
    const expected = label(fields)
    const instead = found.length === 0 ? 'was not' : `was called ${countOf(found.length)}`
    const phrase = `${label({ ...fields, times: undefined })} to be called${times === undefined ? '' : ` ${countOf(times)}`}`
    const message = `expected ${phrase} but it ${instead}`
    return { outcome: 'failed', seen, message, expected, actual: listCalls(calls) }
  },
  describe: (fields) => `The tool ${label(fields)} is called.`,
  label,
  sentences: [
    [`the transcript contains an? ${TOOL} tool calls?`, aboutTool],
    [`the ${TOOL} tool ${IS} (?:called|used)`, aboutTool],
  ],
  needsOutput: true,
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
    const found = value === true ? calls : calls.filter((call) => isNamed(call, value))
    const seen = value === true && found.length === 0 ? 'No tool was called.' : describeCalls(value, found)
    if (found.length === 0) return { outcome: 'passed', seen }
    const what = value === true ? 'no tool to be called' : `${value} not to be called`
    const message = `expected ${what} but ${listCalls(found.slice(0, 1))} was`
    return {
      outcome: 'failed',
      seen,
      message,
      expected: value === true ? '(no call)' : `no ${value}`,
      actual: listCalls(found),
    }
  },
  describe: ({ value }) => (value === true ? 'No tool is called.' : `The tool ${value} is not called.`),
  sentences: [
    [`the transcript contains no ${TOOL} tool calls?`, aboutTool],
    [`the ${TOOL} tool ${IS} (?:not|never) (?:called|used)`, aboutTool],
  ],
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
    for (const call of calls) if (isNamed(call, names[next] ?? '')) next += 1
    if (next === names.length) return { outcome: 'passed', seen: `The tools ${value} were called in this order.` }
    const where = next === 0 ? '' : ` after ${names[next - 1]}`
    const message = `expected the tools ${value} to be called in this order but ${names[next]} was not called${where}`
    return { outcome: 'failed', message, expected: names.join('\n'), actual: listCalls(calls) }
  },
  describe: ({ value }) => `The tools ${value} are called in this order.`,
  needsOutput: true,
}

/** Whether a call is of this tool; a text says why that cannot be decided. */
function isCallOf(call: ToolCall, { value, input = {}, inputMatches = {} }: CallFields): boolean | string {
  const actual = call.call.input
  if (!isNamed(call, value) || !includes(actual, input)) return false
  for (const [key, pattern] of Object.entries(inputMatches)) {
    const text = isJsonObject(actual) ? actual[key] : undefined
    if (text === undefined) return false
    const found = searchPattern(pattern, typeof text === 'string' ? text : JSON.stringify(text))
    if ('problem' in found) return found.problem
    if (found.found === null) return false
  }
  return true
}

function isNamed({ call }: ToolCall, name: string): boolean {
  return call.tool.toLowerCase() === name.toLowerCase()
}

// An object holds each key that is asked for; everything else is equal.
function includes(actual: unknown, expected: unknown): boolean {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return isDeepStrictEqual(actual, expected)
  return Object.entries(expected).every(([key, value]) => Object.hasOwn(actual, key) && includes(actual[key], value))
}

function label({ value, input, inputMatches, times }: CallFields): string {
  const matching = Object.entries(inputMatches ?? {}).map(([key, pattern]) => `${key} ${patternLabel(pattern)}`)
  const parts = [
    ...(input === undefined ? [] : [`with ${JSON.stringify(input)}`]),
    ...(matching.length === 0 ? [] : [`matching ${matching.join(' and ')}`]),
    ...(times === undefined ? [] : [countOf(times)]),
  ]
  return [value, ...parts].join(' ')
}

function describeCalls(tool: string | true, calls: readonly ToolCall[]): string {
  const name = tool === true ? 'A tool' : tool
  const events = calls.slice(0, 10).map(({ call }) => call.n)
  return calls.length === 0 ? `${name} was not called.` : `${name} was called at event ${events.join(', ')}.`
}

/** The calls of a run for a message or a diff, one a line. */
function listCalls(calls: readonly ToolCall[]): string {
  const lines = calls.slice(0, 50).map(({ call }) => `${call.tool} ${JSON.stringify(call.input).slice(0, 200)}`)
  return lines.join('\n') || '(no call)'
}

function toolName(zod: Zod): z.ZodString {
  return zod.string().regex(/^\S{1,200}$/, 'must be the name of a tool')
}

// Tools are capitalised, or are a server's: `no failed tool calls` names none.
function aboutTool({ tool = '' }: Parts): { readonly value: string } | null {
  return /^[A-Z]|__/.test(tool) ? { value: tool } : null
}
