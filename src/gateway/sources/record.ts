import { createListener } from '../../conversation/conversation.ts'
import type { Source } from './source.ts'

/** Lets an upstream answer and keeps what it says. */
export function createRecordSource(upstream: Source): Source {
  const { ask, conversation } = createListener()
  if (upstream.kind === 'answers')
    return {
      ...upstream,
      conversation,
      answer(request) {
        const { answered } = ask(request)
        const given = upstream.answer(request)
        if (given.kind === 'answer') answered(given.answer)
        return given
      },
    }
  return {
    ...upstream,
    conversation,
    forward(exchange) {
      if (exchange.route.operation !== 'answer') return upstream.forward(exchange)
      const { answered, brokeOff } = ask(exchange.asked)
      return upstream.forward({
        ...exchange,
        hear(answer) {
          answered(answer)
          exchange.hear(answer)
        },
        brokeOff,
      })
    },
  }
}
