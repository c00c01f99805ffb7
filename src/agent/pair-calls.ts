import type { Conversation } from '../conversation/conversation.ts'
import type { AnswerBlock } from '../conversation/model.ts'
import type { ModelCall, RecordTable, ShownCall, ShownResult } from '../engines/record-table.ts'
import type { UnnumberedEvent } from '../transcript/transcript.ts'

/** Which call of an engine's stream is which one of the model. */
export interface CallPairs {
  shownOf(modelId: string): ShownCall | undefined
  /** What the stream says of its result. */
  resultOf(modelId: string): ShownResult | undefined
  callOf(shownId: string): ModelCall | undefined
}

/** Pairs calls by their ids, or in order where the engine numbers them in its own way. */
export function pairCalls(
  { threads }: Pick<Conversation, 'threads'>,
  events: readonly UnnumberedEvent[],
  { isCall }: Pick<RecordTable, 'isCall'>,
): CallPairs {
  const shown = events.filter((event) => event.kind === 'tool-call')
  const ended = new Map(events.flatMap((event) => (event.kind === 'tool-result' ? [[event.id, event] as const] : [])))
  const turns = threads
    .filter(({ thread }) => isCall === undefined || thread === 'main')
    .flatMap((thread) => thread.turns)
  const results = new Map(turns.flatMap((turn) => turn.results.map((result) => [result.id, result])))
  const made = turns.flatMap(({ answer, taken, others = [] }) =>
    [taken ?? answer?.content ?? [], ...others].flatMap(callsIn),
  )
  const byModel = new Map<string, ShownCall>()
  const byShown = new Map<string, ModelCall>()
  for (const call of made) {
    const one = shown.find(
      (event) =>
        !byShown.has(event.id) &&
        (isCall === undefined ? event.id === call.id : isCall(event, call, results.get(call.id))),
    )
    if (one === undefined || byModel.has(call.id)) continue
    byModel.set(call.id, one)
    byShown.set(one.id, call)
  }
  return {
    shownOf: (id) => byModel.get(id),
    resultOf: (id) => ended.get(byModel.get(id)?.id ?? ''),
    callOf: (id) => byShown.get(id),
  }
}

/** The calls of an answer. */
export function callsIn(content: readonly AnswerBlock[]): readonly ModelCall[] {
  return content.filter((block) => block.kind === 'tool-call')
}
