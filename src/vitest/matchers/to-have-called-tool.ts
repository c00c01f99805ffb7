import { AgentEvalsError } from '../../errors.ts'
import { isJsonObject } from '../../json.ts'
import { toolCalls } from '../../transcript/select.ts'
import { noteCheck } from './note-check.ts'
import { expectation, listed, requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** What else must hold of a tool call. */
export interface ToolCallExpectation {
  /** Every key given must be in the input, deeply; keys not given do not matter. */
  readonly input?: Readonly<Record<string, unknown>>
  /** How many calls exactly. Default: at least one. */
  readonly times?: number
}

/** Passes when the agent called this tool. */
export function toHaveCalledTool(
  this: MatcherState,
  received: unknown,
  name: string,
  { input, times }: ToolCallExpectation = {},
): MatcherResult {
  const calls = toolCalls(requireRun(received, 'toHaveCalledTool')).map(({ call }) => call)
  const matching = calls.filter(
    (call) => isNamed(call.tool, name) && (input === undefined || holds(this, call.input, input)),
  )
  const wanted = `${name}${input === undefined ? '' : ` with ${JSON.stringify(input)}`}`
  return noteCheck(this, received, 'toHaveCalledTool', times === undefined ? wanted : `${wanted} ${times} times`, {
    pass: times === undefined ? matching.length > 0 : matching.length === times,
    message: () =>
      expectation(this, `have called ${wanted}${times === undefined ? '' : ` ${times} times`}`) +
      listed(
        'Tool calls',
        calls.map((call) => `${call.tool} ${JSON.stringify(call.input)}`),
      ),
  })
}

/** Passes when the agent called these tools one after the other; others may lie between. */
export function toHaveCalledToolsInOrder(
  this: MatcherState,
  received: unknown,
  names: readonly string[],
): MatcherResult {
  const calls = toolCalls(requireRun(received, 'toHaveCalledToolsInOrder')).map(({ call }) => call.tool)
  if (names.length === 0) {
    throw new AgentEvalsError('invalid-options', 'toHaveCalledToolsInOrder([]) passes for every run.')
  }
  let found = 0
  for (const call of calls) if (isNamed(call, names[found] ?? '')) found += 1
  return noteCheck(this, received, 'toHaveCalledToolsInOrder', names.join(', '), {
    pass: found === names.length,
    message: () => expectation(this, `have called ${names.join(', then ')}`) + listed('Tool calls', calls),
  })
}

// As in data files: a name in other letter case is the same tool, above all where it must not be called.
function isNamed(tool: string, name: string): boolean {
  return tool.toLowerCase() === name.toLowerCase()
}

// Objects match when each expected key does; everything else must be equal.
function holds(state: MatcherState, actual: unknown, expected: unknown): boolean {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return state.equals(actual, expected)
  return Object.entries(expected).every(([key, value]) => holds(state, actual[key], value))
}
