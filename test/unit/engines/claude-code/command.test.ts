import { expect, test } from 'vitest'
import { buildCommand } from '../../../../src/engines/claude-code/command.ts'
import type { CommandRequest } from '../../../../src/engines/engine.ts'

const REQUEST: CommandRequest = {
  commands: [],
  prompt: 'do it',
  target: null,
  model: null,
  paths: {
    workspace: '/workspace',
    home: '/home/agent',
    config: '/home/agent/.engine',
    tmp: '/tmp',
    packageRoot: '/opt/package',
    node: '/opt/node',
    shim: '/opt/shim.js',
    hooks: '/run/hooks',
  },
  confined: true,
  writablePaths: null,
  unpacked: null,
  hasMcp: false,
  resume: null,
  gateway: { baseUrl: 'http://127.0.0.1:4100', socket: '/run/gateway.sock', token: 'tok', credential: 'api-key' },
  env: {},
}

test('a confined session', () => {
  expect(buildCommand(REQUEST)).toMatchInlineSnapshot(`
    {
      "arguments": [
        "-p",
        "--output-format=stream-json",
        "--verbose",
        "--include-hook-events",
        "--forward-subagent-text",
        "--setting-sources=project",
        "--settings=/home/agent/.engine/session-settings.json",
        "--strict-mcp-config",
        "--permission-mode",
        "bypassPermissions",
      ],
      "env": {
        "ANTHROPIC_API_KEY": "tok",
        "ANTHROPIC_BASE_URL": "http://model.invalid",
        "ANTHROPIC_UNIX_SOCKET": "/run/gateway.sock",
        "CLAUDE_CODE_ATTRIBUTION_HEADER": "0",
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
        "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
        "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_DISABLE_WORKFLOWS": "1",
        "CLAUDE_CODE_MANAGED_SETTINGS_PATH": "/opt",
        "CLAUDE_CODE_MAX_RETRIES": "3",
        "CLAUDE_CODE_SESSIONEND_HOOKS_TIMEOUT_MS": "330000",
        "CLAUDE_CODE_TMPDIR": "/tmp",
        "CLAUDE_CONFIG_DIR": "/home/agent/.engine",
        "CLAUDE_PLUGIN_ROOT": "/opt/package",
        "DISABLE_AUTOUPDATER": "1",
        "ENABLE_CLAUDEAI_MCP_SERVERS": "false",
        "GIT_CONFIG_NOSYSTEM": "1",
        "HOME": "/home/agent",
        "IS_SANDBOX": "1",
        "TEMP": "/tmp",
        "TMP": "/tmp",
        "TMPDIR": "/tmp",
        "XDG_CACHE_HOME": "/home/agent/.cache",
        "XDG_CONFIG_HOME": "/home/agent/.config",
        "XDG_DATA_HOME": "/home/agent/.local/share",
        "XDG_STATE_HOME": "/home/agent/.local/state",
      },
      "stdin": "do it",
    }
  `)
})

test('a session without a sandbox, over TCP', () => {
  const { arguments: args, env } = buildCommand({
    ...REQUEST,
    confined: false,
    gateway: { ...REQUEST.gateway, socket: null, credential: 'oauth' },
  })
  expect(args.slice(-3)).toEqual([
    '--permission-mode',
    'dontAsk',
    '--allowedTools=Bash,Skill,Agent,Read(./**),Edit(./**)',
  ])
  expect(env).toMatchObject({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:4100', CLAUDE_CODE_OAUTH_TOKEN: 'tok' })
  expect(Object.keys(env)).not.toContain('ANTHROPIC_UNIX_SOCKET')
  expect(Object.keys(env)).not.toContain('IS_SANDBOX')
  expect(Object.keys(env)).not.toContain('ANTHROPIC_API_KEY')
})

test('what a case asks for', () => {
  const { arguments: args } = buildCommand({
    ...REQUEST,
    confined: false,
    model: 'haiku',
    hasMcp: true,
    target: { kind: 'agent', name: 'auditor' },
    writablePaths: ['src/', './output', '.'],
  })
  expect(args.slice(7)).toEqual([
    '--strict-mcp-config',
    '--mcp-config',
    '/home/agent/.engine/mcp-servers.json',
    '--model',
    'haiku',
    '--agent',
    'auditor',
    '--permission-mode',
    'dontAsk',
    '--allowedTools=Bash,Skill,Agent,Read(./**),Edit(./src/**),Edit(./output/**),Edit(./**)',
  ])
})

test('a suite may add variables but not lead the session past the gateway', () => {
  const { env } = buildCommand({
    ...REQUEST,
    env: { APP_MODE: 'test', ANTHROPIC_BASE_URL: 'http://evil', HOME: '/root', CLAUDE_CODE_MAX_RETRIES: '99' },
  })
  expect(env).toMatchObject({
    APP_MODE: 'test',
    ANTHROPIC_BASE_URL: 'http://model.invalid',
    HOME: '/home/agent',
    CLAUDE_CODE_MAX_RETRIES: '3',
  })
})
