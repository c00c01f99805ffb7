import { z } from 'zod'
import { namesInCall } from '../../checks/calls.ts'
import type { AskedNames } from '../../checks/check.ts'
import { findUnknownName } from '../../checks/checks.ts'
import { describeProblem, describeWritten } from '../../lib/documents/known-fields.ts'
import { checkRelativePath } from '../../lib/documents/relative-path.ts'
import { formatZodIssue } from '../../lib/documents/validate.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import type * as matchers from './matchers.ts'
import { isAgentRun, readArgumentsBy } from './received.ts'
import { normalise, type ToolCallExpectation } from './tools-and-files.ts'

const text = z.string().min(1)
const words = z.string().refine((value) => value.trim() !== '', 'must not be empty')
const name = z.string().regex(/^\S{1,200}$/, { error: 'must be a name without spaces' })
const pattern = z.instanceof(RegExp, { error: 'expected a regular expression' })
const textOrPattern = z.union([text, pattern.refine(({ source }) => source !== '(?:)', 'matches everything')], {
  error: ({ input }) => (input === '' ? 'must not be empty' : 'expected a text or a regular expression'),
})
const path = z.string().check(({ value, issues }) => {
  const problem = checkRelativePath(normalise(value))
  if (problem !== null) issues.push({ code: 'custom', input: value, message: `the path ${problem}` })
})
const times = z.int().min(0).optional()
const limit = { most: z.number().positive() }
const judge = { judge: words.optional() }
const judgeOptions = z.strictObject({ ...judge, votes: z.int().min(1).max(9).optional() }).optional()

/** The arguments of each matcher in their order. */
const ARGUMENTS = {
  toBeBlocked: { options: z.strictObject({ by: z.enum(['hook', 'permission', 'sandbox']).optional() }).optional() },
  toContainOutput: { expected: textOrPattern },
  toHaveCalledNoTool: { name: name.exactOptional() },
  toHaveCalledTool: {
    name,
    options: z.strictObject({ input: z.record(z.string(), z.unknown()).optional(), times }).optional(),
  },
  toHaveCalledToolsInOrder: { names: z.array(name).min(1) },
  toHaveCreatedFile: { path },
  toHaveFileContaining: { path, text },
  toHaveFired: {},
  toHaveFiredAtLeast: { rate: z.number().positive().max(1) },
  toHaveHookOutput: { expected: textOrPattern },
  toHaveMaxCostUsd: limit,
  toHaveMaxSeconds: limit,
  toHaveMaxTokens: limit,
  toHaveMaxTurns: limit,
  toHaveModifiedFile: { path },
  toHaveRunHook: { event: text, options: z.strictObject({ matcher: text.optional(), times }).optional() },
  toHaveUsedSkill: { name },
  toMatchJsonSchema: {
    schema: z.record(z.string(), z.unknown()),
    options: z.strictObject({ path: path.optional() }).optional(),
  },
  toMatchOutput: { pattern: pattern.refine(({ source }) => source !== '(?:)', 'matches everything') },
  toMeetExpectations: { expectations: z.array(words).min(1), options: judgeOptions },
  toPassJudge: { criteria: words, options: judgeOptions },
  toScoreAtLeast: {
    rubric: words,
    options: z.strictObject({ ...judge, min: z.number().min(1).max(5).optional() }).optional(),
  },
} satisfies Record<keyof typeof matchers, z.core.$ZodLooseShape>

/** The names in the arguments of matchers that have any. */
const NAMES: ReadonlyMap<string, (...given: never[]) => AskedNames> = new Map<
  keyof typeof matchers,
  (...given: never[]) => AskedNames
>([
  ['toHaveCalledNoTool', (tool?: string) => (tool === undefined ? {} : { tools: [tool] })],
  ['toHaveCalledTool', (tool: string, options?: ToolCallExpectation) => namesInCall(tool, options?.input)],
  ['toHaveCalledToolsInOrder', (tools: readonly string[]) => ({ tools })],
  ['toHaveUsedSkill', (skill: string) => ({ skills: [skill] })],
])

function requireKnown(matcher: string, given: readonly unknown[], received: unknown): void {
  const asked = NAMES.get(matcher)?.(...(given as never[])) ?? {}
  const unknown = isAgentRun(received) ? findUnknownName(asked, received) : null
  if (unknown !== null) throw new AgentEvalsError('unknown-name', unknown.message)
}

const SHAPES: ReadonlyMap<string, z.core.$ZodLooseShape> = new Map(Object.entries(ARGUMENTS))

readArgumentsBy((matcher, given, received) => {
  const shape = SHAPES.get(matcher) ?? {}
  const names = Object.keys(shape)
  if (given.length > names.length) {
    const takes = names.length === 0 ? 'no arguments' : `only ${names.map((one) => `\`${one}\``).join(' and ')}`
    throw new AgentEvalsError('invalid-options', `${matcher}() takes ${takes}.`)
  }
  const schema = z.strictObject(shape)
  const value = Object.fromEntries(given.map((one, index) => [names[index], one]))
  const { error } = schema.safeParse(value, { error: formatZodIssue })
  if (error === undefined) return requireKnown(matcher, given, received)
  const problem = describeProblem(error, value, schema)
  throw new AgentEvalsError(
    'invalid-options',
    `The argument \`${problem.path}\` of ${matcher}() ${describeWritten(problem)}`,
  )
})
