import { isJsonObject, type JsonValue } from '../../json.ts'
import type { ModelCall, StreamAgreement } from '../../engines/stream/stream-agreement.ts'
import type { Conversation } from '../../conversation/conversation.ts'
import type { AnswerBlock } from '../../conversation/model.ts'
import type { UnnumberedEvent } from '../../transcript/transcript.ts'
import { compareWords, type ShownWords } from './compare-words.ts'
import { quoteRecord } from './quote-record.ts'

/**
 * One sentence on the first word or call of an engine's stream that the gateway did not see the model give; `null` when
 * they agree. A tool runs as the same user as the CLI, so it can write to the CLI's output.
 */
export function compareStream(
  agreement: StreamAgreement,
  shownWords: ShownWords,
  conversation: Conversation,
): string | null {
  const { threads, fragments = [] } = conversation
  const { events } = shownWords
  const forged = compareWords(shownWords, conversation)
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
  return missingCall(agreement, events, threads) ?? misplacedCall(agreement, events, threads)
}

/** The events with each call's input as the model gave it: engines add defaults, and a tool could add more. */
export function withModelInputs(
  events: readonly UnnumberedEvent[],
  { threads, fragments = [] }: Conversation,
): readonly UnnumberedEvent[] {
  const answers = threads.flatMap(({ turns }) => turns.flatMap(({ answer }) => answer?.content ?? []))
  const inputs = new Map(callsIn([...fragments, ...answers]).map(({ id, input }) => [id, input]))
  return events.map((event) => {
    const input = event.kind === 'tool-call' ? inputs.get(event.id) : undefined
    if (event.kind !== 'tool-call' || input === undefined || !isJsonObject(input)) return event
    return JSON.stringify(input) === JSON.stringify(event.input) ? event : { ...event, input }
  })
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

/** Calls that the stream shows twice, or after those of a later answer, would count or come in another way than they did. */
function misplacedCall(
  { showsCalls }: StreamAgreement,
  events: readonly UnnumberedEvent[],
  threads: Conversation['threads'],
): string | null {
  if (!showsCalls) return null
  const main = threads.filter(({ thread }) => thread === 'main').flatMap(({ turns }) => turns)
  const answers = new Map(
    main.flatMap(({ answer }, index) => callsIn(answer?.content ?? []).map(({ id }) => [id, index] as const)),
  )
  const seen = new Set<string>()
  let latest = 0
  for (const event of events) {
    if (event.kind !== 'tool-call') continue
    const what = `The records of the session differ: the engine's stream has the call of ${event.tool} (${event.id})`
    if (seen.has(event.id)) return `${what} twice, and the gateway saw the model make it once.`
    seen.add(event.id)
    const answer = event.agent === null ? (answers.get(event.id) ?? latest) : latest
    if (answer < latest) return `${what} after one that the gateway saw the model make later.`
    latest = answer
  }
  return null
}

/** Whether an input has all fields that the model gave: engines add defaults. */
function holds(shown: JsonValue, given: JsonValue): boolean {
  if (!isJsonObject(given) || !isJsonObject(shown)) return JSON.stringify(shown) === JSON.stringify(given)
  return Object.entries(given).every(
    ([key, value]) => Object.hasOwn(shown, key) && holds(shown[key] ?? null, value ?? null),
  )
}
