/** The program of an MCP server with one tool, `where`, whose answer is the value of a JavaScript expression. */
export function mcpServer(answer: string): string {
  return `
import { createInterface } from 'node:readline'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } })
  if (method === 'tools/list') answer({ tools: [{ name: 'where', inputSchema: { type: 'object' } }] })
  if (method === 'tools/call') answer({ content: [{ type: 'text', text: ${answer} }] })
})`
}
