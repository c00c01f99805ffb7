import { expect, test } from 'vitest'
import { copilot } from '../../../../src/engines/copilot/engine.ts'
import type { CommandRequest, EngineCommand } from '../../../../src/engines/engine.ts'

const REQUEST: CommandRequest = {
  prompt: '--allow-all',
  resume: null,
  target: null,
  commands: [],
  model: 'claude-sonnet-4.6',
  paths: {
    workspace: '/workspace',
    home: '/home/agent',
    config: '/config',
    tmp: '/tmp',
    packageRoot: '/package',
    node: '/node',
    shim: '/shim.js',
    hooks: '/hooks',
  },
  confined: true,
  writablePaths: null,
  unpacked: '/opt/agent-evals/unpacked',
  hasMcp: false,
  gateway: { baseUrl: 'http://127.0.0.1:4100', socket: null, token: 'lease', credential: 'api-key' },
  env: { COPILOT_PROVIDER_BASE_URL: 'http://elsewhere', GREETING: 'hi' },
}

function build(more: Partial<CommandRequest> = {}): EngineCommand {
  const request = { ...REQUEST, ...more }
  const engine = copilot.forModel?.(request.model ?? '') ?? copilot
  return engine.command(request)
}

test('a session in a sandbox', () => {
  expect(build()).toMatchInlineSnapshot(`
    {
      "arguments": [
        "--output-format=json",
        "--no-ask-user",
        "--no-auto-update",
        "--session-id=b544a768-6d11-4668-8a9d-8f24ff542b00",
        "--disable-builtin-mcps",
        "--allow-all-tools",
        "--allow-all-paths",
        "--allow-all-urls",
        "-C",
        "/workspace",
      ],
      "env": {
        "COPILOT_ALLOW_ALL": "true",
        "COPILOT_CLI_DIST_DIR": "/opt/agent-evals/unpacked",
        "COPILOT_HOME": "/config",
        "COPILOT_MODEL": "claude-sonnet-4.6",
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_API_KEY": "lease",
        "COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:4100",
        "COPILOT_PROVIDER_TYPE": "anthropic",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GREETING": "hi",
        "HOME": "/home/agent",
        "NO_PROXY": "127.0.0.1,localhost",
        "TEMP": "/tmp",
        "TMP": "/tmp",
        "TMPDIR": "/tmp",
        "XDG_CACHE_HOME": "/home/agent/.cache",
        "XDG_CONFIG_HOME": "/home/agent/.config",
        "XDG_DATA_HOME": "/home/agent/.local/share",
        "XDG_STATE_HOME": "/home/agent/.local/state",
        "no_proxy": "127.0.0.1,localhost",
      },
      "sessionId": "b544a768-6d11-4668-8a9d-8f24ff542b00",
      "stdin": "--allow-all",
    }
  `)
})

test('outside a sandbox the CLI keeps its own guard of paths', () => {
  const guards = (confined: boolean): readonly string[] =>
    build({ confined }).arguments.filter((argument) => /^--(?:allow|add)/.test(argument))
  expect([guards(true), guards(false)]).toEqual([
    ['--allow-all-tools', '--allow-all-paths', '--allow-all-urls'],
    ['--allow-all-tools', '--add-dir=/package'],
  ])
})

test('an agent, MCP servers, and a session that goes on', () => {
  const { arguments: args, sessionId } = build({
    target: { kind: 'agent', name: '--model' },
    hasMcp: true,
    resume: 'the-session',
  })
  expect(args.filter((argument) => /--agent|mcp-config|session/.test(argument))).toEqual([
    '--session-id=the-session',
    '--additional-mcp-config=@/config/package-mcp-servers.json',
    '--agent=--model',
  ])
  expect(sessionId).toBe('the-session')
})

test.for([
  ['claude-opus-4.8', 'anthropic-messages', { COPILOT_PROVIDER_TYPE: 'anthropic' }, 'http://127.0.0.1:4100'],
  [
    'gpt-5.4',
    'openai-responses',
    { COPILOT_PROVIDER_TYPE: 'openai', COPILOT_PROVIDER_WIRE_API: 'responses' },
    'http://127.0.0.1:4100/v1',
  ],
] as const)('%s is asked over %s', ([model, wire, env, url]) => {
  expect(copilot.forModel?.(model)).toMatchObject({ name: 'copilot', wire })
  expect(build({ model }).env).toMatchObject({ ...env, COPILOT_PROVIDER_BASE_URL: url, COPILOT_MODEL: model })
})

test('a subscription is a bearer token', () => {
  const { env } = build({ gateway: { ...REQUEST.gateway, credential: 'oauth' } })
  expect([env['COPILOT_PROVIDER_API_KEY'], env['COPILOT_PROVIDER_BEARER_TOKEN']]).toEqual([undefined, 'lease'])
})

test('a command of the package is told in its own words', () => {
  const wave = { name: 'wave', description: '', body: 'Wave at $ARGUMENTS.\n', variables: [], file: '/package/wave.md' }
  expect(build({ prompt: '/wave Ann', commands: [wave] }).stdin).toBe('Wave at Ann.\n')
})

test('each run has a session of its own, with an id that the CLI takes', () => {
  const idOf = (token: string): string | undefined => build({ gateway: { ...REQUEST.gateway, token } }).sessionId
  expect(idOf('a')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(idOf('a')).not.toBe(idOf('b'))
})
