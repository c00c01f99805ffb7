import { isJsonObject, type JsonValue } from '../json.ts'
import type { StreamAgreement } from '../engines/stream-agreement.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/**
 * One sentence on the first word or call of an engine's stream that the gateway did not see the model give; `null` when
 * they agree. A tool runs as the same user as the CLI, so it can write to the CLI's output.
 */
export function compareStream(
  agreement: StreamAgreement,
  events: readonly UnnumberedEvent[],
  { threads, fragments = [] }: Conversation,
): string | null {
  const turns = threads.flatMap((thread) => thread.turns)
  const answers = [...turns.map(({ answer }) => answer?.content ?? []), fragments]
  const texts = answers.map(textOf)
  const results = new Map(turns.flatMap((turn) => turn.results.map((result) => [result.id, result])))
  const calls = new Map(answers.flat().flatMap((block) => (block.kind === 'tool-call' ? [[block.id, block]] : [])))
  for (const event of events) {
    if (event.kind === 'message' && !texts.some((text) => text.includes(plain(event.text))))
      return `The records of the session differ: the engine's stream has the message ${quote(event.text)}, and no model answer contains it.`
    if (event.kind === 'tool-result') {
      const given = results.get(event.id)
      // The last results are in no request where a session ends with them.
      if (given !== undefined && agreement.agree?.(event, given) === false)
        return `The records of the session differ: the engine's stream has the result ${quote(event.text)} of the call ${event.id}, and the gateway saw the model get ${quote(given.text)}.`
    }
    if (event.kind !== 'tool-call' || agreement.isOwnCall(event)) continue
    const call = calls.get(event.id)
    const what = `the engine's stream has a call of ${event.tool} (${event.id})`
    if (call === undefined) return `The records of the session differ: ${what}, and no model answer contains it.`
    if (agreement.toolOf(call.name) !== agreement.toolOf(event.tool) || !holds(event.input, call.input))
      return `The records of the session differ: ${what} with ${quote(JSON.stringify(event.input))}, and the gateway saw the model call ${call.name} with ${quote(JSON.stringify(call.input))}.`
  }
  return missingCall(agreement, events, threads)
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

function textOf(content: readonly AnswerBlock[]): string {
  return plain(content.flatMap((block) => (block.kind === 'text' ? [block.text] : [])).join('\n'))
}

// Engines put blocks together and cut white space in ways of their own.
function plain(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Whether an input has all fields that the model gave: engines add defaults. */
function holds(shown: JsonValue, given: JsonValue): boolean {
  if (!isJsonObject(given) || !isJsonObject(shown)) return JSON.stringify(shown) === JSON.stringify(given)
  return Object.entries(given).every(
    ([key, value]) => Object.hasOwn(shown, key) && holds(shown[key] ?? null, value ?? null),
  )
}

function quote(text: string): string {
  return JSON.stringify(text.length <= 120 ? text : `${text.slice(0, 119)}…`)
}
