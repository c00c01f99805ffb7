import { isJsonObject, type JsonValue } from '../json.ts'
import type { ModelCall, StreamAgreement } from '../engines/stream-agreement.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'
import { compareWords } from './compare-words.ts'
import { quoteRecord } from './quote-record.ts'

/**
 * One sentence on the first word or call of an engine's stream that the gateway did not see the model give; `null` when
 * they agree. A tool runs as the same user as the CLI, so it can write to the CLI's output.
 */
export function compareStream(
  agreement: StreamAgreement,
  events: readonly UnnumberedEvent[],
  conversation: Conversation,
): string | null {
  const { threads, fragments = [] } = conversation
  const forged = compareWords(events, conversation)
  if (forged !== null) return forged
  const turns = threads.flatMap((thread) => thread.turns)
  const results = new Map(turns.flatMap((turn) => turn.results.map((result) => [result.id, result])))
  const made = turns.flatMap(({ answer }) => callsIn(answer?.content ?? []))
  const broken = callsIn(fragments)
  const calls = new Map([...made, ...broken].map((call) => [call.id, call]))
  const shown = new Set(events.flatMap((event) => (event.kind === 'tool-call' ? [event.id] : [])))
  for (const event of events) {
    if (event.kind === 'tool-result') {
      const what = `the engine's stream has the result ${quoteRecord(event.text)} of the call ${event.id}`
      if (!shown.has(event.id)) return `The records of the session differ: ${what}, and no such call.`
      const given = results.get(event.id)
      // The last results are in no request where a session ends with them.
      if (given !== undefined && agreement.agree?.(event, given) === false)
        return `The records of the session differ: ${what}, and the gateway saw the model get ${quoteRecord(given.text)}.`
    }
    if (event.kind !== 'tool-call' || agreement.isOwnCall(event, { made, broken })) continue
    const call = calls.get(event.id)
    const what = `the engine's stream has a call of ${event.tool} (${event.id})`
    if (call === undefined) return `The records of the session differ: ${what}, and no model answer contains it.`
    if (agreement.toolOf(call.name) !== agreement.toolOf(event.tool) || !holds(event.input, call.input))
      return `The records of the session differ: ${what} with ${quoteRecord(JSON.stringify(event.input))}, and the gateway saw the model call ${call.name} with ${quoteRecord(JSON.stringify(call.input))}.`
  }
  return missingCall(agreement, events, threads)
}

function callsIn(content: readonly AnswerBlock[]): readonly ModelCall[] {
  return content.filter((block) => block.kind === 'tool-call')
}

/** A call that the stream does not show has been hidden from the checks. */
function missingCall(
  { showsCalls }: StreamAgreement,
  events: readonly UnnumberedEvent[],
  threads: Conversation['threads'],
): string | null {
  if (!showsCalls) return null
  const shown = new Set(events.flatMap((event) => (event.kind === 'tool-call' ? [event.id] : [])))
  const main = threads.filter(({ thread }) => thread === 'main').flatMap(({ turns }) => turns)
  // A call counts once its result has come: a session may end before it makes the last ones.
  const returned = new Set(main.flatMap(({ results }) => results.map(({ id }) => id)))
  const calls = main.flatMap(({ answer }) => answer?.content ?? []).filter((block) => block.kind === 'tool-call')
  const hidden = calls.find(({ id }) => returned.has(id) && !shown.has(id))
  return hidden === undefined
    ? null
    : `The records of the session differ: the gateway saw the model call ${hidden.name} (${hidden.id}), and the engine's stream does not show it.`
}

/** Whether an input has all fields that the model gave: engines add defaults. */
function holds(shown: JsonValue, given: JsonValue): boolean {
  if (!isJsonObject(given) || !isJsonObject(shown)) return JSON.stringify(shown) === JSON.stringify(given)
  return Object.entries(given).every(
    ([key, value]) => Object.hasOwn(shown, key) && holds(shown[key] ?? null, value ?? null),
  )
}
