import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

/** A Messages API on the loopback that answers `Question N` with the turns of a scenario, as slowly as is asked. */
export async function startModel({ begins, ends }, turnsOf) {
  const server = createServer((request, response) => {
    void text(request).then(async (body) => {
      if (request.method !== 'POST') return response.end()
      const { messages } = JSON.parse(body)
      const index = Number(/Question (\d+)/.exec(JSON.stringify(messages))?.[1])
      const turn = messages.filter(({ role }) => role === 'assistant').length
      await sleep(begins)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      // The CLI takes messages of one id for one message.
      send(response, { type: 'message_start', message: { ...MESSAGE, id: `msg_bench_${turn}` } })
      await sleep(ends - begins)
      answer(response, turnsOf(index)[turn] ?? 'Done.', turn)
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve).closeAllConnections()),
  }
}

function answer(response, turn, at) {
  const [tool] = turn.tools ?? []
  const block =
    tool === undefined
      ? { type: 'text', text: '' }
      : { type: 'tool_use', id: `toolu_${at}`, name: tool.name, input: {} }
  send(response, { type: 'content_block_start', index: 0, content_block: block })
  const delta =
    tool === undefined
      ? { type: 'text_delta', text: turn }
      : { type: 'input_json_delta', partial_json: JSON.stringify(tool.input) }
  send(response, { type: 'content_block_delta', index: 0, delta })
  send(response, { type: 'content_block_stop', index: 0 })
  const reason = tool === undefined ? 'end_turn' : 'tool_use'
  send(response, { type: 'message_delta', delta: { stop_reason: reason }, usage: { output_tokens: 20 } })
  send(response, { type: 'message_stop' })
  response.end()
}

function send(response, event) {
  response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

const MESSAGE = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'claude-opus-5-5',
  content: [],
  stop_reason: null,
  usage: { input_tokens: 9000, output_tokens: 1 },
}
