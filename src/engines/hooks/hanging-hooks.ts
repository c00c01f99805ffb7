import { isJsonObject, tryParseJson } from '../../lib/json.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { shorten } from '../../lib/text.ts'
import type { HookPlan, RecordedDecision } from './hook-plan.ts'

/** One line of `started.jsonl`, written by the shim before it runs a hook. */
export interface StartedHook extends Pick<RecordedDecision, 'event' | 'id' | 'tool'> {
  /** Names this run of the hook; the line of its decision has it too. */
  readonly run: string
  /** In milliseconds since 1970. */
  readonly startedAt: number
}

/** Hooks that began and left no decision: the session ended while they ran. */
export function unfinishedHooks(started: string, decisions: string): readonly StartedHook[] {
  const ended = new Set(
    decisions.split('\n').map((line) => {
      const value = tryParseJson(line)
      return isJsonObject(value) ? value['run'] : undefined
    }),
  )
  return started.split('\n').flatMap((line) => {
    const value = tryParseJson(line)
    return isStarted(value) && !ended.has(value.run) ? [value] : []
  })
}

/** What is known of a session's hooks and of its network. */
export interface HookContext {
  readonly plan: Pick<HookPlan, 'hooks'>
  /** Whether the sandbox closes the network to hooks, too. */
  readonly isClosed: boolean
}

/** Names the hooks that a session hung in, with how long each ran; empty when it hung in none. */
export function describeHanging(
  hanging: readonly StartedHook[],
  endedAt: number,
  { plan, isClosed }: HookContext,
): string {
  if (hanging.length === 0) return ''
  const named = hanging.map(({ id, event, tool, startedAt }) => {
    const seconds = Math.max(0, Math.round((endedAt - startedAt) / 1000))
    const hook = plan.hooks.find((one) => one.id === id)
    const command = hook === undefined ? '' : `, \`${shorten(hook.command, LONGEST_COMMAND)}\`,`
    return `the hook of ${event}${tool === null ? '' : ` (${tool})`}${command} ran for ${seconds} s and had not ended`
  })
  const advice = 'Give it a `timeout` of its own, as the engine has it.'
  return ` Still running: ${firstInSentence(named, MOST_NAMED, '; ')}. ${isClosed ? `${CLOSED} ` : ''}${advice}`
}

/** The decisions, where a hook that broke says what it ran, for how long, and whether the sandbox kept it from the network. */
export function explainBroken(
  decisions: readonly RecordedDecision[],
  { plan, isClosed }: HookContext,
): readonly RecordedDecision[] {
  return decisions.map((decision) => {
    const { id, decision: what, reason } = decision
    const isLate = what === 'timed-out'
    const isAlone = isClosed && (isLate || (what === 'failed' && UNREACHABLE.test(reason)))
    const command = plan.hooks.find((hook) => hook.id === id)?.command
    if (!isLate && !isAlone) return decision
    const ran = command === undefined ? '' : ` It ran \`${shorten(command, LONGEST_COMMAND)}\`.`
    const [first = '', ...rest] = reason.split('\n')
    return { ...decision, reason: [`${first}${ran}${isAlone ? ` ${CLOSED}` : ''}`, ...rest].join('\n') }
  })
}

const CLOSED = 'The sandbox closed the network; "sandbox": { "network": true } in eval-config.json opens it.'
// How the C library, Node and curl report that a host cannot be reached.
const UNREACHABLE =
  /\b(?:EAI_AGAIN|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND)\b|Could not resolve host|Couldn't connect to server|Failed to connect|Connection refused|Network is unreachable|No route to host|Name or service not known|Temporary failure in name resolution|fetch failed/i
const MOST_NAMED = 3
const LONGEST_COMMAND = 80

function isStarted(value: unknown): value is StartedHook {
  return (
    isJsonObject(value) &&
    typeof value['id'] === 'string' &&
    typeof value['event'] === 'string' &&
    typeof value['run'] === 'string' &&
    typeof value['startedAt'] === 'number' &&
    (value['tool'] === null || typeof value['tool'] === 'string')
  )
}
