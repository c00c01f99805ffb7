import { existsSync } from 'node:fs'
import { symlink } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { loadPackage } from '../../../src/suites/load-package.ts'
import type { AgentPackage } from '../../../src/suites/package.ts'

const MANIFEST = '{"name": "sample", "version": "1.0.0"}'

const load = async (files: Readonly<Record<string, string>>): Promise<AgentPackage> => {
  await using fixture = await createFixture({ 'package.agent.json': MANIFEST, '.git/HEAD': '', ...files })
  const root = fixture.path.replace(/\/$/, '')
  return JSON.parse(JSON.stringify(await loadPackage(root)).replaceAll(root, '/p')) as AgentPackage
}

const findings = async (files: Readonly<Record<string, string>>): Promise<readonly string[]> =>
  (await load(files)).findings.map(
    ({ file, line, column, severity, code, field, message, part }) =>
      `${file.slice(3)}:${line}:${column} ${severity} ${code} [${part === null ? '' : `${part.kind}:${part.name}`}] ${field}: ${message}`,
  )

const SPEC = fileURLToPath(new URL('../../../../shared/suites/aam-spec-examples', import.meta.url))

describe.skipIf(!existsSync(SPEC))('the examples of the format (absent outside of the workspace they were collected in)', () => {
  test('are read whole', async () => {
    const { skills, commands, agents, hookGroups, mcpServers, findings: found } = await loadPackage(SPEC)
    expect({
      skills: skills.map(({ name, description }) => [name, description]),
      commands: commands.map(({ name, variables }) => [name, variables.map((variable) => variable.name)]),
      agents: agents.map(({ name, skills: used, tools }) => [name, used, tools]),
      hooks: hookGroups.map(({ event, index, matcher, hooks }) => [event, index, matcher, hooks[0]?.type, hooks[0]?.timeout]),
      servers: mcpServers.map(({ name }) => name),
      findings: found.map(({ severity, code, part }) => `${severity} ${code} ${part?.name ?? ''}`),
    }).toMatchInlineSnapshot(`
      {
        "agents": [
          [
            "code-auditor",
            [
              "pdf-tools",
              "code-review",
            ],
            [
              "file_read",
              "file_write",
              "shell",
            ],
          ],
        ],
        "commands": [
          [
            "audit-finding",
            [
              "control_id",
              "severity",
              "evidence",
            ],
          ],
          [
            "review",
            [],
          ],
        ],
        "findings": [
          "warning no-manifest ",
          "error file-missing pdf-tools",
        ],
        "hooks": [
          [
            "pre-tool-use",
            0,
            "Write|Edit",
            "command",
            30,
          ],
          [
            "post-tool-use",
            0,
            "Write|Edit",
            "command",
            30,
          ],
          [
            "stop",
            0,
            null,
            "prompt",
            30,
          ],
          [
            "session-start",
            0,
            null,
            "command",
            30,
          ],
        ],
        "servers": [
          "my-service",
        ],
        "skills": [
          [
            "skill-name",
            "Extract text and tables from PDF files, fill forms, merge documents. Use when working with PDF files or when the user mentions PDFs.
      ",
          ],
        ],
      }
    `)
  })
})

test('every kind of part', async () => {
  const agentPackage = await load({
    'package.agent.lock': '{"lockVersion": 2, "resolved": {"here": {}, "@scope/flat": {}, "gone": {}, "near": {"source": {"type": "file", "path": "./vendor/near"}}}}',
    '.agent-packages/here/package.agent.json': '{}',
    '.aam/packages/scope--flat/package.agent.json': '{}',
    'vendor/near/package.agent.json': '{}',
    'skills/a/SKILL.md': '---\nname: a\ndescription: >\n  Does\n  it.\n---\n\nBody\n',
    'commands/go.md': '---\nname: go\nvariables:\n  - name: x\n    enum: [a, b]\n---\nGo {{x}}\n',
    'commands/plain.md': 'Just text\n',
    'agents/old.md': '---\ndescription: Old one\ntools: Read, Grep\n---\nYou are old.\n',
    'agents/new/agent.yaml': 'name: new\ndescription: New one\nsystem_prompt: prompt.md\nskills: [a]\n',
    'agents/new/prompt.md': 'You are new.\n',
    'rules/style/RULE.md': 'Rule',
    'rules/web/react/RULE.md': 'Rule',
    'rules/web/vue.rule.md': 'Rule',
    'hooks/hooks.json': '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "prompt", "prompt": "Done?"}]}, {"matcher": "*", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}',
    'mcp/servers.json': '{"servers": {"local": {"command": "node", "args": ["${PACKAGE_ROOT}/x.js"]}, "web": {"type": "http", "url": "http://x"}}}',
    'AGENTS.md': 'Hello',
  })
  expect(agentPackage).toMatchInlineSnapshot(`
    {
      "agents": [
        {
          "description": "New one",
          "file": "/p/agents/new/agent.yaml",
          "name": "new",
          "prompt": "You are new.
    ",
          "promptFile": "/p/agents/new/prompt.md",
          "skills": [
            "a",
          ],
          "tools": [],
        },
        {
          "description": "Old one",
          "file": "/p/agents/old.md",
          "name": "old",
          "prompt": "You are old.
    ",
          "promptFile": "/p/agents/old.md",
          "skills": [],
          "tools": [
            "Read",
            "Grep",
          ],
        },
      ],
      "commands": [
        {
          "body": "Go {{x}}
    ",
          "description": "",
          "file": "/p/commands/go.md",
          "name": "go",
          "variables": [
            {
              "default": null,
              "description": null,
              "enum": [
                "a",
                "b",
              ],
              "name": "x",
              "required": false,
            },
          ],
        },
        {
          "body": "Just text
    ",
          "description": "",
          "file": "/p/commands/plain.md",
          "name": "plain",
          "variables": [],
        },
      ],
      "findings": [],
      "hookGroups": [
        {
          "event": "stop",
          "hooks": [
            {
              "prompt": "Done?",
              "timeout": 30,
              "type": "prompt",
            },
          ],
          "index": 0,
          "matcher": null,
        },
        {
          "event": "stop",
          "hooks": [
            {
              "command": "x",
              "timeout": 5,
              "type": "command",
            },
          ],
          "index": 1,
          "matcher": null,
        },
      ],
      "hooksFile": "/p/hooks/hooks.json",
      "instructionsFile": "/p/AGENTS.md",
      "manifest": {
        "file": "/p/package.agent.json",
        "name": "sample",
        "raw": {
          "name": "sample",
          "version": "1.0.0",
        },
        "version": "1.0.0",
      },
      "mcpFile": "/p/mcp/servers.json",
      "mcpServers": [
        {
          "config": {
            "args": [
              "\${PACKAGE_ROOT}/x.js",
            ],
            "command": "node",
          },
          "name": "local",
        },
        {
          "config": {
            "type": "http",
            "url": "http://x",
          },
          "name": "web",
        },
      ],
      "missingDependencies": [
        "gone",
      ],
      "root": "/p",
      "rules": [
        {
          "file": "/p/rules/style/RULE.md",
          "name": "style",
        },
        {
          "file": "/p/rules/web/react/RULE.md",
          "name": "web/react",
        },
        {
          "file": "/p/rules/web/vue.rule.md",
          "name": "web/vue",
        },
      ],
      "skills": [
        {
          "body": "
    Body
    ",
          "description": "Does it.
    ",
          "dir": "/p/skills/a",
          "file": "/p/skills/a/SKILL.md",
          "name": "a",
        },
      ],
    }
  `)
})

test('paths that the manifest overrides', async () => {
  const { skills, hooksFile, hookGroups, findings: found } = await load({
    'package.agent.json': '{"name": "x", "version": "1.0.0", "skills": "./lib/skills/", "hooks": "./lib/hooks.json", "rules": "none", "agents": "../up"}',
    'lib/skills/a/SKILL.md': '---\nname: a\ndescription: A.\n---\n',
    'lib/hooks.json': '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}',
  })
  expect({ skills: skills.map(({ file }) => file), hooksFile, events: hookGroups.map(({ event }) => event) }).toEqual({
    skills: ['/p/lib/skills/a/SKILL.md'],
    hooksFile: '/p/lib/hooks.json',
    events: ['stop'],
  })
  expect(found.map(({ field, message, part }) => [field, message, part])).toEqual([
    ['agents', 'the path leaves the folder with ".."', null],
    ['rules', 'none does not exist', null],
  ])
})

describe('the manifest', () => {
  test('none', async () => {
    await using fixture = await createFixture({ 'skills/a/SKILL.md': '---\nname: a\ndescription: A.\n---\n' })
    const { manifest, skills, findings: found } = await loadPackage(fixture.path)
    expect([manifest, skills.length, found.map(({ code, severity }) => `${severity} ${code}`)]).toEqual([null, 1, ['warning no-manifest']])
  })

  test('in YAML, and JSON wins', async () => {
    await using fixture = await createFixture({ 'package.agent.yaml': 'name: yaml\nversion: 1.0.0\n' })
    expect((await loadPackage(fixture.path)).manifest?.name).toBe('yaml')
    await fixture.writeFile('package.agent.json', MANIFEST)
    expect((await loadPackage(fixture.path)).manifest?.name).toBe('sample')
  })

  test('broken, wrong, absent dependencies', async () => {
    expect(await findings({ 'package.agent.json': '{"name": "x",}' })).toEqual([
      'package.agent.json:1:13 error json-syntax [] : remove the comma before "}"',
    ])
    expect(await findings({ 'package.agent.json': '{"name": 1}' })).toEqual([
      'package.agent.json:1:1 error missing-field [] version: missing; expected a string',
      'package.agent.json:1:10 error wrong-type [] name: expected a string, got a number',
    ])
    const manifest = '{"name": "x", "version": "1.0.0", "dependencies": {"gone": "^1", "here": "*"}}'
    const { missingDependencies } = await load({ 'package.agent.json': manifest, 'node_modules/here/x': '' })
    expect(missingDependencies).toEqual(['gone'])
  })

  test('a broken lock file is a remark', async () => {
    expect(await findings({ 'package.agent.lock': '{' })).toEqual([
      'package.agent.lock:1:2 warning json-syntax [] : expected a key in double quotes',
    ])
    expect(await findings({ 'package.agent.lock': '{"lockVersion": 2}' })).toEqual([
      'package.agent.lock:1:1 warning lock [] : the lock file has no `resolved` object; write it again with the package manager',
    ])
  })
})

test('skills', async () => {
  expect(
    await findings({
      'skills/none/readme.txt': '',
      'skills/plain/SKILL.md': '# Plain',
      'skills/broken/SKILL.md': '---\nname: broken\ndescription: Use when: asked\n---\n',
      'skills/empty/SKILL.md': '---\nname: empty\ndescription: ""\n---\n',
      'skills/renamed/SKILL.md': `---\nname: other\ndescription: ${'x'.repeat(1100)}\n---\n`,
      'skills/open/SKILL.md': '---\nname: open\n',
      'skills/nameless/SKILL.md': '---\ndescription: x\n---\n',
      'skills/one/SKILL.md': '---\nname: two\ndescription: x\n---\n',
      'skills/two/SKILL.md': '---\nname: two\ndescription: x\n---\n',
      'skills/README.md': 'not a skill',
    }),
  ).toMatchInlineSnapshot(`
    [
      "skills/broken/SKILL.md:3:14 error yaml-syntax [skill:broken] : a ": " inside a value; put the whole value in quotes",
      "skills/empty/SKILL.md:3:14 error invalid-value [skill:empty] description: must not be empty: an agent chooses a skill by it",
      "skills/nameless/SKILL.md:2:1 warning missing-field [skill:nameless] : name: missing; write \`name: nameless\`",
      "skills/none/SKILL.md:1:1 error file-missing [skill:none] : the file does not exist",
      "skills/one/SKILL.md:2:7 warning name-differs [skill:one] name: differs from the folder's name "one", by which engines call the skill",
      "skills/open/SKILL.md:1:1 error front-matter [skill:open] : the front matter is not closed; end it with a line of three dashes",
      "skills/plain/SKILL.md:1:1 error front-matter [skill:plain] : SKILL.md starts with no front matter; begin it with --- and name and description",
      "skills/renamed/SKILL.md:2:7 warning name-differs [skill:renamed] name: differs from the folder's name "renamed", by which engines call the skill",
      "skills/renamed/SKILL.md:3:14 warning too-long [skill:renamed] description: is longer than 1024 characters; engines cut it",
      "skills/one/SKILL.md:1:1 error duplicate-skill [skill:two] : two skills are called "two"; the other one is /p/skills/two/SKILL.md",
      "skills/one/SKILL.md:1:1 error duplicate-skill [skill:one] : two skills are called "two"; the other one is /p/skills/two/SKILL.md",
      "skills/two/SKILL.md:1:1 error duplicate-skill [skill:two] : two skills are called "two"; the other one is /p/skills/one/SKILL.md",
    ]
  `)
})

test('a skill that is a link', async () => {
  await using fixture = await createFixture({ 'package.agent.json': MANIFEST, 'elsewhere/a/SKILL.md': '', 'skills/x.txt': '' })
  await symlink(fixture.getPath('elsewhere/a'), fixture.getPath('skills/a'))
  const { skills, findings: found } = await loadPackage(fixture.path)
  expect([skills, found.map(({ code, part }) => [code, part])]).toEqual([[], [['not-a-folder', { kind: 'skill', name: 'a' }]]])
})

test('agents and commands', async () => {
  expect(
    await findings({
      'agents/empty/x.txt': '',
      'agents/lost/agent.yaml': 'name: lost\ndescription: x\nsystem_prompt: gone.md\n',
      'agents/out/agent.yaml': 'name: out\ndescription: x\nsystem_prompt: ../../secret.md\n',
      'agents/typo/agent.yaml': 'name: typo\ndescripton: x\nsystem_prompt: p.md\n',
      'agents/plain.md': 'No front matter',
      'commands/bad.md': '---\nvariables:\n  - name: A B\n    requird: true\n---\n',
    }),
  ).toMatchInlineSnapshot(`
    [
      "commands/bad.md:3:11 error invalid-value [command:bad] variables.0.name: may hold only a-z, 0-9, _ and -",
      "commands/bad.md:4:5 error unknown-field [command:bad] variables.0.requird: unknown field. Did you mean "required"?",
      "agents/empty/agent.yaml:1:1 error file-missing [agent:empty] : the file does not exist",
      "agents/lost/agent.yaml:3:16 error file-missing [agent:lost] system_prompt: gone.md does not exist",
      "agents/out/agent.yaml:3:16 error unsafe-path [agent:out] system_prompt: the path leaves the folder with ".."",
      "agents/plain.md:1:1 error front-matter [agent:plain] : the agent starts with no front matter; begin it with --- and a description",
      "agents/typo/agent.yaml:1:1 error missing-field [agent:typo] description: missing; expected a string",
      "agents/typo/agent.yaml:2:1 error unknown-field [agent:typo] descripton: unknown field. Did you mean "description"?",
    ]
  `)
})

test('hooks: a mistake costs only its event', async () => {
  const hook = { hooks: [{ type: 'command', command: 'x' }] }
  const hooks = {
    'pre-tool-use': [{ ...hook, matcher: 'Write|Edit' }, { ...hook, matcher: '' }],
    'post-tool-use': [{ ...hook, matcher: '(' }],
    stop: [{ hooks: [{ type: 'command', command: 'x', timeout: 301 }] }, { hooks: [] }],
    notification: [{ hooks: [{ type: 'shell', command: 'x' }, { type: 'command' }, { type: 'prompt', prompt: ' ' }] }],
    PreToolUse: [hook],
    'session-strat': [hook],
    'worktree-create': [hook],
  }
  const files = { 'hooks/hooks.json': JSON.stringify({ version: 1, hooks }) }
  const { hookGroups } = await load(files)
  expect(hookGroups).toEqual([
    { event: 'pre-tool-use', index: 0, matcher: 'Write|Edit', hooks: [{ type: 'command', command: 'x', timeout: 30 }] },
    { event: 'pre-tool-use', index: 1, matcher: null, hooks: [{ type: 'command', command: 'x', timeout: 30 }] },
  ])
  expect(await findings(files)).toMatchInlineSnapshot(`
    [
      "hooks/hooks.json:1:237 error invalid-value [hook:post-tool-use] hooks.post-tool-use.0.matcher: not a regular expression: Invalid regular expression: /(/: Unterminated group",
      "hooks/hooks.json:1:303 error out-of-range [hook:stop] hooks.stop.0.hooks.0.timeout: must be at most 300",
      "hooks/hooks.json:1:319 error out-of-range [hook:stop] hooks.stop.1.hooks: must not be empty",
      "hooks/hooks.json:1:358 error wrong-type [hook:notification] hooks.notification.0.hooks.0.type: expected another value, got an object",
      "hooks/hooks.json:1:381 error missing-field [hook:notification] hooks.notification.0.hooks.1.command: missing; expected a string",
      "hooks/hooks.json:1:426 error invalid-value [hook:notification] hooks.notification.0.hooks.2.prompt: must not be empty",
      "hooks/hooks.json:1:434 error unknown-event [hook:pre-tool-use] hooks.PreToolUse: not a hook event; did you mean "pre-tool-use"?",
      "hooks/hooks.json:1:494 error unknown-event [hook:session-start] hooks.session-strat: not a hook event; did you mean "session-start"?",
      "hooks/hooks.json:1:557 warning unknown-event [hook:worktree-create] hooks.worktree-create: not a hook event; its hooks are ignored",
    ]
  `)
})

test('a hooks.json and a servers.json that cannot be read at all', async () => {
  expect(await findings({ 'hooks/hooks.json': '[]', 'mcp/servers.json': '{"servers": {"a": {}, "b": {"url": 1}}, "server": 1}' })).toMatchInlineSnapshot(`
    [
      "hooks/hooks.json:1:1 error wrong-type [] : expected an object, got a list",
      "mcp/servers.json:1:41 error unknown-field [] server: unknown field. Did you mean "servers"?",
    ]
  `)
})
