/** How one API says things, written by hand: with nothing in common with the gateway's own wires. */
export interface ApiDialect {
  answer(text: string): ApiText
  refusal(): ApiText
  /** An answer that ends at its limit of tokens. */
  cut(text: string): ApiText
  error(type: string, message: string): object
  readonly noCredit: ApiError
}

/** A refusal of a request. */
export interface ApiError {
  readonly status: number
  readonly type: string
  readonly message: string
  /** Seconds. */
  readonly retryAfter?: number
}

/** One answer, at once and as the events of a stream. */
export interface ApiText {
  readonly whole: object
  readonly events: readonly string[]
}

/** The API that a path belongs to; `null` when it is none of them. */
export function apiOfPath(path: string): ApiDialect | null {
  if (/\/v1\/messages(?:\?|$)/.test(path)) return messages
  if (/\/v1\/responses(?:\?|$)/.test(path)) return responses
  return null
}

const messages: ApiDialect = {
  answer: (text) => sayMessage(text, 'end_turn'),
  refusal: () => sayMessage('', 'refusal'),
  cut: (text) => sayMessage(text, 'max_tokens'),
  error: (type, message) => ({ type: 'error', error: { type, message } }),
  noCredit: {
    status: 400,
    type: 'invalid_request_error',
    message: 'Your credit balance is too low to access the Anthropic API.',
  },
}

function sayMessage(text: string, stop: string): ApiText {
  const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-sonnet-4-5', stop_sequence: null }
  const delta = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }
  return {
    whole: {
      ...head,
      content: text === '' ? [] : [{ type: 'text', text }],
      stop_reason: stop,
      usage: { input_tokens: 10, output_tokens: 5 },
    },
    events: [
      {
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
      },
      ...(text === ''
        ? []
        : [
            { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
            delta,
            { type: 'content_block_stop', index: 0 },
          ]),
      { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ].map(eventOf),
  }
}

const responses: ApiDialect = {
  answer: (text) => sayResponse({ type: 'output_text', text, annotations: [] }),
  refusal: () => sayResponse({ type: 'refusal', refusal: 'I cannot help with that.' }),
  cut: (text) => sayResponse({ type: 'output_text', text, annotations: [] }, 'max_output_tokens'),
  error: (type, message) => ({ error: { type, code: type, message, param: null } }),
  noCredit: { status: 429, type: 'insufficient_quota', message: 'You exceeded your current quota.' },
}

interface Part {
  readonly type: string
  readonly text?: string
  readonly annotations?: readonly never[]
  readonly refusal?: string
}

function sayResponse(part: Part, limit: string | null = null): ApiText {
  const head = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt-5.5', error: null }
  const item = { type: 'message', id: 'msg_1', role: 'assistant', status: 'completed', content: [part] }
  const usage = {
    input_tokens: 10,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 5,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 15,
  }
  const status = limit === null ? 'completed' : 'incomplete'
  const whole = {
    ...head,
    status,
    incomplete_details: limit === null ? null : { reason: limit },
    output: [item],
    usage,
  }
  const at = { output_index: 0, item_id: 'msg_1', content_index: 0 }
  const isRefusal = part.type === 'refusal'
  return {
    whole,
    events: [
      { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } },
      { type: 'response.output_item.added', output_index: 0, item: { ...item, status: 'in_progress', content: [] } },
      { type: 'response.content_part.added', ...at, part: { ...part, [isRefusal ? 'refusal' : 'text']: '' } },
      {
        type: isRefusal ? 'response.refusal.delta' : 'response.output_text.delta',
        ...at,
        delta: part.text ?? part.refusal ?? '',
      },
      { type: 'response.content_part.done', ...at, part },
      { type: 'response.output_item.done', output_index: 0, item },
      { type: `response.${status}`, response: whole },
    ].map(eventOf),
  }
}

function eventOf(event: { readonly type: string }, index: number): string {
  return `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`
}
