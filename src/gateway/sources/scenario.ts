import { sha256 } from '../../lib/sha256.ts'
import {
  createThreadKeys,
  nameThread,
  fingerprint,
  markResumed,
  openingTexts,
  type AnswerBlock,
  type EngineTraffic,
  type ModelAnswer,
  type ModelRequest,
  type Thread,
} from '../../recordings/messages.ts'
import type { Problem } from '../leases/lease.ts'
import { withNonce, type Scenario, type ScenarioToolCall, type ScenarioTurn } from './scenario-file.ts'
import {
  describeLastMessage,
  describeRefusal,
  emptyAnswer,
  withVolatileIds,
  type Source,
  type SourceAnswer,
} from './source.ts'

/**
 * Answers from a hand-written file. The n-th different request of a thread gets its n-th turn, and the same request sent
 * again gets the same turn again. A turn that is an error is used up by one request, so that the retry gets the next one;
 * the last one stays.
 */
export function createScenarioSource(scenario: Scenario, traffic: readonly EngineTraffic[] = []): Source {
  const keyOf = createThreadKeys()
  const delegations = createDelegations()
  const threads = new Map<string, ScriptedThread | null>()

  const findThread = (key: string, request: ModelRequest): ScriptedThread | null => {
    const existing = threads.get(key)
    if (existing !== undefined) return existing
    const turns = turnsFor(request)
    const thread = turns === null ? null : { turns, next: 0, answered: new Map<string, number>() }
    threads.set(key, thread)
    return thread
  }
  const turnsFor = (request: ModelRequest): readonly ScenarioTurn[] | null => {
    if (request.thread.kind === 'main') return scenario.turns
    return request.thread.kind === 'side' ? scenario.side : delegations.claim(request)
  }

  return {
    kind: 'answers',
    answer(request) {
      const nothing = emptyAnswer(request, modelOf(scenario))
      if (nothing !== null) return { kind: 'answer', answer: nothing }
      const key = request.thread.kind === 'side' ? 'side' : nameThread(keyOf(request.thread))
      const thread = findThread(key, request)
      if (thread === null) return refuse(noTurns(scenario, request))
      const index = takeTurn(thread, fingerprint(request))
      const turn = thread.turns[index]
      if (turn === undefined) return refuse(exhausted(scenario, thread, request))
      if (turn.error !== null) return fail(scenario, turn)
      const answer = writeAnswer(scenario, turn, `${key}/${index}${markResumed(request, index)}`)
      delegations.offer(`${key}/${index}`, turn)
      return {
        kind: 'answer',
        answer: { ...answer, content: withVolatileIds(withNonce(answer.content, request), request, traffic) },
      }
    },
  }
}

interface ScriptedThread {
  readonly turns: readonly ScenarioTurn[]
  next: number
  readonly answered: Map<string, number>
}

function takeTurn(thread: ScriptedThread, request: string): number {
  const earlier = thread.answered.get(request)
  if (earlier !== undefined) return earlier
  const index = thread.next
  const error = thread.turns[index]?.error ?? null
  if (error !== null && index + 1 < thread.turns.length) {
    thread.next += 1
    return index
  }
  thread.answered.set(request, index)
  if (error === null && index < thread.turns.length) thread.next += 1
  return index
}

function writeAnswer(scenario: Scenario, turn: ScenarioTurn, place: string): ModelAnswer {
  const text: AnswerBlock[] = turn.text === null ? [] : [{ kind: 'text', text: turn.text }]
  const tools = turn.tools.map((tool, position): AnswerBlock => {
    return { kind: 'tool-call', id: `toolu_${hash(`${place}/${position}`)}`, name: tool.name, input: tool.input }
  })
  return {
    id: `msg_${hash(place)}`,
    model: modelOf(scenario),
    content: [...text, ...tools],
    stopReason: turn.stop ?? (tools.length > 0 ? 'tool-calls' : 'end-turn'),
    usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
  }
}

function modelOf({ model }: Scenario): string {
  return model ?? 'scenario'
}

function fail(scenario: Scenario, turn: ScenarioTurn): SourceAnswer {
  const { status, type, message, retryAfter } = turn.error ?? { status: 500, type: '', message: '', retryAfter: null }
  const failure = { status, type: type === '' ? null : type, message, retryAfter, retry: null }
  const refusal = describeRefusal(status, message, `The scenario (${scenario.file}:${turn.line})`, false)
  return { kind: 'failure', failure, refusal }
}

function exhausted(scenario: Scenario, { turns }: ScriptedThread, request: ModelRequest): Problem {
  const last = turns.at(-1)
  const who = nameOf(request.thread)
  if (last === undefined)
    return exhaustion(
      `${scenario.file}: the scenario has no \`side\` turns for ${who}. ${describeLastMessage(request)} Add one.`,
    )
  return exhaustion(
    `${scenario.file}:${last.line}: ${who} sent another request after its last turn in the scenario. ${describeLastMessage(request)} Add a turn that answers it.`,
  )
}

function noTurns(scenario: Scenario, request: ModelRequest): Problem {
  return exhaustion(
    `${scenario.file}: the scenario has no turns for ${nameOf(request.thread)}. Add \`turns\` to the tool call that starts it.`,
  )
}

function nameOf(thread: Thread): string {
  if (thread.kind === 'main') return 'the main thread'
  if (thread.kind === 'side') return `the CLI itself (${thread.name})`
  return `the sub-agent given ${JSON.stringify(thread.prompt.slice(0, 200))}`
}

function exhaustion(message: string): Problem {
  return { code: 'scenario-exhausted', message }
}

/** Of all errors, CLIs give up at once on this one and show its text. */
function refuse(problem: Problem): SourceAnswer {
  return {
    kind: 'failure',
    failure: { status: 403, type: null, message: problem.message, retryAfter: null, retry: false },
    refusal: { problem, final: true },
  }
}

function hash(text: string): string {
  return sha256(text, 24)
}

/** The tool calls with turns of their own that were made and whose sub-agent has not asked yet. */
interface Delegations {
  /** Notes the calls of a turn that is answered; `place` keeps a repeated answer from counting twice. */
  offer(place: string, turn: ScenarioTurn): void
  /** Takes the turns of the first call that gave a sub-agent its prompt; `null` when none did. */
  claim(request: ModelRequest): readonly ScenarioTurn[] | null
}

function createDelegations(): Delegations {
  const offered = new Set<string>()
  const open: ScenarioToolCall[] = []
  return {
    offer(place, turn) {
      if (offered.has(place)) return
      offered.add(place)
      open.push(...turn.tools.filter((tool) => tool.turns !== null))
    },
    claim(request) {
      const { thread } = request
      const prompts = thread.kind === 'agent' ? [thread.prompt] : []
      const texts = [...prompts, ...openingTexts(request)].map((text) => text.trim())
      const call =
        open.find((tool) => givenTexts(tool).some((givenText) => texts.includes(givenText))) ??
        open.find((tool) => givenTexts(tool).some((givenText) => texts.some((text) => text.includes(givenText)))) ??
        // A forked skill is given the skill's text, which is in no field of the call.
        open.find((tool) => givenTexts(tool).length === 0)
      if (call === undefined) return null
      open.splice(open.indexOf(call), 1)
      return call.turns
    },
  }
}

function givenTexts(tool: ScenarioToolCall): readonly string[] {
  if (typeof tool.input === 'string') return []
  const prompt = tool.input['prompt'] ?? tool.input['message']
  return typeof prompt === 'string' && prompt.trim() !== '' ? [prompt.trim()] : []
}
