import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { failsFile } from '../../../../src/lib/documents/document.ts'
import { loadSuite } from '../../../../src/formats/load-suite.ts'
import { list } from '../../../../src/cli/commands/list.ts'
import { printed } from '../../../support/printed.ts'

const SKILL = '---\nname: x\ndescription: Use it.\n---\nDo it.\n'
const ENTRY = { id: 1, prompt: 'Do it', expectations: ['Done'] }

test('a missing file breaks its case alone and names similar ones', async () => {
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': JSON.stringify([
      { ...ENTRY, files: ['files/report.pdf'] },
      { ...ENTRY, id: 2, files: ['fixtures/a.md'] },
    ]),
    'skills/x/evals/files/2026/report.pdf': 'a',
    'skills/x/evals/fixtures/a.md': 'a',
  })
  const suite = await loadSuite(fixture.getPath('skills/x/evals/evals.json'), { root: fixture.path })
  expect(suite.cases.map(({ id, broken, files }) => [id, broken, files.map(({ to }) => to)])).toEqual([
    [
      '1',
      "0.files.0 files/report.pdf does not exist: neither below the folder of the evals nor below the skill's folder nor below the project. Did you mean evals/files/2026/report.pdf? (line 1).",
      [],
    ],
    ['2', undefined, ['fixtures/a.md']],
  ])
  expect(suite.issues.some(failsFile)).toBe(false)
})

test('the place of a case on a shared line has its column, as a run wants it', async () => {
  const suite = [ENTRY, { ...ENTRY, id: 2 }]
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': JSON.stringify(suite),
    'skills/x/evals/triggers.json': JSON.stringify([{ id: 'asks', query: 'Do it', should_trigger: true }]),
  })
  for (const flag of ['--explain', '--verbose']) {
    const places = (await printed(list, '--root', fixture.path, flag)).match(/skills\/x\S+json:[\d:]+/g)
    expect(places, flag).toEqual([
      'skills/x/evals/evals.json:1:8',
      `skills/x/evals/evals.json:1:${JSON.stringify(suite).lastIndexOf('"id":') + 6}`,
      'skills/x/evals/triggers.json:1',
    ])
  }
})

test('a prompt of several lines is shown as lines', async () => {
  await using fixture = await createFixture({
    'skills/x/SKILL.md': SKILL,
    'skills/x/evals/evals.json': JSON.stringify([{ ...ENTRY, prompt: 'Do it.\n\nThen stop.' }]),
  })
  expect(await printed(list, '--root', fixture.path, '--explain')).toContain(
    '  prompt   Do it.\n\n           Then stop.\n',
  )
})
