import { isJsonObject, tryParseJson } from '../../lib/json.ts'
import { firstLine } from '../../checks/hook-events.ts'
import { firstInSentence } from '../../lib/lists.ts'
import { shorten } from '../../lib/text.ts'
import { hookDecisions } from '../../transcript/select.ts'
import type { AgentRun } from '../../transcript/transcript.ts'
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
  const named = hanging.flatMap(({ id, event, tool, startedAt }) => {
    const hook = plan.hooks.find((one) => one.id === id)
    if (hook === undefined || hook.async === true) return []
    const seconds = Math.max(0, Math.round((endedAt - startedAt) / 1000))
    const command = `\`${shorten(hook.command, LONGEST_COMMAND)}\``
    return `the hook of ${event}${tool === null ? '' : ` (${tool})`}, ${command}, ran for ${seconds} s and had not ended`
  })
  if (named.length === 0) return ''
  const advice = 'Give it a `timeout` of its own, as the engine has it.'
  return ` Still running: ${firstInSentence(named, MOST_NAMED, '; ')}. ${isClosed ? `${CLOSED} ` : ''}${advice}`
}

/** The decisions, where a hook that gave no answer in time says what it ran, and whether the network was closed. */
export function explainLate(
  decisions: readonly RecordedDecision[],
  { plan, isClosed }: HookContext,
): readonly RecordedDecision[] {
  return decisions.map((decision) => {
    const hook = plan.hooks.find(({ id }) => id === decision.id)
    if (decision.decision !== 'timed-out' || hook === undefined) return decision
    const ran = `It ran \`${shorten(hook.command, LONGEST_COMMAND)}\`.`
    return { ...decision, reason: [decision.reason, ran, ...(isClosed ? [CLOSED] : [])].join(' ') }
  })
}

/** One sentence for each hook that broke and that the engine did not wait for: it decided nothing anyhow. */
export function describeAsyncFailures(run: Pick<AgentRun, 'transcript'>): readonly string[] {
  const broken = hookDecisions(run).filter(
    ({ async, exitCode, reason }) => async === true && exitCode !== 0 && reason !== '',
  )
  const sentences = broken.map(({ event, exitCode, reason }) => {
    const how = exitCode === null ? 'gave no answer' : `failed with exit code ${exitCode}`
    return `The ${event} hook ${how} (${firstLine(reason)}). It is async, so it decided nothing.`
  })
  return [...new Set(sentences)]
}

const CLOSED = 'The sandbox closed the network; "sandbox": { "network": true } in eval-config.json opens it.'
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
