import { hookDecisions } from '../transcript/select.ts'
import { describeFailedOpen, firstLine, isBlocking, isFailedOpen, type HookEvent } from './hook-events.ts'
import type { CheckKind, Finding, SeenRun } from './check.ts'

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
  if (hooks.some(isBlocking)) return ['passed', '']

  const other = hookDecisions(run).find(isBlocking)
  if (other !== undefined)
    return ['failed', `a hook of ${other.event}, not of ${hook}, blocked ${other.tool ?? 'the agent'}`]

  const stopped = findStoppedCall(run)
  if (stopped?.by === 'hook')
    return [
      'errored',
      `the engine says that a hook blocked ${stopped.tool} while no hook of the package left a decision`,
    ]

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
    return ['failed', `hook blocked ${blocking.tool ?? 'the agent'} ${how}${reason === '' ? '' : `: ${reason}`}`]
  }
  const broken = hooks.find(isFailedOpen)
  return broken === undefined ? ['passed', ''] : ['errored', describeFailedOpen(broken, seen.run)]
}

function hooksOf({ run, hook }: SeenRun): readonly HookEvent[] {
  return hookDecisions(run, hook ?? undefined)
}

function describeHooks(hooks: readonly HookEvent[], { run, hook: ofCase }: SeenRun): string {
  if (hooks.length > 0) {
    const what = hooks.every((hook) => hook.exitCode === 0) ? 'hook exited 0' : 'hook allowed it'
    const calls = hooks.slice(0, 3).map((hook) => describeHook(hook, run))
    return `${what} (${[...new Set(calls)].join('; ')})`
  }
  const others = hookDecisions(run).length > 0
  const tools = [...new Set(run.transcript.flatMap((event) => (event.kind === 'tool-call' ? [event.tool] : [])))]
  // A matcher that misses the tool is the usual reason.
  const calls = tools.length === 0 ? '' : ` (the agent called ${tools.slice(0, 3).join(', ')})`
  return `${others && ofCase !== null ? `no ${ofCase} hook ran` : 'no hook ran'}${calls}`
}

// A decision is beside the call that it concerns.
function describeHook({ event, tool, n }: HookEvent, run: SeenRun['run']): string {
  if (tool === null) return event
  const call = run.transcript.findLast((other) => other.kind === 'tool-call' && other.tool === tool && other.n < n)
  const input = call?.kind === 'tool-call' ? ` ${JSON.stringify(call.input).slice(0, 120)}` : ''
  return `${event} for ${tool}${input}`
}

function findStoppedCall(
  run: SeenRun['run'],
): { readonly by: 'hook' | 'permission' | 'sandbox'; readonly tool: string } | null {
  // The engine's report that a hook decided counts more than an earlier denial by something else.
  const results = run.transcript
    .filter((event) => event.kind === 'tool-result')
    .filter((event) => event.blockedBy !== null)
  const result = results.find((event) => event.blockedBy === 'hook') ?? results[0]
  if (result === undefined || result.blockedBy === null) return null
  const call = run.transcript.find((event) => event.kind === 'tool-call' && event.id === result.id)
  return { by: result.blockedBy, tool: call?.kind === 'tool-call' ? call.tool : 'a tool' }
}
