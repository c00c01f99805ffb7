import { createFixture, type FileTree } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { install } from '../../../../src/engines/claude-code/install.ts'
import { loadPackage } from '../../../../src/packages/load-package.ts'
import { describeShared } from '../../../support/shared.ts'
import { installPackage, installTree, PATHS } from '../../../support/install-package.ts'
import type { Installation } from '../../../../src/engines/engine.ts'

function contentOf(installation: Installation, to: string): string | undefined {
  return [...installation.files, ...installation.configFiles].find((file) => file.to === to)?.content
}

function settingsOf(installation: Installation): unknown {
  return JSON.parse(contentOf(installation, '.claude/settings.json') ?? 'null') as unknown
}

test('an empty package leaves only the session’s own settings', async () => {
  const installation = await installTree(install, {})
  expect(installation).toMatchObject({
    files: [],
    copies: [],
    hookPlan: { packageRoot: '/w/package', hooks: [] },
    warnings: [],
  })
  expect(JSON.parse(contentOf(installation, 'session-settings.json') ?? '')).toEqual({
    enabledPlugins: { 'cc-plugin-plugin-authoring@builtin': false },
    claudeMdExcludes: ['/w', ''].flatMap((folder) =>
      ['CLAUDE.md', 'CLAUDE.local.md', 'AGENTS.md', '.claude/CLAUDE.md', '.claude/rules/**'].map(
        (name) => `${folder}/${name}`,
      ),
    ),
    permissions: { allow: [] },
  })
})

test('only the skills that are asked for are installed, without their answers', async () => {
  const skill = (name: string): FileTree => ({ 'SKILL.md': `---\nname: ${name}\ndescription: d\n---\nx` })
  const { copies, warnings } = await installTree(
    install,
    { skills: { a: skill('a'), b: skill('b') } },
    { skills: ['b', 'gone'] },
  )
  expect(copies).toEqual([{ from: '<root>/skills/b', to: '.claude/skills/b', exclude: ['tests', 'evals'] }])
  expect(warnings).toEqual(['The skill "gone" is not in <root>, so it is not installed.'])
})

describe('hooks', () => {
  test('run through the shim, which has more time than they', async () => {
    const hooks = {
      'pre-tool-use': [
        {
          matcher: 'Write|Edit',
          hooks: [
            { type: 'command', command: 'bash ${PACKAGE_ROOT}/x.sh', timeout: 5 },
            { type: 'prompt', prompt: 'See ${PACKAGE_ROOT}: $ARGUMENTS' },
          ],
        },
      ],
      stop: [
        { hooks: [{ type: 'command', command: 'true' }] },
        { matcher: '*', hooks: [{ type: 'command', command: 'false' }] },
      ],
    }
    const installation = await installTree(install, { 'hooks/hooks.json': JSON.stringify({ version: 1, hooks }) })
    const command = (id: string): string => `"/opt/my node" "/opt/shim.js" "/w/hooks" ${id}`
    expect(settingsOf(installation)).toEqual({
      hooks: {
        PreToolUse: [
          {
            matcher: 'Write|Edit',
            hooks: [
              { type: 'command', command: command('pre-tool-use-0-0'), timeout: 35 },
              { type: 'prompt', prompt: 'See /w/package: $ARGUMENTS', timeout: 30 },
            ],
          },
        ],
        Stop: [
          { hooks: [{ type: 'command', command: command('stop-0-0'), timeout: 60 }] },
          { hooks: [{ type: 'command', command: command('stop-1-0'), timeout: 60 }] },
        ],
      },
    })
    expect(installation.hookPlan.hooks).toEqual([
      {
        id: 'pre-tool-use-0-0',
        event: 'pre-tool-use',
        matcher: 'Write|Edit',
        command: 'bash ${PACKAGE_ROOT}/x.sh',
        timeout: 5,
      },
      { id: 'stop-0-0', event: 'stop', matcher: null, command: 'true', timeout: 30 },
      { id: 'stop-1-0', event: 'stop', matcher: null, command: 'false', timeout: 30 },
    ])
  })

  test('of an unknown event are left out with a word', async () => {
    await using fixture = await createFixture({})
    const pkg = await loadPackage(fixture.path)
    const hookGroups = [
      {
        event: 'pre-tool-usage',
        index: 0,
        matcher: null,
        hooks: [{ type: 'command', command: 'true', timeout: 1 } as const],
      },
    ]
    const installation = await installPackage(install, fixture.path, {
      package: { ...pkg, hookGroups, hooksFile: '/p/hooks.json' },
    })
    expect([installation.files, installation.warnings]).toEqual([
      [],
      [
        '/p/hooks.json: there is no hook event "pre-tool-usage", so its hooks are omitted. Did you mean "pre-tool-use"?',
      ],
    ])
  })

  test('survive quotes and dollars in a path', async () => {
    const installation = await installTree(
      install,
      { 'hooks/hooks.json': '{"version":1,"hooks":{"stop":[{"hooks":[{"type":"command","command":"true"}]}]}}' },
      { paths: { ...PATHS, hooks: '/w/"$(id)`' } },
    )
    expect(settingsOf(installation)).toMatchObject({
      hooks: { Stop: [{ hooks: [{ command: String.raw`"/opt/my node" "/opt/shim.js" "/w/\"\$(id)\`" stop-0-0` }] }] },
    })
  })
})

describe('agents', () => {
  const agent = (more: string): FileTree => ({
    agents: {
      'code-auditor': {
        'agent.yaml': `name: code-auditor\ndescription: 'Reviews: "all" # of it'\nsystem_prompt: p.md\n${more}`,
        'p.md': '---\ndescription: d\n---\n\nYou review.\n',
      },
    },
  })

  test('become one file with the engine’s own tools', async () => {
    const installation = await installTree(
      install,
      agent('skills: [pdf]\ntools: [file_read, file_write, shell, quantum, constructor, "Bash(git:*)", mcp__s__t]\n'),
    )
    expect(installation.files).toEqual([
      {
        to: '.claude/agents/code-auditor.md',
        content:
          '---\nname: "code-auditor"\ndescription: "Reviews: \\"all\\" # of it"\ntools: "Read, Write, Edit, Bash, Bash(git:*), mcp__s__t, Skill"\n---\n\nYou review.\n',
      },
    ])
    expect(installation.warnings).toEqual([
      '<root>/agents/code-auditor/agent.yaml: Claude Code has no tool "quantum"; it is omitted.',
      // Every object of the language has something by this name.
      '<root>/agents/code-auditor/agent.yaml: Claude Code has no tool "constructor"; it is omitted.',
    ])
  })

  test('inherit all tools when they name none, and say so when none is known', async () => {
    expect((await installTree(install, agent(''))).files[0]?.content).not.toContain('tools:')
    expect((await installTree(install, agent('tools: [quantum]\n'))).warnings).toEqual([
      '<root>/agents/code-auditor/agent.yaml: Claude Code has no tool "quantum"; it is omitted. No known tool is left, so the agent inherits all tools.',
    ])
  })
})

test('a command keeps its variables and explains them', async () => {
  const variables =
    '  - {name: control, description: Its id, required: true}\n  - {name: severity, required: true, enum: [high, low], default: low}\n  - {name: note}\n'
  const installation = await installTree(install, {
    commands: {
      'audit.md': `---\nname: audit\ndescription: "Audits"\nvariables:\n${variables}---\n\n# {{control}} {{severity}} {{note}}\n`,
      'plain.md': '---\nname: plain\ndescription: P\n---\nJust $ARGUMENTS\n',
    },
  })
  expect(contentOf(installation, '.claude/commands/audit.md')).toMatchInlineSnapshot(`
    "---
    description: "Audits"
    argument-hint: "<control> <severity> [note]"
    ---

    # {{control}} {{severity}} {{note}}

    Replace each \`{{name}}\` above by its value, taken from these arguments: $ARGUMENTS

    - \`{{control}}\`: Its id; required
    - \`{{severity}}\`: one of high, low; "low" when not given
    - \`{{note}}\`: empty when not given
    "
  `)
  expect(contentOf(installation, '.claude/commands/plain.md')).toBe('---\ndescription: "P"\n---\n\nJust $ARGUMENTS\n')
})

test('rules say in the engine’s words where they apply', async () => {
  const rule = (apply: string): FileTree => ({ 'RULE.md': `---\n${apply}---\nBe kind.\n` })
  const installation = await installTree(install, {
    'AGENTS.md': 'x',
    rules: {
      plain: { 'RULE.md': 'No front matter' },
      always: rule('apply: {mode: always}\n'),
      'web/react': rule('apply: {mode: files, globs: ["*.tsx", "src/**"]}\n'),
      manual: rule('apply: {mode: manual}\n'),
      smart: rule('apply: {mode: intelligent}\n'),
      off: rule('agents: {claude: {enabled: false}}\n'),
      broken: rule('apply: [\n'),
    },
  })
  expect(Object.fromEntries(installation.files.map(({ to, content }) => [to, content]))).toMatchInlineSnapshot(`
    {
      ".claude/rules/always/RULE.md": "---
    apply: {mode: always}
    ---
    Be kind.
    ",
      ".claude/rules/broken/RULE.md": "---
    apply: [
    ---
    Be kind.
    ",
      ".claude/rules/plain/RULE.md": "No front matter",
      ".claude/rules/smart/RULE.md": "---
    apply: {mode: intelligent}
    ---
    Be kind.
    ",
      ".claude/rules/web/react/RULE.md": "---
    paths: ["*.tsx","src/**"]
    ---

    Be kind.
    ",
    }
  `)
  expect(installation.warnings).toEqual([
    '<root>/rules/manual/RULE.md: the rule applies only when it is named; Claude Code has no such rules, so it is omitted.',
    '<root>/rules/smart/RULE.md: Claude Code has no rules that the agent chooses, so it always applies.',
  ])
  expect(installation.copies).toEqual([{ from: '<root>/AGENTS.md', to: 'AGENTS.md', exclude: [] }])
})

describe('MCP servers', () => {
  const START = 'cd "$0" && log=$1 && shift && exec "$@" 2>>"$log"'
  const tree = (servers: object): FileTree => ({ 'mcp/servers.json': JSON.stringify({ servers }) })

  test('get their variables, and start in the package', async () => {
    const installation = await installTree(
      install,
      tree({
        local: {
          command: 'node',
          args: ['${PACKAGE_ROOT}/s.js', '${MISSING}'],
          env: { KEY: '${KEY}', ALT: '${NONE:-alt}', PASS: '${input:my-pass}' },
          cwd: 'servers',
        },
        remote: { type: 'http', url: 'https://x/${KEY}', headers: { Authorization: 'Bearer ${KEY}' } },
      }),
      { environment: { KEY: 'a "quoted" $1 key', AGENT_EVALS_INPUT_MY_PASS: 'secret' }, network: false },
    )
    expect(JSON.parse(contentOf(installation, 'mcp-servers.json') ?? '')).toEqual({
      mcpServers: {
        local: {
          command: 'sh',
          args: ['-c', START, '/w/package/servers', '/w/hooks/mcp-local.log', 'node', '/w/package/s.js', ''],
          env: { KEY: 'a "quoted" $1 key', ALT: 'alt', PASS: 'secret' },
        },
        remote: {
          type: 'http',
          url: 'https://x/a "quoted" $1 key',
          headers: { Authorization: 'Bearer a "quoted" $1 key' },
        },
      },
    })
    expect(installation.warnings).toEqual([
      '<root>/mcp/servers.json: MCP server "local" needs MISSING, which is not set, so it is empty.',
      '<root>/mcp/servers.json: MCP server "remote" is remote, and the network of this session is closed.',
    ])
    expect(JSON.parse(contentOf(installation, 'session-settings.json') ?? '')).toMatchObject({
      permissions: { allow: ['mcp__local', 'mcp__remote'] },
    })
  })

  test('lose an envFile with a word', async () => {
    const { warnings } = await installTree(install, tree({ s: { command: 'x', envFile: '.env' } }))
    expect(warnings).toEqual([
      '<root>/mcp/servers.json: MCP server "s" has an envFile, which sessions cannot read; declare the variables under env instead.',
    ])
  })
})

describeShared('the examples of the format', (shared) => {
  test('are installed as a whole', async () => {
    const installation = await installPackage(install, `${shared}/suites/aam-spec-examples`, {
      environment: { API_KEY: 'k' },
    })
    expect({
      ...installation,
      files: installation.files.map(({ to }) => to),
      configFiles: installation.configFiles.map(({ to }) => to),
    }).toMatchInlineSnapshot(`
      {
        "configFiles": [
          "session-settings.json",
          "mcp-servers.json",
        ],
        "copies": [
          {
            "exclude": [
              "tests",
              "evals",
            ],
            "from": "<root>/skills/skill-name",
            "to": ".claude/skills/skill-name",
          },
        ],
        "files": [
          ".claude/commands/audit-finding.md",
          ".claude/commands/review.md",
          ".claude/agents/code-auditor.md",
          ".claude/settings.json",
        ],
        "hookPlan": {
          "hooks": [
            {
              "command": "bash \${PACKAGE_ROOT}/hooks/scripts/validate.sh",
              "event": "pre-tool-use",
              "id": "pre-tool-use-0-0",
              "matcher": "Write|Edit",
              "timeout": 30,
            },
            {
              "command": "npx prettier --write \${file}",
              "event": "post-tool-use",
              "id": "post-tool-use-0-0",
              "matcher": "Write|Edit",
              "timeout": 30,
            },
            {
              "command": "bash \${PACKAGE_ROOT}/hooks/scripts/setup.sh",
              "event": "session-start",
              "id": "session-start-0-0",
              "matcher": null,
              "timeout": 30,
            },
          ],
          "packageRoot": "/w/package",
          "unheeded": [
            "continue",
          ],
        },
        "skillsFolder": ".claude/skills",
        "warnings": [],
      }
    `)
  })
})
