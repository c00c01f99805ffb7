import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { collectPackageTexts, type TextsRequest } from '../../../../src/case/replay/package-texts.ts'
import { loadPackage } from '../../../../src/packages/load-package.ts'

const PACKAGE = {
  'package.agent.json': '{ "name": "p", "version": "1.0.0" }',
  'AGENTS.md': 'Be kind.\n',
  'skills/a/SKILL.md': '---\nname: a\ndescription: Does a.\n---\nHow a is done.\n',
  'agents/b/agent.yaml': 'name: b\ndescription: Is b.\nsystem_prompt: prompt.md\n',
  'agents/b/prompt.md': 'You are b.\n',
  'commands/c.md': '---\nname: c\ndescription: Runs c.\n---\nDo c.\n',
  'rules/d/RULE.md': '---\nname: d\n---\nObey d.\n',
  'mcp/server.mjs': '',
  'mcp/servers.json': JSON.stringify({
    servers: {
      'own one': { command: 'node', args: ['--no-warnings', '${PACKAGE_ROOT}/mcp/server.mjs'] },
      remote: { type: 'http', url: 'https://mcp.test' },
    },
  }),
  'hooks/hooks.json': JSON.stringify({
    version: 1,
    hooks: { stop: [{ hooks: [{ type: 'prompt', prompt: 'Is it done?' }] }] },
  }),
  'evals/cases/one.yaml': '',
  'evals/overlay/.claude/skills/rival/SKILL.md': '---\nname: rival\ndescription: Rivals a.\n---\nHow it rivals.\n',
  'evals/overlay/notes.md': 'No engine reads this by itself.\n',
}

async function textsOf(more: Partial<TextsRequest['evalCase']> = { kind: 'task' }) {
  await using fixture = await createFixture(PACKAGE)
  const root = fixture.path.replace(/\/$/, '')
  const inputs = ['evals/overlay/.claude/skills/rival/SKILL.md', 'evals/overlay/notes.md'].map((path) => {
    return { file: `${root}/${path}`, path, role: 'overlay' as const, part: null }
  })
  const { texts, fileOfTool } = collectPackageTexts({
    package: await loadPackage(root),
    suite: { file: `${root}/evals/cases/one.yaml` },
    evalCase: { prompt: 'Do it.', workspaceFiles: [], kind: 'task', ...more } as TextsRequest['evalCase'],
    inputs,
  })
  return { texts: texts.map(({ path, part, text }) => `${path} ${part}: ${text.trim()}`), fileOfTool }
}

test('every text of a package that a model may be shown is known by its file', async () => {
  const { texts } = await textsOf()
  expect(texts).toEqual([
    'evals/cases/one.yaml prompt: Do it.',
    'skills/a/SKILL.md description: Does a.',
    'skills/a/SKILL.md body: How a is done.',
    'agents/b/agent.yaml description: Is b.',
    'agents/b/prompt.md prompt: You are b.',
    'commands/c.md description: Runs c.',
    'commands/c.md body: Do c.',
    'rules/d/RULE.md rule: Obey d.',
    'AGENTS.md text: Be kind.',
    'hooks/hooks.json prompt hook: Is it done?',
    'evals/overlay/.claude/skills/rival/SKILL.md description: Rivals a.',
    'evals/overlay/.claude/skills/rival/SKILL.md body: How it rivals.',
  ])
})

test('a trigger query is about no skill’s body, and a file written in the case is the case’s text', async () => {
  const at = { line: 1, column: 1 }
  const { texts } = await textsOf({
    kind: 'trigger',
    trigger: { skill: 'a', shouldTrigger: true, runs: null, threshold: null },
    workspaceFiles: [
      { from: null, to: 'CLAUDE.md', content: 'Be brief.', at },
      { from: null, to: 'data.md', content: 'Data.', at },
    ],
  })
  expect(texts).not.toContain('skills/a/SKILL.md body: How a is done.')
  expect(texts).toContain('evals/cases/one.yaml workspace file CLAUDE.md: Be brief.')
  expect(texts.filter((text) => text.includes('data.md'))).toEqual([])
})

test('a tool of a server is known by the program it is started from, else by servers.json', async () => {
  const { fileOfTool } = await textsOf()
  expect(
    ['mcp__own_one__count', 'own_one-count', 'mcp__remote__count', 'mcp__other__count', 'Bash'].map(fileOfTool),
  ).toEqual(['mcp/server.mjs', 'mcp/server.mjs', 'mcp/servers.json', null, null])
})
