import type { FileTree } from 'fs-fixture'

/** What every story runs in: a guard, a skill and a server. */
export const PARTS: FileTree = {
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: {
      'pre-tool-use': [
        { matcher: 'Bash|Write|Skill', hooks: [{ type: 'command', command: 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' }] },
      ],
    },
  }),
  'hooks/guard.sh': `case "$(cat)" in
*'echo forbidden'*) echo "forbidden names are not written" >&2; exit 2 ;;
*'echo mistaken'*) echo '{"decision": "refuse"}' ;;
esac
`,
  'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\n# Greet\nSay hello.\n',
  'mcp/servers.json': JSON.stringify({
    servers: { places: { command: 'node', args: ['${PACKAGE_ROOT}/mcp/server.mjs'] } },
  }),
  'mcp/server.mjs': `
import { createInterface } from 'node:readline'
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const answer = (result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }))
  if (method === 'initialize') answer({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } })
  if (method === 'tools/list') answer({ tools: [{ name: 'where', description: 'Tells where.', inputSchema: { type: 'object' } }] })
  if (method === 'tools/call') answer({ content: [{ type: 'text', text: 'in the harbour' }] })
  if (id !== undefined && !/^(initialize|tools\\/(list|call))$/.test(method))
    console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }))
})`,
}

/** Hooks of every event that a session has, without a matcher: they allow everything but what the guard forbids. */
export const ALL_HOOKS: FileTree = {
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: Object.fromEntries(
      [
        'session-start',
        'pre-prompt',
        'pre-tool-use',
        'post-tool-use',
        'pre-compact',
        'sub-agent-end',
        'stop',
        'session-end',
      ].map((event) => {
        const command = event === 'pre-tool-use' ? 'sh "${PACKAGE_ROOT}/hooks/guard.sh"' : 'true'
        return [event, [{ hooks: [{ type: 'command', command }] }]]
      }),
    ),
  }),
  'hooks/guard.sh': PARTS['hooks/guard.sh'] ?? '',
}
