// @module-tag claude-code
import { test } from 'vitest'
import { toolCalls } from '../../src/transcript/select.ts'
import { findEngine } from '../../src/engines/find.ts'
import { claudeExecutable } from '../support/engines.ts'
import { mcpServer } from '../support/mcp-server.ts'
import { REPOSITORY } from '../support/repository.ts'
import { describeClaude, runSession } from '../support/claude-code-session.ts'
import type { GatewayAccess } from '../../src/engines/engine.ts'
import type { ReceivedRequest, Turn } from '../support/messages-server.ts'

function once(tools: NonNullable<Turn['tools']>): (request: ReceivedRequest) => Turn {
  return ({ index, isSubAgent }) => (isSubAgent || index > 0 ? { text: 'done' } : { tools })
}

const MCP_SERVER = mcpServer("process.cwd() + ' ' + process.env.KEY")

const PACKAGE = {
  'package.agent.json': '{"name":"p","version":"1.0.0"}',
  'AGENTS.md': 'INSTRUCTIONS-OF-THE-PACKAGE',
  rules: {
    'style/RULE.md': '---\ndescription: d\napply:\n  mode: always\n---\nRULE-ALWAYS',
    'web/RULE.md': '---\napply:\n  mode: files\n  globs: "*.web"\n---\nRULE-FOR-WEB',
  },
  commands: {
    'audit.md':
      '---\nname: audit\ndescription: Audits\nvariables:\n  - name: control\n    description: Its id\n    required: true\n---\nAudit {{control}} now.\n',
  },
  skills: {
    'pdf-tools/SKILL.md': '---\nname: pdf-tools\ndescription: Reads PDF files\n---\nSKILL-BODY',
    'pdf-tools/scripts/x.sh': 'echo x',
    'pdf-tools/tests/answers.txt': 'secret',
  },
  agents: {
    'auditor/agent.yaml':
      'name: auditor\ndescription: "Audits: code"\nsystem_prompt: system-prompt.md\ntools: [file_read, shell]\n',
    'auditor/system-prompt.md': '---\ndescription: d\n---\nPROMPT-OF-THE-AUDITOR',
  },
  mcp: {
    'servers.json': JSON.stringify({
      servers: { where: { command: 'node', args: ['mcp/server.mjs'], env: { KEY: '${KEY}' } } },
    }),
    'server.mjs': MCP_SERVER,
  },
}

describeClaude('a package in the real Claude Code', () => {
  test('is there as a whole', async ({ expect }) => {
    const session = await runSession({
      package: PACKAGE,
      environment: { KEY: 'k1' },
      workspace: { 'a.web': '' },
      script: once([
        { name: 'Skill', input: { skill: 'pdf-tools' } },
        { name: 'ToolSearch', input: { query: 'select:mcp__where__where' } },
      ]),
      keep: ['workspace/.claude/skills/pdf-tools/scripts/x.sh', 'workspace/.claude/skills/pdf-tools/tests/answers.txt'],
    })
    const first = JSON.stringify(session.requests[0]?.body)
    const shown = [
      'INSTRUCTIONS-OF-THE-PACKAGE',
      'RULE-ALWAYS',
      'RULE-FOR-WEB',
      'pdf-tools: Reads PDF files',
      'auditor: Audits: code',
      'audit: Audits',
      'plugin-authoring',
    ]
    expect(shown.filter((text) => first.includes(text))).toEqual(
      shown.filter((text) => text !== 'RULE-FOR-WEB' && text !== 'plugin-authoring'),
    )
    expect(session.summary.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(session.summary.skills).toContain('pdf-tools')
    expect(JSON.stringify(session.requests.at(-1)?.body)).toContain('SKILL-BODY')
    expect(session.read('workspace/.claude/skills/pdf-tools/scripts/x.sh')).toBe('echo x')
    expect(session.read('workspace/.claude/skills/pdf-tools/tests/answers.txt')).toBeNull()
    expect(session.warnings).toEqual([])
  })

  test('a rule for files comes when such a file is read', async ({ expect }) => {
    const session = await runSession({
      package: PACKAGE,
      workspace: { 'a.web': 'x' },
      script: once([{ name: 'Read', input: { file_path: 'a.web' } }]),
    })
    expect(JSON.stringify(session.requests.at(-1)?.body)).toContain('RULE-FOR-WEB')
  })

  test('an MCP server starts in the package, with its variables, also without a sandbox', async ({ expect }) => {
    const session = await runSession({
      package: PACKAGE,
      environment: { KEY: 'k1' },
      command: { confined: false },
      script: once([{ name: 'mcp__where__where', input: {} }]),
    })
    expect(toolCalls(session)[0]?.result?.text).toMatch(/\/package k1$/)
  })

  test('a command expands with its arguments', async ({ expect }) => {
    const session = await runSession({
      package: PACKAGE,
      command: { prompt: '/audit A-1' },
      script: () => ({ text: 'done' }),
    })
    expect(JSON.stringify(session.requests[0]?.body.messages)).toContain(
      'Audit {{control}} now.\\n\\nReplace each `{{name}}` above by its value, taken from these arguments: A-1\\n\\n- `{{control}}`: Its id; required',
    )
  })

  test('the target agent runs the session with its prompt and tools', async ({ expect }) => {
    const session = await runSession({
      package: PACKAGE,
      command: { target: { kind: 'agent', name: 'auditor' } },
      script: () => ({ text: 'done' }),
    })
    const body = session.requests[0]?.body
    expect(JSON.stringify(body)).toContain('PROMPT-OF-THE-AUDITOR')
    const asked = ['Bash', 'Edit', 'Read', 'Skill', 'Write']
    expect(asked.filter((tool) => body?.tools?.some(({ name }) => name === tool))).toEqual(['Bash', 'Read'])
  })

  test('a sub-agent’s work is told apart', async ({ expect }) => {
    const session = await runSession({
      package: PACKAGE,
      workspace: { 'a.txt': 'hello' },
      script: ({ index, isSubAgent }) => {
        if (index > 0) return { text: isSubAgent ? 'sub done' : 'main done' }
        if (isSubAgent) return { tools: [{ name: 'Read', input: { file_path: 'a.txt' } }] }
        return { tools: [{ name: 'Agent', input: { description: 'd', prompt: 'p', subagent_type: 'auditor' } }] }
      },
    })
    expect(toolCalls(session).map(({ call }) => [call.tool, call.agent])).toEqual([
      ['Agent', null],
      ['Read', `auditor#${toolCalls(session)[0]?.call.id}`],
    ])
    expect(session.summary.output).toBe('main done')
  })
})

describeClaude('the command line of the real Claude Code', () => {
  test('is found in the repository, as one program of a known version', async ({ expect }) => {
    const found = await findEngine('claude-code', { environment: { PATH: '' }, root: REPOSITORY })
    expect(found.version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(found.executable).toBe(claudeExecutable())
  })

  test.for<[GatewayAccess['credential'], string, string]>([
    ['api-key', 'x-api-key', 'lease-token'],
    ['auth-token', 'authorization', 'Bearer lease-token'],
    ['oauth', 'authorization', 'Bearer lease-token'],
  ])('sends a dummy %s over the socket', async ([credential, header, value], { expect }) => {
    const session = await runSession({ credential, socket: true, script: () => ({ text: 'done' }) })
    expect(session.requests.map(({ headers }) => headers[header])).toEqual([value])
    expect(session.summary.status).toBe('completed')
  })

  test('without a sandbox the file tools stay in the workspace', async ({ expect }) => {
    const session = await runSession({
      command: { confined: false, writablePaths: ['src/', './output'] },
      workspace: { src: {}, output: {} },
      script: once([
        { name: 'Write', input: { file_path: 'src/a.txt', content: 'x' } },
        { name: 'Write', input: { file_path: 'output/deep/a.txt', content: 'x' } },
        { name: 'Write', input: { file_path: 'a.txt', content: 'x' } },
        { name: 'Write', input: { file_path: '../tmp/a.txt', content: 'x' } },
        { name: 'Read', input: { file_path: '/etc/hostname' } },
        { name: 'Bash', input: { command: 'echo ok' } },
      ]),
      keep: ['tmp/a.txt'],
    })
    expect(toolCalls(session).map(({ result }) => result?.blockedBy)).toEqual([
      null,
      null,
      'permission',
      'permission',
      'permission',
      null,
    ])
    expect(session.read('tmp/a.txt')).toBeNull()
  })

  test('a model is passed on and the one that answered is observed', async ({ expect }) => {
    const session = await runSession({ command: { model: 'claude-haiku-4-5' }, script: () => ({ text: 'done' }) })
    expect([session.requests[0]?.body.model, session.summary.model]).toEqual(['claude-haiku-4-5', 'claude-haiku-4-5'])
  })

  test('what lies above the workspace is not read', async ({ expect }) => {
    const session = await runSession({
      above: {
        'CLAUDE.md': 'LEAKED',
        'AGENTS.md': 'LEAKED',
        '.claude/rules/x.md': 'LEAKED',
        '.mcp.json': '{"mcpServers":{"leak":{"command":"node"}}}',
      },
      script: () => ({ text: 'done' }),
    })
    expect(JSON.stringify(session.requests[0]?.body)).not.toContain('LEAKED')
    expect(session.requests[0]?.body.tools?.some(({ name }) => name.includes('leak'))).toBe(false)
  })
})
