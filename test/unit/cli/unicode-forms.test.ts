import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findIssues } from '../../../src/cli/lint/find-issues.ts'
import { loadSuites } from '../../../src/cli/find/search.ts'

const WRITTEN = 'café'.normalize('NFC')
const ON_DISK = 'café'.normalize('NFD')

test('a fixture and a skill whose names differ in the Unicode form are shown as they are', async () => {
  await using fixture = await createFixture({
    'package.agent.json': '{ "name": "sample", "version": "1.2.3" }',
    [`evals/fixtures/${ON_DISK}.txt`]: 'x',
    'evals/cases/a.yaml': `name: a\ntarget: skill:${WRITTEN}\ninput:\n  prompt: Say.\n  files: [fixtures/${WRITTEN}.txt]\nexpected:\n  contains: [x]\n`,
    [`skills/${ON_DISK}/SKILL.md`]: `---\nname: ${ON_DISK}\ndescription: Makes coffee.\n---\nMake it.\n`,
    [`skills/${ON_DISK}/evals/files/${ON_DISK}.txt`]: 'x',
    [`skills/${ON_DISK}/evals/evals.json`]: JSON.stringify({
      evals: [{ id: 1, prompt: 'Do it.', expected_output: 'It is done.', files: [`files/${WRITTEN}.txt`] }],
    }),
  })
  const { issues } = await findIssues(await loadSuites(fixture.path.replace(/\/$/, '')))
  const hints = issues.flatMap(({ message }) => /Did you mean .*/.exec(message)?.[0] ?? [])
  expect(hints.toSorted()).toEqual([
    `Did you mean "${ON_DISK}" in Unicode form NFD?`,
    `Did you mean "fixtures/${ON_DISK}.txt" in Unicode form NFD?`,
    `Did you mean evals/files/${ON_DISK}.txt in Unicode form NFD?`,
  ])
})
