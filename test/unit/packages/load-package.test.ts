import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createFixture } from 'fs-fixture'
import { describe, expect, test } from 'vitest'
import { loadPackage } from '../../../src/packages/load-package.ts'
import { findings, load, MANIFEST } from '../../support/package-fixture.ts'

const SPEC = fileURLToPath(new URL('../../../../shared/suites/aam-spec-examples', import.meta.url))

describe.skipIf(!existsSync(SPEC))(
  'the examples of the format (absent outside of the workspace they were collected in)',
  () => {
    test('are read whole', async () => {
      const { skills, commands, agents, hookGroups, mcpServers, findings: found } = await loadPackage(SPEC)
      expect({
        skills: skills.map(({ name, description }) => [name, description]),
        commands: commands.map(({ name, variables }) => [name, variables.map((variable) => variable.name)]),
        agents: agents.map(({ name, skills: used, tools }) => [name, used, tools]),
        hooks: hookGroups.map(({ event, index, matcher, hooks }) => [
          event,
          index,
          matcher,
          hooks[0]?.type,
          hooks[0]?.timeout,
        ]),
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
              "Extract text and tables from PDF files, fill forms, merge documents. Use when working with PDF files or when the user mentions PDFs.",
            ],
          ],
        }
      `)
    })
  },
)

test('every kind of part', async () => {
  const agentPackage = await load({
    'skills/a/SKILL.md': '---\nname: a\ndescription: >\n  Does\n  it.\n---\n\nBody\n',
    'commands/go.md': '---\nname: go\nvariables:\n  - name: x\n    enum: [a, b]\n---\nGo {{x}}\n',
    'commands/plain.md': 'Just text\n',
    'agents/old.md': '---\ndescription: Old one\ntools: Read, Grep\n---\nYou are old.\n',
    'agents/new/agent.yaml': 'name: new\ndescription: New one\nsystem_prompt: prompt.md\nskills: [a]\n',
    'agents/new/prompt.md': 'You are new.\n',
    'rules/style/RULE.md': 'Rule',
    'rules/web/react/RULE.md': 'Rule',
    'rules/web/vue.rule.md': 'Rule',
    'hooks/hooks.json':
      '{"version": 1, "hooks": {"stop": [{"hooks": [{"type": "prompt", "prompt": "Done?"}]}, {"matcher": "*", "hooks": [{"type": "command", "command": "x", "timeout": 5}]}]}}',
    'mcp/servers.json':
      '{"servers": {"local": {"command": "node", "args": ["${PACKAGE_ROOT}/x.js"]}, "web": {"type": "http", "url": "http://x"}}}',
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
          "description": "Does it.",
          "dir": "/p/skills/a",
          "file": "/p/skills/a/SKILL.md",
          "name": "a",
        },
      ],
    }
  `)
})

test('paths that the manifest overrides', async () => {
  const {
    skills,
    hooksFile,
    hookGroups,
    findings: found,
  } = await load({
    'package.agent.json':
      '{"name": "x", "version": "1.0.0", "skills": "./lib/skills/", "hooks": "./lib/hooks.json", "rules": "none", "agents": "../up"}',
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
    expect([manifest, skills.length, found.map(({ code, severity }) => `${severity} ${code}`)]).toEqual([null, 1, []])
  })

  test('in YAML, and JSON wins', async () => {
    await using fixture = await createFixture({ 'package.agent.yaml': 'name: yaml\nversion: 1.0.0\n' })
    expect((await loadPackage(fixture.path)).manifest?.name).toBe('yaml')
    await fixture.writeFile('package.agent.json', MANIFEST)
    expect((await loadPackage(fixture.path)).manifest?.name).toBe('sample')
  })

  test('broken, wrong', async () => {
    expect(await findings({ 'package.agent.json': '{"name": "x",}' })).toEqual([
      'package.agent.json:1:13 error json-syntax [] : remove the comma before "}"',
    ])
    expect(await findings({ 'package.agent.json': '{"name": 1}' })).toEqual([
      'package.agent.json:1:1 error missing-field [] version: missing; expected a string',
      'package.agent.json:1:10 error wrong-type [] name: expected a string, got a number; put it in quotes',
    ])
  })
})
