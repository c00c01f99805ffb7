import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createRedactor } from '../../../../src/gateway/redact.ts'
import { openEvidence, type EvidenceKeeper } from '../../../../src/report/results/case-folder.ts'
import type { ChangedFile } from '../../../../src/transcript/transcript.ts'
import { plannedCase } from '../../../support/case-result.ts'
import { keptText } from '../../../support/kept-text.ts'

function evidenceIn(root: string): EvidenceKeeper {
  const planned = plannedCase('a', { packageRoot: root })
  return openEvidence(
    { root, runFolder: join(root, 'run') },
    planned,
    1,
    createRedactor({ API_KEY: 'hunter2-hunter22' }),
  )
}

function changedFile(path: string, content: string): ChangedFile {
  const hash = createHash('sha256').update(content).digest('hex')
  return { path, size: Buffer.byteLength(content), hash }
}

test('keeps copies of what a run left, without secrets', async () => {
  const text = 'the key is hunter2-hunter22\n'
  await using folder = await createFixture({ 'workspace/output/log.txt': text })
  const evidence = evidenceIn(folder.path)
  const created = [changedFile('output/log.txt', text)]
  await evidence.keepArtifacts(join(folder.path, 'workspace'), { created, modified: [], deleted: [], unreadable: [] })

  expect(keptText(evidence.folder.path, 'output/log.txt')).toBe('the key is [REDACTED:API_KEY]\n')
  expect(evidence.lost).toEqual([])
})

test('says which files were not copied, and why', async () => {
  await using folder = await createFixture({ 'workspace/kept.txt': 'kept' })
  const evidence = evidenceIn(folder.path)
  const huge = ['a', 'b', 'c', 'd'].map((name) => ({ ...changedFile(`${name}.bin`, ''), size: 20_000_000 }))
  const ofGit = changedFile('.git/hooks/pre-commit', '')
  const changes = {
    created: [...huge, changedFile('kept.txt', 'kept')],
    modified: [ofGit],
    deleted: [],
    unreadable: [],
  }
  await evidence.keepArtifacts(join(folder.path, 'workspace'), changes)

  expect(keptText(evidence.folder.path, 'kept.txt')).toBe('kept')
  expect(evidence.lost).toEqual([
    'Not among the artifacts: a.bin is larger than 16777216 bytes; b.bin is larger than 16777216 bytes; ' +
      'c.bin is larger than 16777216 bytes; and 1 more.',
  ])
})

test('a file that cannot be written is told and does not stop the rest', async () => {
  await using folder = await createFixture({})
  const evidence = evidenceIn(folder.path)
  await evidence.keep(({ path }) => writeFileSync(join(path, 'missing/prompt.txt'), 'x'))
  await evidence.keep(({ path }, redactor) =>
    writeFileSync(join(path, 'prompt.txt'), redactor.text('hunter2-hunter22')),
  )

  expect(readFileSync(join(evidence.folder.path, 'prompt.txt'), 'utf8')).toBe('[REDACTED:API_KEY]')
  expect(evidence.lost).toEqual([expect.stringContaining('ENOENT')])
})
