import { expect, test } from 'vitest'
import type { WireName } from '../../../../src/gateway/leases/lease.ts'
import { findWire } from '../../../../src/gateway/wires/wires.ts'
import type { JsonObject } from '../../../../src/lib/json.ts'

const [ANTHROPIC, RESPONSES, CHAT] = ['anthropic-messages', 'openai-responses', 'openai-chat'] as const
const IMAGE = 'data:image/png;base64,AAAA'

function judge(wire: WireName, body: JsonObject, network = false): string | null {
  return findWire(wire).findForbidden(body, network)?.what ?? null
}

function inMessage(...content: readonly JsonObject[]): JsonObject {
  return { messages: [{ role: 'user', content }] }
}

test.for([
  [ANTHROPIC, { mcp_servers: [{ type: 'url', url: 'https://a.example' }] }, 'the field "mcp_servers"'],
  [ANTHROPIC, { container: 'container_1' }, 'the field "container"'],
  [ANTHROPIC, { tools: [{ type: 'code_execution_20250825' }] }, 'a tool that the API runs, "code_execution_20250825"'],
  [ANTHROPIC, { tools: [{ type: 'mcp_toolset' }] }, 'a tool that the API runs, "mcp_toolset"'],
  [ANTHROPIC, { tools: [{ type: 'bash_2' }] }, 'a tool that the API runs, "bash_2"'],
  [ANTHROPIC, { tools: [{ type: ['custom'] }] }, 'a tool that the API runs, "[\\"custom\\"]"'],
  [ANTHROPIC, inMessage({ type: 'container_upload', file_id: 'a' }), 'a file of the account'],
  [
    ANTHROPIC,
    inMessage({ type: 'image', source: { type: 'url', url: 'https://a.example' } }),
    'a block of type "image" with a source of type "url"',
  ],
  [
    ANTHROPIC,
    inMessage({ type: 'tool_result', content: [{ type: 'document', source: { type: 'file', file_id: 'a' } }] }),
    'a block of type "document" with a source of type "file"',
  ],
  [
    ANTHROPIC,
    inMessage({ source: { type: 'content', content: [{ type: 'image', source: { type: 'url' } }] } }),
    'a block of type "image" with a source of type "url"',
  ],
  [RESPONSES, { previous_response_id: 'resp_1' }, 'the field "previous_response_id"'],
  [RESPONSES, { conversation: { id: 'conv_1' } }, 'the field "conversation"'],
  [RESPONSES, { background: true }, 'the field "background"'],
  [RESPONSES, { store: true }, 'the field "store"'],
  [RESPONSES, { store: 'true' }, 'the field "store"'],
  [RESPONSES, { prompt: { id: 'pmpt_1' } }, 'the field "prompt"'],
  [RESPONSES, { tools: [{ type: 'mcp', server_url: 'https://a.example' }] }, 'a tool that the API runs, "mcp"'],
  [
    RESPONSES,
    { tools: [{ type: 'namespace', tools: [{ type: 'code_interpreter' }] }] },
    'a tool that the API runs, "code_interpreter"',
  ],
  [
    RESPONSES,
    { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    'a tool that the API runs, "shell"',
  ],
  [RESPONSES, { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] }, 'a tool that the API runs, "mcp"'],
  [RESPONSES, { input: [{ type: 'item_reference', id: 'a' }] }, 'a reference to data of the account'],
  [
    RESPONSES,
    { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example' }] }] },
    'the field "file_url"',
  ],
  [
    RESPONSES,
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'https://a.example' }] }] },
    'an image by its URL',
  ],
  [
    RESPONSES,
    { input: [{ type: 'function_call_output', output: [{ type: 'input_image', file_id: 'a' }] }] },
    'the field "file_id"',
  ],
  [
    RESPONSES,
    { input: [{ type: 'computer_call_output', output: { image_url: 'https://a.example' } }] },
    'an image by its URL',
  ],
  [CHAT, { store: true }, 'the field "store"'],
  [CHAT, inMessage({ type: 'image_url', image_url: { url: 'https://a.example' } }), 'an image by its URL'],
  [CHAT, inMessage({ type: 'file', file: { file_id: 'a' } }), 'the field "file_id"'],
] as const)('%s refuses %j', ([wire, body, what]) => {
  expect(judge(wire, body)).toBe(what)
  // The network of a session is no reason for any of these.
  expect(judge(wire, body, true)).toBe(what)
})

test.for([
  [ANTHROPIC, { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
  [ANTHROPIC, { tools: [{ type: 'web_fetch_20250910' }] }],
  [RESPONSES, { tools: [{ type: 'web_search' }] }],
  [RESPONSES, { tools: [{ type: 'web_search_preview_2025_03_11' }] }],
  [CHAT, { web_search_options: {} }],
] as const)('%s allows %j with `network: true` alone', ([wire, body]) => {
  expect(findWire(wire).findForbidden(body, false)).toMatchObject({ isWebTool: true })
  expect(judge(wire, body, true)).toBeNull()
})

test.for([
  [
    ANTHROPIC,
    {
      tools: [
        { name: 'Bash', input_schema: {} },
        { type: 'custom', name: 'a' },
        { type: 'bash_20250124' },
        { type: 'tool_search_tool_bm25_20251119' },
      ],
    },
  ],
  [ANTHROPIC, inMessage({ type: 'image', source: { type: 'base64', data: 'AAAA' } }, { type: 'text', text: 'a' })],
  // What the model gave to a tool of the client is no block of the API.
  [
    ANTHROPIC,
    inMessage({ type: 'tool_use', input: { source: { type: 'url' }, content: [{ source: { type: 'url' } }] } }),
  ],
  [ANTHROPIC, { mcp_servers: null, container: null }],
  [
    RESPONSES,
    {
      store: false,
      background: false,
      previous_response_id: null,
      tools: [{ type: 'function' }, { type: 'custom' }, { type: 'local_shell' }],
    },
  ],
  [RESPONSES, { input: [{ role: 'user', content: [{ type: 'input_image', image_url: IMAGE }] }] }],
  [RESPONSES, { input: 'image_url' }],
  [CHAT, inMessage({ type: 'image_url', image_url: { url: IMAGE } })],
] as const)('%s allows %j', ([wire, body]) => {
  expect(judge(wire, body)).toBeNull()
})
