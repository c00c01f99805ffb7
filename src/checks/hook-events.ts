import { findHookEvent } from '../packages/hook-events.ts'
import { hookDecisions, toolCalls } from '../transcript/select.ts'
import { shorten } from '../lib/text.ts'
import type { AgentRun, TranscriptEvent } from '../transcript/transcript.ts'

/** One decision of a hook in a transcript. */
export type HookEvent = Extract<TranscriptEvent, { kind: 'hook' }>

type WithTranscript = Pick<AgentRun, 'transcript'>

/** Whether a hook blocked by its own decision. */
export function isBlocking(hook: { readonly decision: string | null }): boolean {
  return hook.decision === 'blocked-exit-2' || hook.decision === 'denied-json'
}

/** Whether a hook broke: it decided nothing, and most engines go on as if it had allowed. */
export function isFailedOpen(hook: HookEvent): boolean {
  return hook.decision !== 'allowed' && !isBlocking(hook)
}

/** The hooks of a run that broke. Such a case proves nothing, whatever its checks say. */
export function failedOpenHooks(run: WithTranscript): readonly HookEvent[] {
  return hookDecisions(run).filter(isFailedOpen)
}

/** One clause on how a hook broke, such as `the pre-tool-use hook failed with exit code 1, so Write went on`. */
export function describeFailedOpen(hook: HookEvent, run: WithTranscript): string {
  const isBlocked = blocksByAccident(hook) || isTakenForDenial(hook, run)
  const consequence = `so ${hook.tool ?? 'the agent'} ${isBlocked ? 'was blocked by accident' : 'went on'}`
  const reason = firstLine(hook.reason)
  return `the ${hook.event} hook ${FAILURES[hook.decision](hook)}${reason === '' ? '' : ` (${reason})`}, ${consequence}`
}

// Some interpreters exit 2, the code of a block, when their script is not there.
function blocksByAccident({ event, exitCode }: HookEvent): boolean {
  return exitCode === 2 && findHookEvent(event)?.canBlock === true
}

// Some engines stop a call whose hook broke. A decision stands beside its call.
function isTakenForDenial(hook: HookEvent, run: WithTranscript): boolean {
  const before = toolCalls(run).findLast(({ call }) => call.n < hook.n)
  if (before?.result?.blockedBy !== 'hook' || before.call.tool !== hook.tool) return false
  const { call, result } = before
  return !hookDecisions(run).some((other) => isBlocking(other) && other.n > call.n && other.n < result.n)
}

/** The first three tools that the agent called, for a message; empty without any. A matcher that misses the tool is a usual mistake. */
export function firstTools(run: WithTranscript): string {
  const tools = new Set(toolCalls(run).map(({ call }) => call.tool))
  return [...tools].slice(0, 3).join(', ')
}

/** The first line that says something, cut to a readable length. */
export function firstLine(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '') ?? ''
  return shorten(line.trim(), 300)
}

const FAILURES: Readonly<Record<HookEvent['decision'], (hook: HookEvent) => string>> = {
  allowed: () => 'allowed it',
  'blocked-exit-2': () => 'blocked it with exit code 2',
  'denied-json': () => 'denied it',
  failed: (hook) => (hook.exitCode === null ? 'gave no decision' : `failed with exit code ${hook.exitCode}`),
  invalid: () => 'gave an answer that engines ignore',
  'timed-out': () => 'timed out',
  missing: () => 'could not be started',
}
