import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createInputCache } from '../../../src/inputs/input-cache.ts'
import { watchedPaths } from '../../../src/inputs/watched-paths.ts'
import { agentPackage, AT, skillOf, suiteOf } from './agent-package.ts'

test('names existing and possible files and the folders whose new files count', async () => {
  await using fixture = await createFixture({ 'skills/pdf/SKILL.md': '', 'lib/a.js': '', 'evals/cases/a.yaml': '' })
  const root = fixture.path.replace(/\/$/, '')
  const watched = watchedPaths(
    {
      suite: suiteOf(root),
      evalCase: { files: [{ from: `${root}/evals/fixtures/none.txt`, to: 'none.txt', at: AT }], workspaceFiles: [] },
      package: agentPackage(root, { skills: [skillOf(root, 'pdf')] }),
      scenario: `${root}/evals/scenarios/a.yaml`,
    },
    createInputCache(),
  )
  const below = (paths: readonly string[]): readonly string[] => paths.map((path) => path.slice(root.length + 1))
  expect(below(watched.files)).toEqual([
    'AGENTS.md',
    'evals/cases/a.yaml',
    'evals/eval-config.json',
    'evals/fixtures/none.txt',
    'evals/scenarios/a.yaml',
    'lib/a.js',
    'package.agent.json',
    'package.agent.lock',
    'package.agent.yaml',
    'skills/pdf/SKILL.md',
  ])
  expect(below(watched.folders)).toEqual([
    'agents',
    'commands',
    'evals/fixtures/none.txt',
    'hooks',
    'lib',
    'mcp',
    'rules',
    'skills',
  ])
  const concerning = [
    'skills/pdf/new.md',
    'hooks/hooks.json',
    'evals/fixtures/none.txt',
    'evals/fixtures/none.txt/a',
    'NEW.md',
  ]
  const unconcerning = [
    'evals/cases/b.yaml',
    'evals/reports/a.json',
    'skills/pdf/tests/a.yaml',
    'node_modules/a/b.js',
    '../x',
    '.vitest/x',
  ]
  expect(concerning.filter((path) => !watched.concerns(`${root}/${path}`))).toEqual([])
  expect(unconcerning.filter((path) => watched.concerns(`${root}/${path}`))).toEqual([])
})
