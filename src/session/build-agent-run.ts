import { isProgram, type FoundEngine } from '../engines/find.ts'
import { namesTool, type HookPlan, type RecordedDecision } from '../engines/hooks/hook-plan.ts'
import type { MeterReading } from '../gateway/leases/lease.ts'
import { findDelay } from '../gateway/rate-limiter.ts'
import type { ErrorCode } from '../lib/errors.ts'
import { firstInSentence } from '../lib/lists.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { Conversation } from '../recordings/conversation.ts'
import type { ModelAnswer } from '../recordings/messages.ts'
import { numberEvents, saysNothing } from '../transcript/select.ts'
import type { SkillText } from '../transcript/skill-reads.ts'
import type { AgentRun, FileChanges, OtherRequest, RunStatus, UnnumberedEvent } from '../transcript/transcript.ts'
import type { AgentRequest } from './agent-request.ts'
import { findMockedCalls, type MockedCalls } from './stand-ins.ts'
import type { SessionEnd } from './session-end.ts'
import type { RunRecord } from './build-transcript.ts'
import { readRecord } from './read-record.ts'
import { mergeTurns } from './turns.ts'

/** Everything that is known of a run. */
export interface SessionRecords {
  readonly request: Pick<
    AgentRequest,
    'deadlineMs' | 'endsWith' | 'engine' | 'evalCase' | 'model' | 'sandbox' | 'source' | 'standIns'
  > & {
    readonly package: Pick<AgentPackage, 'leftOut'>
  }
  readonly ended: SessionEnd
  readonly files: FileChanges
  readonly decisions: readonly RecordedDecision[]
  /** How many of them came before each of several turns. */
  readonly decidedBefore?: readonly number[]
  /** Which hooks the session hung in; absent or empty when it hung in none. */
  readonly hanging?: string
  readonly hookPlan: HookPlan
  /** Skills that the session found. */
  readonly skills: readonly SkillText[]
  /** Absolute path of the workspace if it is kept. */
  readonly workspace: string | null
}

/** Makes one run of what the process, its stream, the gateway and the workspace tell. Pure. */
export function buildAgentRun(records: SessionRecords): AgentRun {
  const { request, ended, files, decisions, workspace } = records
  const { result, summary, meter, conversation } = ended
  const { engine, version } = request.engine
  const record = readRecord({ ...records, ...ended })
  // A probe that decides has no session to end.
  const events = ended.stopped && ended.startedAt !== undefined ? [...record.events, ENDED] : record.events
  const evidence: Evidence = { ...records, ...record, events }
  const mocked = findMockedCalls(events, request.standIns ?? [])
  // The CLI counts them as hooks without a verdict, too.
  const invalidAnswers = decisions.filter(({ decision }) => decision === 'invalid').length
  const { wordsAfter } = request.engine.engine
  const context = { hooks: records.hookPlan.hooks, conversation, wordsAfter }
  const merged = [
    ...mergeTurns(events, [...decisions, ...cutOffHooks(evidence)], records.decidedBefore, context),
    ...silentHooks(summary.hooksWithoutVerdict - invalidAnswers),
  ]
  const otherRequests = [...record.otherRequests, ...countsOf(meter)]
  return {
    engine: engine.name,
    engineVersion: summary.version ?? version,
    ...(judgeRecords(evidence) ?? judgeMocks(evidence, mocked) ?? judgeEnd(evidence)),
    exitCode: result.exitCode,
    signal: result.signal,
    sessionId: summary.sessionId,
    modelAsked: request.model,
    model: meter.model ?? summary.model,
    record: isProgram(request.engine) && engine.recordTable === undefined ? 'engine' : 'gateway',
    ...(otherRequests.length === 0 ? {} : { otherRequests }),
    output: record.output,
    finalMessage: record.finalMessage,
    transcript: numberEvents(merged),
    ...timesOf(merged, record.times, ended),
    ...(ended.trace === undefined ? {} : { trace: ended.trace }),
    ...(mocked === null ? {} : { mockCalls: mocked.calls }),
    files,
    usage: meter.usage,
    costUsd: meter.costUsd,
    requests: meter.requests,
    durationMs: Math.round(result.durationMs),
    ...(meter.stopReason === undefined ? {} : { stopReason: meter.stopReason }),
    sandbox: { asked: request.sandbox.asked, enforced: request.sandbox.enforced },
    stderrTail: result.stderrTail.slice(-STDERR_TAIL),
    workspace,
  }
}

/** Everything that is known of a run, with what it did. */
type Evidence = SessionRecords & Omit<RunRecord, 'times'>

const ENDED: UnnumberedEvent = {
  kind: 'notice',
  agent: null,
  text: 'The run was ended here, because later events cannot change its result.',
}

const STDERR_TAIL = 2000

// By the numbers that the events have in the transcript. Those of hooks, and what an engine hides, were not seen.
function timesOf(
  events: readonly UnnumberedEvent[],
  times: RunRecord['times'],
  { startedAt }: Pick<SessionEnd, 'startedAt'>,
): Pick<AgentRun, 'eventTimes'> {
  if (startedAt === undefined) return {}
  const timed = events.flatMap((event, index) => {
    const time = times.get(event)
    return time === undefined ? [] : [[index + 1, Math.max(0, time - startedAt)] as const]
  })
  return timed.length === 0 ? {} : { eventTimes: Object.fromEntries(timed) }
}

function countsOf({ counted = [] }: MeterReading): readonly OtherRequest[] {
  return counted.map(({ what, times }) => {
    return { thread: 'side:count-tokens', model: what, answer: null, ...(times === 1 ? {} : { times }) }
  })
}

type End = Pick<AgentRun, 'problem' | 'problemCode' | 'status'>

// Only a session that came to its end has left every record complete.
function judgeRecords(evidence: Evidence): End | null {
  const { ended, problem } = evidence
  if (problem === null || ended.stopped || judgeEnd(evidence).status !== 'completed') return null
  return end('crashed', 'records-differ', problem)
}

// Also of a session that a mock or its own limits ended: its calls are graded.
function judgeMocks(evidence: Evidence, mocked: MockedCalls | null): End | null {
  const { status } = judgeEnd(evidence)
  if (mocked?.problem == null || (status !== 'completed' && status !== 'limit-reached')) return null
  return end('crashed', 'records-differ', mocked.problem)
}

// What ended the process comes before the CLI's own status, and the gateway's before its exit code:
// some CLIs end a run in which nothing worked with exit code 0.
function judgeEnd(evidence: Evidence): End {
  const { ended, request, events, hanging = '' } = evidence
  const { result, summary, meter, stopped } = ended
  const { engine, deadlineMs } = request
  if (stopped) return { status: 'completed', problem: null, problemCode: null }
  if (result.aborted) return end('cancelled', 'cancelled', 'The run was cancelled.')
  if (result.timedOut) {
    const delay = findDelay(meter)
    const open = hanging === '' ? `${describeOpenCalls(events)} Raise \`timeout\` if it needs longer.` : hanging
    const advice = delay === null ? open : ' The API used up the time: run again later, or with a lower `concurrency`.'
    const message = `The run did not end within its ${deadlineMs / 1000} s${delay === null ? '' : `, ${delay.clause}`}.${advice}`
    return end('timed-out', delay?.code ?? 'timed-out', message)
  }
  if (result.setupError !== null) {
    return end('crashed', 'sandbox-unavailable', `The sandbox did not start: ${result.setupError}`)
  }
  const [problem] = meter.problems
  if (problem?.code === 'max-tokens') return end('limit-reached', problem.code, problem.message)
  if (problem !== undefined) return end('api-error', problem.code, problem.message)
  if (summary.status === 'completed') {
    const empty = describeEmptyAnswer({ ...evidence, ...ended })
    if (empty !== null) return end('api-error', 'no-output', empty)
    return { status: 'completed', problem: null, problemCode: null }
  }
  if (summary.status !== null) {
    const code = summary.status === 'api-error' ? 'upstream-failed' : 'engine-failed'
    return end(summary.status, code, explain(summary.problem ?? `The run ended as ${summary.status}.`))
  }
  const detail = result.spawnError?.message ?? lastLine(result.stderrTail)
  const ending = result.signal === null ? `exit code ${result.exitCode}` : `signal ${result.signal}`
  const problemText = `${nameOf(engine)} ended with ${ending} and without a result${detail === '' ? '' : `: ${detail}`}`
  return end('crashed', 'engine-failed', problemText)
}

// What a run hangs in is what has no result yet.
function describeOpenCalls(events: Evidence['events']): string {
  const ended = new Set(events.flatMap((event) => (event.kind === 'tool-result' ? [event.id] : [])))
  const open = events.flatMap((event) => (event.kind === 'tool-call' && !ended.has(event.id) ? [event] : []))
  if (open.length === 0) return ''
  const calls = open.map(({ tool, input }) => `${tool} ${JSON.stringify(input).slice(0, 120)}`)
  return ` Still running: ${firstInSentence(calls, 3, '; ')}.`
}

// Another program of that name, or an old version, is what is wrong most often.
function nameOf(found: FoundEngine): string {
  if (!isProgram(found)) return found.engine.name
  const { engine, executable, version } = found
  return `${engine.executable} ${version ?? 'of an unknown version'} (${executable})`
}

// Where a request failed the gateway has reported it before: this one never came.
function explain(problem: string): string {
  if (!/^(?:API Error: )?(?:Connection |Unable to connect)/i.test(problem)) return problem
  const sentence = problem.replace(/(?<![.\s])[.\s]*$/, '.')
  return `${sentence} Every request that reached the gateway was answered, so the fault is on the way to it.`
}

function end(status: RunStatus, problemCode: ErrorCode, problem: string): End {
  return { status, problemCode, problem }
}

// They ran, and the shim had no time to record them. The engine also says so of some that the shim saw end.
function cutOffHooks({ ended, hookPlan, decisions }: SessionRecords): readonly RecordedDecision[] {
  const lines = [...decisions]
  return (ended.summary.hookRuns ?? []).flatMap(({ event, tool, cutOff }): readonly RecordedDecision[] => {
    const at = lines.findIndex((line) => line.event === event && line.tool === tool)
    if (at >= 0) lines.splice(at, 1)
    const hook = hookPlan.hooks.find(
      ({ async, matcher = null, ...one }) => async === true && one.event === event && namesTool(matcher, tool ?? ''),
    )
    if (at >= 0 || cutOff !== true || hook === undefined) return []
    return [
      { id: hook.id, event, tool, toolCallId: null, decision: 'allowed', exitCode: null, reason: '', durationMs: 0 },
    ]
  })
}

// A hook that the engine itself ran and that gave no verdict let the tool run unwatched.
function silentHooks(count: number): readonly UnnumberedEvent[] {
  const silent: UnnumberedEvent = {
    kind: 'hook',
    agent: null,
    event: 'unknown',
    tool: null,
    decision: 'failed',
    exitCode: null,
    reason: 'The engine says that it gave no verdict.',
  }
  return Array.from({ length: count }, () => silent)
}

// Behind the error some programs tell how they are used.
function lastLine(text: string): string {
  const lines = text.trim().split('\n')
  return lines.findLast((line) => /^(?:error|fatal)\b/i.test(line)) ?? lines.at(-1) ?? ''
}

/** What shows whether a model has answered. */
export interface AnswerEvidence {
  readonly request: Pick<AgentRequest, 'endsWith' | 'source'>
  readonly events: readonly UnnumberedEvent[]
  readonly output: string
  readonly meter: Pick<MeterReading, 'requests'>
  readonly conversation: Conversation | null
  readonly decisions: readonly Pick<RecordedDecision, 'decision'>[]
}

/**
 * Why a session that its CLI calls completed did not complete: empty answers are known from broken APIs. `null` when the
 * model answered, or when a hook refused the prompt.
 */
export function describeEmptyAnswer(evidence: AnswerEvidence): string | null {
  const { request, events, decisions } = evidence
  const again = request.source.kind === 'replay' ? 'Record the case again.' : 'Run the case again.'
  // What such a run did not do before its last answer decides it, so that answer must be one.
  if (request.endsWith !== undefined)
    return isLastAnswerEmpty(evidence) ? `The last answer of the model was empty. ${again}` : null
  const isRefused = wasNotAsked(evidence) || decisions.some(({ decision }) => decision !== 'allowed')
  if (isRefused || !saysNothing(evidence.output) || events.some(isCall)) return null
  return `The model gave an empty answer and called no tool. ${again}`
}

function isLastAnswerEmpty(evidence: AnswerEvidence): boolean {
  const { events, output, conversation } = evidence
  const main = conversation?.threads.findLast(({ thread }) => thread === 'main')
  const turn = main?.turns.at(-1)
  if (turn !== undefined) return turn.answer !== null && isEmpty(turn.answer)
  // An engine whose requests are not observed shows its calls and messages in order.
  const last = events.findLastIndex((event) => event.agent === null && (isCall(event) || event.kind === 'tool-result'))
  if (last < 0) return !wasNotAsked(evidence) && saysNothing(output)
  return !events
    .slice(last)
    .some((event) => event.kind === 'message' && event.agent === null && !saysNothing(event.text))
}

function isEmpty({ content }: Pick<ModelAnswer, 'content'>): boolean {
  return content.every((block) => block.kind === 'thinking' || (block.kind === 'text' && saysNothing(block.text)))
}

function wasNotAsked({ meter }: Pick<AnswerEvidence, 'meter'>): boolean {
  return meter.requests === 0
}

function isCall({ kind }: UnnumberedEvent): boolean {
  return kind === 'tool-call'
}
