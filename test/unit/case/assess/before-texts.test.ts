import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { readBeforeTexts } from '../../../../src/case/assess/inspect-workspace.ts'

const at = { line: 1, column: 1 }

test('finds what a changed file held in fixtures, in the overlays from the last, and in the project', async () => {
  await using fixture = await createFixture({
    'project.md': 'project',
    'base.md': 'project',
    'case.md': 'project',
    'image.png': 'a\0b',
    'evals/setup/base.md': 'base',
    'evals/setup/case.md': 'base',
    'evals/a/setup/case.md': 'case',
    'evals/fixture.md': 'fixture',
    'evals/folder/inner.md': 'inner',
  })
  const root = fixture.path.replace(/\/$/, '')
  const skill = { name: 's', dir: `${root}/skills/s`, projectRoot: root, evalsDir: `${root}/evals` }
  const changed = (path: string): { path: string; size: number; hash: string } => ({ path, size: 1, hash: 'h' })
  const texts = await readBeforeTexts(
    {
      suite: { file: `${root}/evals/evals.json`, packageRoot: root, skill },
      evalCase: {
        files: [
          { from: `${root}/evals/fixture.md`, to: 'in/fixture.md', at },
          { from: `${root}/evals/folder`, to: 'folder', at },
        ],
        workspaceFiles: [{ from: null, to: 'inline.md', content: 'inline', at }],
        overlays: [`${root}/evals/setup`, `${root}/evals/a/setup`],
      },
    },
    {
      modified: ['case.md', 'base.md', 'project.md', 'in/fixture.md', 'folder/inner.md', 'image.png', 'nowhere.md'].map(
        changed,
      ),
      deleted: ['inline.md', '../outside.md'],
    },
  )
  expect(texts.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'case.md (before the run): case',
    'base.md (before the run): base',
    'project.md (before the run): project',
    'in/fixture.md (before the run): fixture',
    'folder/inner.md (before the run): inner',
    'inline.md (before the run): inline',
  ])
})
