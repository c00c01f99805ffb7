import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'notes', version: '0.1.0' },
  }),
  'tools/list': () => ({
    tools: [
      {
        name: 'add_note',
        description: 'Adds a line to notes.md',
        inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      },
    ],
  }),
  'tools/call': ({ arguments: { text } }) => {
    appendFileSync(join(process.env.NOTES_DIR, 'notes.md'), `- ${text}\n`)
    return { content: [{ type: 'text', text: 'added' }] }
  },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const result = answers[method]?.(params)
  if (result !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
})
