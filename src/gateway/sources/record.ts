import { createListener } from '../../conversation/conversation.ts'
import type { Source } from './source.ts'

/** Lets an upstream answer and keeps what it says. */
export function createRecordSource(upstream: Source): Source {
  const { ask, conversation, size } = createListener()
  const kept = { conversation, conversationSize: size }
  if (upstream.kind === 'forwards') return { ...upstream, ...kept, listen: ask }
  return {
    ...upstream,
    ...kept,
    answer(request) {
      const { answered } = ask(request)
      const given = upstream.answer(request)
      if (given.kind === 'answer') answered(given.answer)
      return given
    },
  }
}
