import type { AskedTrigger } from '../../case/result/build-test-result.ts'
import { contains } from '../../checks/contains.ts'
import { isListed } from '../../checks/file-facts.ts'
import { isToolNamed } from '../../checks/check.ts'
import { skillUsed } from '../../checks/skill-used.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { isJsonObject } from '../../lib/json.ts'
import { toPrintableMessage } from '../../lib/text.ts'
import { describeTrigger } from '../../report/build/describe-trigger.ts'
import { skillsUsed, toolCalls } from '../../transcript/select.ts'
import type { FileChanges } from '../../transcript/transcript.ts'
import type { TriggerOutcome } from '../runtime/trigger-outcome.ts'
import {
  expectation,
  listed,
  requireArguments,
  requireCall,
  type MatcherResult,
  type MatcherState,
  findLink,
  noteCheck,
  noteLinkedCheck,
  passes,
} from './received.ts'

/** Passes when the agent's output holds a text, or matches a regular expression. */
export function toContainOutput(this: MatcherState, received: unknown, expected: string | RegExp): MatcherResult {
  const run = requireCall('toContainOutput', arguments)
  // `lastIndex` of a global expression would make the second call differ.
  const pass =
    typeof expected === 'string' ? passes(contains, { value: expected }, run) : run.output.search(expected) !== -1
  return noteCheck(this, received, 'toContainOutput', String(expected), {
    pass,
    message: () =>
      expectation(
        this,
        `contain ${typeof expected === 'string' ? JSON.stringify(expected) : String(expected)} in its output`,
      ),
    actual: toPrintableMessage(run.output),
    expected: String(expected),
  })
}

/** Passes when the run created a regular file at this path of its workspace. */
export function toHaveCreatedFile(this: MatcherState, received: unknown, path: string): MatcherResult {
  const { files } = requireCall('toHaveCreatedFile', arguments)
  const created = files.created.map((file) => file.path)
  return noteCheck(this, received, 'toHaveCreatedFile', path, {
    // What may have changed was there before.
    pass: isThere(
      files.created,
      files.unreadable.filter(({ kind }) => kind !== 'unread'),
      path,
      this,
    ),
    message: () => expectation(this, `have created ${path}`) + listed('Created files', created),
  })
}

/** Passes when the run changed the content of a file that was there before. */
export function toHaveModifiedFile(this: MatcherState, received: unknown, path: string): MatcherResult {
  const { files } = requireCall('toHaveModifiedFile', arguments)
  const modified = files.modified.map((file) => file.path)
  return noteCheck(this, received, 'toHaveModifiedFile', path, {
    pass: isThere(files.modified, files.unreadable, path, this),
    message: () => expectation(this, `have modified ${path}`) + listed('Modified files', modified),
  })
}

// A link is no regular file: what was asked for is not there, and what was forbidden may be.
function isThere(
  candidates: FileChanges['created'],
  unreadable: FileChanges['unreadable'],
  path: string,
  { isNot }: MatcherState,
): boolean {
  const normalised = normalise(path)
  if (candidates.some((file) => file.path === normalised)) return true
  const fact = isListed(normalised, [], { unreadable: unreadable.filter(({ kind }) => kind !== 'other' || isNot) })
  if (fact.is === 'unknown')
    throw new AgentEvalsError('workspace-failed', `It is unknown whether the run wrote ${path}: ${fact.because}.`)
  return false
}

/** A path of the workspace as changes of files have it. */
export function normalise(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}

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
  options: ToolCallExpectation = {},
): MatcherResult {
  const run = requireCall('toHaveCalledTool', arguments)
  const { input, times } = options
  const calls = toolCalls(run).map(({ call }) => call)
  const matching = calls.filter(
    (call) => isToolNamed(call.tool, name, run) && (input === undefined || holds(this, call.input, input)),
  )
  const what = `${name}${input === undefined ? '' : ` with ${JSON.stringify(input)}`}`
  return noteCheck(this, received, 'toHaveCalledTool', times === undefined ? what : `${what} ${times} times`, {
    pass: times === undefined ? matching.length > 0 : matching.length === times,
    message: () =>
      expectation(this, `have called ${what}${times === undefined ? '' : ` ${times} times`}`) +
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
  const run = requireCall('toHaveCalledToolsInOrder', arguments)
  const calls = toolCalls(run).map(({ call }) => call.tool)
  let found = 0
  for (const call of calls) if (isToolNamed(call, names[found] ?? '', run)) found += 1
  return noteCheck(this, received, 'toHaveCalledToolsInOrder', names.join(', '), {
    pass: found === names.length,
    message: () => expectation(this, `have called ${names.join(', then ')}`) + listed('Tool calls', calls),
  })
}

// Objects match when each expected key does; everything else must be equal.
function holds(state: MatcherState, actual: unknown, expected: unknown): boolean {
  if (!isJsonObject(expected) || !isJsonObject(actual)) return state.equals(actual, expected)
  return Object.entries(expected).every(([key, value]) => holds(state, actual[key], value))
}

/** Passes when the agent used this skill, by calling it or by reading its SKILL.md. */
export function toHaveUsedSkill(this: MatcherState, received: unknown, name: string): MatcherResult {
  const run = requireCall('toHaveUsedSkill', arguments)
  return noteCheck(this, received, 'toHaveUsedSkill', name, {
    pass: passes(skillUsed, { value: name, names: [name] }, run),
    message: () => expectation(this, `have used the skill ${name}`) + listed('Skills used', skillsUsed(run)),
  })
}

/** Passes when the skill was used in at least the share of runs that `triggerThreshold` asks for. */
export function toHaveFired(this: MatcherState, received: unknown): MatcherResult {
  requireArguments('toHaveFired', arguments)
  const { threshold } = requireTrigger(received, 'toHaveFired')
  return compare(this, received, 'toHaveFired', threshold)
}

/**
 * Passes when the skill was used in at least this share of the runs.
 *
 * @throws {AgentEvalsError} `invalid-options` for a rate that is not above 0 and at most 1.
 */
export function toHaveFiredAtLeast(this: MatcherState, received: unknown, rate: number): MatcherResult {
  requireArguments('toHaveFiredAtLeast', arguments)
  return compare(this, received, 'toHaveFiredAtLeast', rate)
}

function compare(state: MatcherState, received: unknown, matcher: string, threshold: number): MatcherResult {
  const trigger = requireTrigger(received, matcher)
  const link = trigger.runs.map(findLink).find((one) => one !== undefined)
  const askedTrigger = link?.record.triggers.find(({ outcome }) => outcome === received)
  const expected = { should_trigger: state.isNot !== true, threshold }
  if (askedTrigger !== undefined) askedTrigger.expected = expected
  return noteLinkedCheck(state, link, matcher, `${trigger.skill} >= ${threshold}`, {
    pass: trigger.rate >= threshold,
    message: () =>
      askedTrigger === undefined ? plainly(trigger, expected) : describeTrigger({ ...askedTrigger.part, ...expected }),
  })
}

function plainly({ skill, fired, completed }: TriggerOutcome, { should_trigger: should }: Expected): string {
  return `expected ${skill} ${should ? '' : 'not '}to be used, but it was in ${fired} of ${completed} runs`
}

type Expected = NonNullable<AskedTrigger['expected']>

function requireTrigger(received: unknown, matcher: string): TriggerOutcome {
  if (isTrigger(received)) return received
  const what = received instanceof Promise ? 'a promise: await it first' : 'something else'
  throw new AgentEvalsError(
    'invalid-options',
    `${matcher}() takes what \`await agent.trigger(...)\` returns, but received ${what}.`,
  )
}

function isTrigger(value: unknown): value is TriggerOutcome {
  if (typeof value !== 'object' || value === null) return false
  const { skill, rate, threshold, runs } = value as Partial<TriggerOutcome>
  return typeof skill === 'string' && typeof rate === 'number' && typeof threshold === 'number' && Array.isArray(runs)
}
