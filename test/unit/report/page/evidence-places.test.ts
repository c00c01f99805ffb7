import { symlink } from 'node:fs/promises'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findEvidence } from '../../../../src/report/page/page-run.ts'

const FOLDER = '.vitest/agent-evals/run-1/cases/a/claude-code.1'

test('finds a run in the first place that has it, and reads as much as is asked for', async () => {
  await using first = await createFixture({ 'run-2/x': '' })
  await using second = await createFixture({ 'run-1/cases/a/claude-code.1/prompt.txt': 'Do it.' })
  const found = findEvidence(`packages/kit/${FOLDER}`, [first.path, second.path])
  expect(found?.read('prompt.txt', 100)).toEqual({ bytes: Buffer.from('Do it.'), size: 6 })
  expect(found?.read('prompt.txt', 2)).toEqual({ bytes: Buffer.from('Do'), size: 6 })
  expect(found?.read('transcript.jsonl', 100)).toBeNull()
  expect(findEvidence(FOLDER, [first.path])).toBeNull()
})

test.for([
  null,
  '',
  'evals/reports',
  '/etc/passwd',
  '.vitest/agent-evals/run-1/../../secret',
  '.vitest/agent-evals/../agent-evals/run-1/cases',
  '.vitest/agent-evals/run-1//etc',
])('a report cannot name another folder: %s', async (folder) => {
  await using place = await createFixture({ 'run-1/cases/a': '', secret: 'x' })
  expect(findEvidence(folder, [place.path])).toBeNull()
})

test('a link out of the run folder is not followed', async () => {
  await using place = await createFixture({ 'run-1/cases/a/claude-code.1/x': '', 'secret.txt': 'secret' })
  await symlink(place.getPath('secret.txt'), place.getPath('run-1/cases/a/claude-code.1/prompt.txt'))
  expect(findEvidence(FOLDER, [place.path])?.read('prompt.txt', 100)).toBeNull()
})
