import { parse } from 'smol-toml'
import { expect, test } from 'vitest'
import { installAgent } from '../../../../src/engines/codex/install.ts'
import { gatewayArguments, sessionConfig } from '../../../../src/engines/codex/command.ts'

const PATHS = { workspace: '/w/a "b".c', home: '/h', packageRoot: '/p' }

test('a configuration holds texts of a package as they are', () => {
  const servers = [
    { name: 'a.b "c"', config: { command: 'x', args: ['\u007f\n', null, 1], env: { A: '', B: null } }, cwd: '/w' },
    { name: 'remote', config: { url: 'http://127.0.0.1/', headers: { 'X-Y': '"' } }, cwd: '/w' },
  ]
  const paths = PATHS as unknown as Parameters<typeof sessionConfig>[0]['paths']
  expect(parse(sessionConfig({ paths, servers, instructions: "Say '''hi'''.\n" }))).toMatchObject({
    developer_instructions: "Say '''hi'''.\n",
    allow_login_shell: false,
    approval_policy: 'never',
    projects: { [PATHS.workspace]: { trust_level: 'trusted' } },
    mcp_servers: {
      'a.b "c"': { command: 'x', args: ['\u007f\n', 1], env: { A: '' }, default_tools_approval_mode: 'approve' },
      remote: { url: 'http://127.0.0.1/', http_headers: { 'X-Y': '"' } },
    },
  })
})

test('a configuration is hermetic', () => {
  const paths = PATHS as unknown as Parameters<typeof sessionConfig>[0]['paths']
  expect(parse(sessionConfig({ paths, servers: [], instructions: null }))).toMatchObject({
    analytics: { enabled: false },
    otel: { exporter: 'none' },
    model_providers: { gateway: { base_url: 'http://gateway.invalid/v1' } },
    features: { plugins: false, apps: false },
  })
})

test('the gateway is an override in TOML', () => {
  const [flag, value = ''] = gatewayArguments({ baseUrl: 'http://127.0.0.1:1/x' })
  expect(flag).toBe('-c')
  expect(parse(value)).toEqual({ model_providers: { gateway: { base_url: 'http://127.0.0.1:1/x/v1' } } })
})

test('an agent is a file that keeps its prompt', () => {
  const agent = { name: 'r', description: 'd "q"', prompt: 'a\n"""\\', tools: [], file: 'agents/r.md' }
  const { files } = installAgent(agent as unknown as Parameters<typeof installAgent>[0])
  const [file] = files
  expect(file?.to).toBe('.codex/agents/r.toml')
  expect(parse(file?.content ?? '')).toEqual({
    name: 'r',
    description: 'd "q"',
    developer_instructions: 'a\n"""\\',
  })
})
