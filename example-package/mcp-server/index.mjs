// A Model Context Protocol server on standard input and output, with one tool: page_count.
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { openDocument } from '../skills/pdf-tools/scripts/pdf/document.mjs'

const PAGE_COUNT = {
  name: 'page_count',
  description: 'Counts the pages of a PDF file.',
  inputSchema: {
    type: 'object',
    properties: { path: { type: 'string', description: 'Absolute path of the PDF' } },
    required: ['path'],
    additionalProperties: false,
  },
}

const METHODS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'pdf-info', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: [PAGE_COUNT] }),
  'tools/call': callTool,
}

for await (const line of createInterface({ input: process.stdin })) {
  const answer = line.trim() === '' ? null : answerTo(line)
  if (answer !== null) process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...answer })}\n`)
}

function answerTo(line) {
  const request = parse(line)
  if (request === null) return { id: null, error: { code: -32700, message: 'The line is not JSON.' } }
  const { id, method, params } = request
  if (id === undefined) return null
  if (!Object.hasOwn(METHODS, method)) return { id, error: { code: -32601, message: `There is no method ${method}.` } }
  try {
    return { id, result: METHODS[method](params ?? {}) }
  } catch (error) {
    return { id, error: { code: -32602, message: error.message } }
  }
}

function parse(line) {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

function callTool({ name, arguments: input }) {
  if (name !== PAGE_COUNT.name) throw new Error(`There is no tool ${name}.`)
  if (typeof input?.path !== 'string') throw new Error('page_count needs a path.')
  try {
    const { pages } = openDocument(readFileSync(input.path))
    return {
      content: [{ type: 'text', text: `${input.path} has ${pages.length} ${pages.length === 1 ? 'page' : 'pages'}` }],
    }
  } catch (error) {
    return { content: [{ type: 'text', text: `${input.path}: ${error.message}` }], isError: true }
  }
}
