// @module-tag no-engine
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { SKILLS } from '../support/skill-project.ts'

const CLEARS = '\u009b2J'

test.each([
  ['a case', `[{ "id": "a", "prompt": "Clear ${CLEARS} \u202e", "expectations": ["It did."], "files": ["gone.md"] }]`],
  ['a file', `[{ "id": "a", "prompt": "Clear ${CLEARS} \u202e \u001b]0;title\u0007", "expectations": ["It did."] }]`],
])('the lines around a mistake in %s do nothing to a terminal', async (_, evals) => {
  await using project = await createProject(repositoryVitest(), { ...SKILLS, 'skills/notes/evals/evals.json': evals })
  const { all } = await project.run(['run', '--project', 'evals'], { merged: true })
  expect(all).toContain(String.raw`1| [{ "id": "a", "prompt": "Clear \x9b2J \u202e`)
  expect(all).not.toMatch(/[\u0080-\u009f\u202a-\u202e]|\u001b\]/)
})
