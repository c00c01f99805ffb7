import { answerCall } from '../../engines/mocks/mock-answer.ts'
import { ABORTED } from '../../engines/mocks/mock-spec.ts'
import { withoutSpace } from '../../texts.ts'
import { callsIn } from '../pair-calls.ts'
import type { ModelCall } from '../../engines/record-table.ts'
import type { Conversation, ObservedResult } from '../../conversation/conversation.ts'
import type { AnsweredCall } from '../../transcript/agent-run.ts'
import type { MockSpecTool } from '../../engines/mocks/mock-spec.ts'
import type { StandIn } from '../plugin-case/stand-ins.ts'

/** The records of the calls that stand-ins answered. */
export interface MockRecords {
  /** The lines that the stand-ins wrote; a session can write there too. */
  readonly calls: readonly AnsweredCall[]
  readonly standIns: readonly Pick<StandIn, 'spec'>[]
  readonly conversation: Conversation
  /** Whether a refusal of a mock ended the session. */
  readonly isRefused: boolean
  /** Whether a call of this tool makes further ones, which no answer shows. */
  readonly hidesCalls: (tool: string) => boolean
}

/**
 * One sentence on the first difference between the calls in `mock-calls.jsonl` and those that passed the gateway, by name,
 * input and result; `null` when they agree.
 */
export function compareMocks({ calls, standIns, conversation, isRefused, hidesCalls }: MockRecords): string | null {
  const { threads } = conversation
  const turns = threads.flatMap((thread) => thread.turns)
  const results = new Map(turns.flatMap((turn) => turn.results.map((result) => [result.id, result])))
  const made = turns.flatMap(({ answer }) => callsIn(answer?.content ?? []))
  const left = [...made, ...turns.flatMap(({ others = [] }) => others.flatMap(callsIn))]
  const canHide = left.some(({ name }) => hidesCalls(name))
  for (const call of calls) {
    const what = `mock-calls.jsonl has the call of ${call.tool} with ${quoteRecord(JSON.stringify(call.input))} and the answer ${quoteRecord(call.output)}`
    if (!isOwnAnswer(call, standIns)) return `${DIFFER} ${what}, which its mock does not give.`
    const at = left.findIndex(
      ({ id, name, input }) =>
        isTool(name, call.tool) && isSameInput(call.input, input) && isAnswered(call, results.get(id)),
    )
    if (at < 0 && !canHide) return `${DIFFER} ${what}, and the gateway saw no such call with this result.`
    if (at >= 0) left.splice(at, 1)
  }
  const missing = left.find((call) => made.includes(call) && reachedMock(call, results.get(call.id), standIns))
  if (missing !== undefined)
    return `${DIFFER} the gateway saw the model call ${missing.name} (${missing.id}), and mock-calls.jsonl does not have it.`
  return isRefused && !calls.some(({ verdict }) => verdict === 'abort')
    ? `${DIFFER} a refusal of a mock ended the session, and mock-calls.jsonl has none.`
    : null
}

// Engines write the name of the server in their own ways; the name of the tool comes last.
function isTool(name: string, tool: string): boolean {
  const own = tool.split('__').at(-1) ?? tool
  return name === tool || name === own || ['_', '-', '.', '/'].some((mark) => name.endsWith(`${mark}${own}`))
}

function isSameInput(logged: unknown, input: unknown): boolean {
  // A long input is logged as the beginning of its text.
  if (typeof logged === 'string') return JSON.stringify(input).startsWith(logged.slice(0, LONGEST))
  return canonical(logged) === canonical(input)
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )
}

/** Whether the model was given this answer; the last results are in no request where a session ends with them. */
function isAnswered({ output, verdict }: AnsweredCall, result: ObservedResult | undefined): boolean {
  if (result === undefined || output.length > LONGEST) return true
  const given = withoutSpace(result.text)
  const texts = [output, JSON.stringify(output).slice(1, -1)].map(withoutSpace)
  return texts.some((text) => given.includes(text)) && (verdict !== 'abort' || given.includes(withoutSpace(ABORTED)))
}

/** Whether a mock with a written answer gives this one. */
function isOwnAnswer(
  { server, tool, input, output, verdict }: AnsweredCall,
  standIns: MockRecords['standIns'],
): boolean {
  const found = findTool(tool, standIns, server)
  if (found?.responder.kind !== 'fixed' || typeof input === 'string') return true
  const expected = answerCall(found.responder, { server, tool: found.name, input, earlier: [] })
  return expected.verdict === verdict && expected.output.slice(0, LONGEST) === output.slice(0, LONGEST)
}

// A call that the engine refused by itself has come to no mock.
function reachedMock(
  { name, input }: ModelCall,
  result: ObservedResult | undefined,
  standIns: MockRecords['standIns'],
): boolean {
  const found = findTool(name, standIns)
  if (found === null || result === undefined) return false
  if (!result.isError) return name.includes('__') || name.includes('-')
  if (found.responder.kind !== 'fixed') return false
  const { verdict, output } = answerCall(found.responder, { server: '', tool: found.name, input, earlier: [] })
  return verdict !== 'ok' && isAnswered({ server: '', tool: found.name, input, output, verdict: 'tool_error' }, result)
}

function findTool(name: string, standIns: MockRecords['standIns'], server?: string): MockSpecTool | null {
  const tools = standIns.flatMap(({ spec }) => (server === undefined || spec.server === server ? spec.tools : []))
  return tools.find((tool) => isTool(name, tool.name)) ?? null
}

/** A text of a record, short enough for a message. */
function quoteRecord(text: string): string {
  return JSON.stringify(text.length <= 120 ? text : `${text.slice(0, 119)}…`)
}

/** Characters that every record has of an input or an answer. */
const LONGEST = 10_000
const DIFFER = 'The records of the session differ:'
