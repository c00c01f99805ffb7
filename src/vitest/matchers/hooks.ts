import { isBlocking } from '../../checks/hook-events.ts'
import { describeHook, describeWords, hooksThatRan, readEvent, wordsOfHooks } from '../../checks/hook-ran.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { hookDecisions } from '../../transcript/select.ts'
import type { Blocker, TranscriptEvent } from '../../transcript/transcript.ts'
import { expectation, listed, requireCall, type MatcherResult, type MatcherState, noteCheck } from './received.ts'

/** Which hook has to have run, and how often. */
export interface HookExpectation {
  /** The matcher of its group, as it is written. */
  readonly matcher?: string
  /** The exact number. Default: at least one. */
  readonly times?: number
}

/** Passes when hooks of an event ran. */
export function toHaveRunHook(
  this: MatcherState,
  received: unknown,
  name: string,
  options: HookExpectation = {},
): MatcherResult {
  const run = requireCall('toHaveRunHook', arguments)
  const { matcher, times } = options
  const event = eventOf(name)
  const ran = hooksThatRan(run, { event, matcher })
  return noteCheck(this, received, 'toHaveRunHook', event, {
    pass: times === undefined ? ran.length > 0 : ran.length === times,
    message: () =>
      expectation(
        this,
        `have run ${describeHook({ event, matcher })}${times === undefined ? '' : ` ${times} time${times === 1 ? '' : 's'}`}`,
      ) +
      listed(
        'Hooks that ran',
        hookDecisions(run).map((hook) => `${hook.event} ${hook.matcher ?? ''}`.trim()),
      ),
  })
}

/** Passes when a hook told the model a text: what the gateway did not see the model get does not count. */
export function toHaveHookOutput(this: MatcherState, received: unknown, expected: string | RegExp): MatcherResult {
  const told = wordsOfHooks(requireCall('toHaveHookOutput', arguments))
  const isFound = (text: string): boolean =>
    typeof expected === 'string' ? text.includes(expected) : new RegExp(expected, expected.flags).test(text)
  return noteCheck(this, received, 'toHaveHookOutput', String(expected), {
    pass: told.some(({ text, reachedModel }) => reachedModel && isFound(text)),
    message: () =>
      expectation(this, `have a hook that tells the model ${String(expected)}`) +
      listed('Hooks said', told.map(describeWords)),
  })
}

function eventOf(name: string): string {
  const read = readEvent(name)
  if ('event' in read) return read.event
  throw new AgentEvalsError('invalid-options', read.problem)
}

/** Who must have blocked the call. Default: any of them. */
export interface BlockedBy {
  readonly by?: Blocker
}

/** Passes when something stopped the agent: a hook, the permission system or the sandbox. */
export function toBeBlocked(this: MatcherState, received: unknown, options: BlockedBy = {}): MatcherResult {
  const run = requireCall('toBeBlocked', arguments)
  const { by } = options
  const blockers = run.transcript.flatMap(blockersOf)
  return noteCheck(this, received, 'toBeBlocked', by === undefined ? 'anyone' : by, {
    pass: by === undefined ? blockers.length > 0 : blockers.some((found) => found.by === by),
    message: () =>
      expectation(this, `be blocked${by === undefined ? '' : ` by a ${by}`}`) +
      listed('Blocked', [...new Set(blockers.map((found) => `by ${found.by}: ${found.what}`))]),
  })
}

interface Found {
  readonly by: Blocker
  readonly what: string
}

function blockersOf(event: TranscriptEvent): readonly Found[] {
  if (event.kind === 'tool-result' && event.blockedBy !== null) return [{ by: event.blockedBy, what: event.text }]
  if (event.kind !== 'hook') return []
  return isBlocking(event) ? [{ by: 'hook', what: `${event.event} ${event.tool ?? ''}`.trim() }] : []
}
