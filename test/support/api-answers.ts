import { findWire } from '../../src/gateway/wires/wires.ts'
import type { RawAnswer, RawRequest } from './raw-upstream.ts'

const PATHS = {
  'anthropic-messages': '/v1/messages',
  'openai-responses': '/v1/responses',
  'openai-chat': '/v1/chat/completions',
} as const

/** The wires that tests attack. */
export type WireName = keyof typeof PATHS

/** Where the API of a wire answers. */
export function pathOf(wire: WireName): string {
  return findWire(wire).routes[0]?.path ?? ''
}

/** The smallest request of a wire. */
export function requestOf(wire: WireName, model: string, words: string): object {
  if (wire === 'openai-responses') return { model, input: words, max_output_tokens: 100 }
  return { model, max_tokens: 100, messages: [{ role: 'user', content: words }] }
}

/** An answer of every API, written by hand: 10 tokens in, `output` out. Anything but a model is a list. */
export function answerAll({ target }: Pick<RawRequest, 'target'>, model = 'm', output = 5): RawAnswer {
  return { body: JSON.stringify(bodyOf(target.split('?')[0] ?? '', model, output)) }
}

function bodyOf(path: string, model: string, output: number): object {
  if (path.endsWith(PATHS['anthropic-messages']))
    return {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model,
      content: [{ type: 'text', text: 'done' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: output },
    }
  if (path.endsWith(PATHS['openai-responses']))
    return {
      id: 'resp_1',
      model,
      status: 'completed',
      output: [{ type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'done' }] }],
      usage: { input_tokens: 10, output_tokens: output, total_tokens: 10 + output },
    }
  if (path.endsWith(PATHS['openai-chat']))
    return {
      id: 'chat_1',
      model,
      choices: [{ index: 0, message: { role: 'assistant', content: 'done' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 10, completion_tokens: output, total_tokens: 10 + output },
    }
  return { data: [] }
}
