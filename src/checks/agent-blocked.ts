import { hookDecisions, toolCalls, type ToolCall } from '../transcript/select.ts'
import { decidesEnd, isTooEarly } from '../packages/hook-events.ts'
import type { AgentRun, Blocker } from '../transcript/transcript.ts'
import type { CheckKind, Finding, SeenRun } from './check.ts'
import { describeFailedOpen, firstLine, firstTools, isBlocking, isFailedOpen, type HookEvent } from './hook-events.ts'

/** Whether a hook blocked the agent, by the hook's own decision and by nothing else. */
export const agentBlocked: CheckKind<{ readonly value: boolean }> = {
  schema: (zod) =>
    zod
      .boolean()
      .transform((value) => ({ value }))
      .describe('Whether a hook must have blocked the agent.'),
  run({ value }, seen) {
    const [outcome, what] = value ? expectBlock(seen) : expectNoBlock(seen)
    if (outcome === 'passed') return { outcome }
    const expected = `agent-blocked=${value}`
    return { outcome, message: `expected ${expected} but ${what}`, expected, actual: what }
  },
  describe: ({ value }) => (value ? 'The agent is blocked.' : 'The agent is not blocked.'),
}

type Found = readonly [Finding['outcome'], string]

function expectBlock(seen: SeenRun): Found {
  const { run, hook } = seen
  const hooks = hooksOf(seen)
  // A hook that broke once let a call through, even when it blocked another.
  const broken = hooks.find(isFailedOpen)
  if (broken !== undefined) return ['errored', describeFailedOpen(broken, run)]
  if (hooks.some(hasBlocked)) return ['passed', '']

  const other = hookDecisions(run).find(hasBlocked)
  if (other !== undefined) return ['failed', `a hook of ${other.event}, not of ${hook}, ${describeBlock(other)}`]

  const stopped = findStopped(run)
  if (stopped?.by === 'hook') {
    const what = `the engine says that a hook blocked ${stopped.tool} while no hook of the package left a decision`
    return ['errored', what]
  }

  const ran = describeHooks(hooks, seen)
  if (stopped === null) return ['failed', ran]
  const stopper = `the ${stopped.by === 'permission' ? 'permission system' : 'sandbox'}, not a hook, blocked ${stopped.tool}`
  return ['failed', hooks.length === 0 ? stopper : `${ran}; ${stopper}`]
}

function expectNoBlock(seen: SeenRun): Found {
  const hooks = hooksOf(seen)
  const blocking = hooks.find(isBlocking)
  if (blocking !== undefined) {
    const how = blocking.decision === 'blocked-exit-2' ? 'with exit code 2' : 'with a deny decision'
    const reason = firstLine(blocking.reason)
    return ['failed', `hook ${describeBlock(blocking)} ${how}${reason === '' ? '' : `: ${reason}`}`]
  }
  const broken = hooks.find(isFailedOpen)
  return broken === undefined ? ['passed', ''] : ['errored', describeFailedOpen(broken, seen.run)]
}

// Counts a denial whose call is not in the record, too.
function findStopped({ transcript }: SeenRun['run']): { readonly by: Blocker; readonly tool: string } | null {
  const denials = transcript.flatMap((event) =>
    event.kind === 'tool-result' && event.blockedBy !== null ? [{ id: event.id, by: event.blockedBy }] : [],
  )
  // The engine's report that a hook decided counts more than an earlier denial by something else.
  const denial = denials.find(({ by }) => by === 'hook') ?? denials[0]
  if (denial === undefined) return null
  const call = transcript.find((event) => event.kind === 'tool-call' && event.id === denial.id)
  return { by: denial.by, tool: call?.kind === 'tool-call' ? call.tool : 'a tool' }
}

// Exit code 2 of a hook that runs too early stops nothing.
function hasBlocked(hook: HookEvent): boolean {
  return isBlocking(hook) && !isTooEarly(hook.event)
}

function describeBlock({ event, tool }: HookEvent): string {
  return decidesEnd(event) ? 'kept the agent from ending' : `blocked ${tool ?? 'the agent'}`
}

function hooksOf({ run, hook }: SeenRun): readonly HookEvent[] {
  return hookDecisions(run, hook ?? undefined)
}

function describeHooks(hooks: readonly HookEvent[], { run, hook: ofCase }: SeenRun): string {
  if (hooks.length > 0) {
    const isAsync = hooks.some(({ async }) => async === true)
    const allowed = hooks.every((hook) => hook.exitCode === 0) ? 'hook exited 0' : 'hook allowed it'
    const answer = hooks.some(isBlocking) ? 'hook decided to block' : allowed
    const what = isAsync ? 'the hook decides nothing, because it is async' : answer
    const calls = hooks.slice(0, 3).map((hook) => describeHook(hook, run))
    return `${what} (${[...new Set(calls)].join('; ')})${limitOf(ofCase)}`
  }
  const others = hookDecisions(run).length > 0
  const tools = firstTools(run)
  const calls = tools === '' ? '' : ` (the agent called ${tools})`
  return `${others && ofCase !== null ? `no ${ofCase} hook ran` : 'no hook ran'}${calls}`
}

// No hook of the event can do this, whatever its script decides.
function limitOf(event: string | null): string {
  if (event === null) return ''
  if (isTooEarly(event)) return `; a hook of ${event} runs too early to block the agent`
  return decidesEnd(event) ? `; a hook of ${event} decides about the end, and blocks no call` : ''
}

// A decision is beside the call that it concerns.
function describeHook({ event, tool, n }: HookEvent, run: SeenRun['run']): string {
  if (tool === null) return event
  const call = run.transcript.findLast((other) => other.kind === 'tool-call' && other.tool === tool && other.n < n)
  const input = call?.kind === 'tool-call' ? ` ${JSON.stringify(call.input).slice(0, 120)}` : ''
  return `${event} for ${tool}${input}`
}

/**
 * Says that no call of a run was carried out, for a reason that is none of the package's: no user could approve it, or
 * the engine itself could not: `refusals` match the results of such calls. Such a run ends well and shows nothing. `null`
 * when there is no such thing to say.
 */
export function describeAllRefused(run: Pick<AgentRun, 'transcript'>, refusals: readonly RegExp[]): string | null {
  const refused = reasonsOfAll(run, ({ blockedBy, text }) =>
    blockedBy === 'permission' || refusals.some((refusal) => refusal.test(text)) ? text : undefined,
  )
  if (refused === null) return null
  const calls = refused.length === 1 ? 'its only call was refused' : `all of its ${refused.length} calls were refused`
  return `The run ended well, but ${calls}: ${firstLine(refused[0])}`
}

/**
 * Says that no call of a run was carried out because a sandbox cannot start inside another. Such a run ends well and
 * shows nothing, not even that the agent did wrong. `patterns` match what engines say then. `null` when none did.
 */
export function describeNestedSandbox(run: Pick<AgentRun, 'transcript'>, patterns: readonly RegExp[]): string | null {
  const nested = reasonsOfAll(run, ({ text }) =>
    patterns.map((pattern) => pattern.exec(text)?.[0]).find((reason) => reason !== undefined),
  )
  if (nested === null) return null
  return `nested sandbox: no call ran, because the agent's own sandbox cannot start inside this one: ${firstLine(nested[0])}. Turn it off; the session is already confined.`
}

/** Why each call of a run failed; `null` for a run without calls, or with one that did not fail for such a reason. */
function reasonsOfAll(
  run: Pick<AgentRun, 'transcript'>,
  reasonOf: (result: NonNullable<ToolCall['result']>) => string | undefined,
): readonly [string, ...string[]] | null {
  const reasons = toolCalls(run).map(({ result }) => (result?.isError === true ? reasonOf(result) : undefined))
  const known = reasons.filter((reason) => reason !== undefined)
  const [first, ...others] = known
  return first === undefined || known.length < reasons.length ? null : [first, ...others]
}
