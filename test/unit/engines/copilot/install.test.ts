import type { FileTree } from 'fs-fixture'
import { expect, test } from 'vitest'
import { install } from '../../../../src/engines/copilot/install.ts'
import { installTree } from '../../../support/install-package.ts'
import type { Installation } from '../../../../src/engines/engine.ts'

const installFiles = (tree: FileTree): Promise<Installation> =>
  installTree(install, { 'package.agent.json': '{ "name": "p", "version": "1.0.0" }', ...tree }, { network: false })

test('lays a package out where Copilot reads it', async () => {
  const installation = await installFiles({
    'AGENTS.md': 'Be kind.\n',
    'skills/greet/SKILL.md': '---\nname: greet\ndescription: Greets.\n---\nHi.\n',
    'rules/polite/RULE.md': '---\nname: polite\napply:\n  mode: always\n---\nBe polite.\n',
    'rules/types/RULE.md':
      '---\nname: types\napply:\n  mode: files\n  globs: ["**/*.ts", "**/*.mts"]\n---\nUse types.\n',
    'rules/asked/RULE.md': '---\nname: asked\napply:\n  mode: manual\n---\nOnly when named.\n',
    'rules/clever/RULE.md': '---\nname: clever\napply:\n  mode: intelligent\n---\nWhen it fits.\n',
    'rules/off/RULE.md': '---\nname: off\nagents:\n  copilot:\n    enabled: false\n---\nNever.\n',
    'agents/critic/agent.yaml':
      'name: critic\ndescription: Criticises.\nsystem_prompt: prompt.md\ntools:\n  - shell\n  - file_read\n  - telepathy\n',
    'agents/critic/prompt.md': 'You are the critic.\n',
    'hooks/hooks.json': JSON.stringify({
      version: 1,
      hooks: {
        'pre-tool-use': [
          { matcher: 'Bash|Skill|mcp__tally__.*', hooks: [{ type: 'command', command: 'sh guard.sh' }] },
        ],
        stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }],
      },
    }),
    'mcp/servers.json': JSON.stringify({
      servers: {
        tally: { command: 'node', args: ['${PACKAGE_ROOT}/mcp/tally.mjs'], env: { A: '1' } },
        far: { type: 'http', url: 'https://mcp.example.com' },
      },
    }),
  })
  expect(installation).toMatchInlineSnapshot(`
    {
      "configFiles": [
        {
          "content": "{
      "autoUpdate": false,
      "memory": false,
      "disabledSkills": [
        "customize-cloud-agent",
        "discover-resources",
        "github-pr-media"
      ],
      "ide": {
        "autoConnect": false
      }
    }
    ",
          "readOnly": true,
          "to": "settings.json",
        },
        {
          "content": "{
      "mcpServers": {
        "tally": {
          "command": "node",
          "args": [
            "/w/package/mcp/tally.mjs"
          ],
          "env": {
            "A": "1"
          },
          "cwd": "/w/package",
          "tools": [
            "*"
          ]
        },
        "far": {
          "type": "http",
          "url": "https://mcp.example.com",
          "tools": [
            "*"
          ]
        }
      }
    }
    ",
          "readOnly": true,
          "to": "package-mcp-servers.json",
        },
      ],
      "copies": [
        {
          "exclude": [
            "tests",
            "evals",
          ],
          "from": "<root>/skills/greet",
          "to": ".github/skills/greet",
        },
        {
          "exclude": [],
          "from": "<root>/AGENTS.md",
          "to": "AGENTS.md",
        },
      ],
      "files": [
        {
          "content": "---
    name: "critic"
    description: "Criticises."
    tools: ["execute","read"]
    ---

    You are the critic.
    ",
          "to": ".github/agents/critic.agent.md",
        },
        {
          "content": "When it fits.
    ",
          "to": ".github/instructions/clever.instructions.md",
        },
        {
          "content": "Be polite.
    ",
          "to": ".github/instructions/polite.instructions.md",
        },
        {
          "content": "---
    applyTo: "**/*.ts,**/*.mts"
    ---

    Use types.
    ",
          "to": ".github/instructions/types.instructions.md",
        },
        {
          "content": "{
      "version": 1,
      "hooks": {
        "PreToolUse": [
          {
            "matcher": "Bash|(?:Skill|skill)|(?:mcp__tally__|tally-).*",
            "hooks": [
              {
                "type": "command",
                "command": "\\"/opt/my node\\" \\"/opt/shim.js\\" \\"/w/hooks\\" pre-tool-use-0-0",
                "timeout": 60
              }
            ]
          }
        ]
      }
    }
    ",
          "readOnly": true,
          "to": ".github/hooks/package.json",
        },
      ],
      "hookPlan": {
        "answers": "json",
        "hooks": [
          {
            "command": "sh guard.sh",
            "event": "pre-tool-use",
            "id": "pre-tool-use-0-0",
            "matcher": "Bash|(?:Skill|skill)|(?:mcp__tally__|tally-).*",
            "timeout": 30,
          },
        ],
        "packageRoot": "/w/package",
      },
      "warnings": [
        "<root>/agents/critic/agent.yaml: Copilot has no tool "telepathy"; it is omitted.",
        "<root>/rules/asked/RULE.md: the rule applies only when it is named; Copilot has no such rules, so it is omitted.",
        "<root>/rules/clever/RULE.md: Copilot has no rules that the agent chooses, so it always applies.",
        "<root>/hooks/hooks.json: Copilot has no hooks that are not a command, so they are omitted.",
        "<root>/mcp/servers.json: MCP server "far" is remote, and the network of this session is closed.",
      ],
    }
  `)
})

test('an empty package leaves only the session’s own settings', async () => {
  expect(await installFiles({})).toMatchInlineSnapshot(`
    {
      "configFiles": [
        {
          "content": "{
      "autoUpdate": false,
      "memory": false,
      "disabledSkills": [
        "customize-cloud-agent",
        "discover-resources",
        "github-pr-media"
      ],
      "ide": {
        "autoConnect": false
      }
    }
    ",
          "readOnly": true,
          "to": "settings.json",
        },
      ],
      "copies": [],
      "files": [],
      "hookPlan": {
        "answers": "json",
        "hooks": [],
        "packageRoot": "/w/package",
      },
      "warnings": [],
    }
  `)
})
