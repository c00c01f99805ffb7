import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findNamedModels } from '../../../src/session/run-agent.ts'
import { createWorkspace } from '../../../src/session/workspace.ts'

const NAMED = {
  'agents/helper.md': '---\nname: helper\nmodel: haiku\n---\nThe word model: is prose here.\n',
  'agents/deep/agent.yaml': "name: deep\nmodel: 'claude-opus-4-1'\n",
  'commands/go.md': '---\nmodel: claude-sonnet-4-5-20250929\n---\nGo.\n',
  'hooks/hooks.json': '{"hooks":[{"type":"prompt","model":"gpt-5-mini"}]}',
  'skills/one/agents/openai.toml': 'model = "gpt-5-nano"\n',
  // No part that an engine reads.
  'docs/model.md': 'model: none-of-these\n',
  'skills/one/node_modules/x/index.json': '{"model":"not-this"}',
  'skills/one/run.py': 'model = "nor-this"',
  [`skills/${'a/'.repeat(8)}deep.md`]: 'model: too-deep\n',
  'skills/big.json': `{"model":"too-big","x":"${'x'.repeat(300_000)}"}`,
}

test('models are named by agents, skills, commands and prompt hooks of a package', async () => {
  await using fixture = await createFixture(NAMED)
  const workspace = createWorkspace({ keep: false })
  try {
    const staged = join(workspace.workspace, '.claude/agents/staged.md')
    mkdirSync(dirname(staged), { recursive: true })
    writeFileSync(staged, '---\nmodel: claude-opus-4-6\n---\n')
    symlinkSync('/etc', join(workspace.workspace, '.claude/skills'))
    const found = findNamedModels({ root: fixture.path }, workspace)
    expect(found.filter((name) => name !== 'is').toSorted()).toEqual([
      'claude-opus-4-1',
      'claude-opus-4-6',
      'claude-sonnet-4-5-20250929',
      'gpt-5-mini',
      'gpt-5-nano',
      'haiku',
    ])
    // A session cannot name more by what it writes.
    writeFileSync(staged, '---\nmodel: gpt-5-pro\n---\n')
    expect(findNamedModels({ root: fixture.path }, workspace)).toBe(found)
  } finally {
    await workspace[Symbol.asyncDispose]()
  }
})
