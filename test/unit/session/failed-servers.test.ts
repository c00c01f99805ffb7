import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { explainFailedServers } from '../../../src/session/failed-servers.ts'

const DIES = { name: 'dies', config: { command: 'node', args: ['server.mjs', '--key=${KEY}'] } }
const FAR = { name: 'far', config: { type: 'http', url: 'https://a.example' } }

test('a server that did not start is named with its command and what it printed', async () => {
  await using hooks = await createFixture({ 'mcp-dies.log': 'no \u001B[31mdatabase\u001B[0m\nat all\n' })
  expect(await explainFailedServers(['plugin:kit:dies', 'far', 'gone'], [DIES, FAR], hooks.path)).toEqual({
    'plugin:kit:dies': expect.stringContaining(
      'The MCP server "plugin:kit:dies" (node server.mjs --key=${KEY}) did not start: no ',
    ),
    far: 'The MCP server "far" (https://a.example) did not start.',
    gone: 'The MCP server "gone" did not start.',
  })
})

test('what a server printed is the end of it, and no control characters', async () => {
  await using hooks = await createFixture({ 'mcp-dies.log': `${'x'.repeat(5000)}\u001B]0;title\u0007 the end` })
  const { dies = '' } = await explainFailedServers(['dies'], [DIES], hooks.path)
  expect(dies.length).toBeLessThan(700)
  expect(dies).toMatch(/the end$/)
  expect(dies).not.toMatch(/\p{Cc}/u)
})

test('a log that a session replaced by a link is not read', async () => {
  await using hooks = await createFixture({ secret: 'SECRET', 'mcp-dies.log': ({ symlink }) => symlink('secret') })
  const { dies } = await explainFailedServers(['dies'], [DIES], hooks.path)
  expect(dies).toBe('The MCP server "dies" (node server.mjs --key=${KEY}) did not start.')
})
