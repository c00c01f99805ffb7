import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { createProvenanceReader } from '../../../../src/report/results/provenance.ts'
import { REPOSITORY } from '../../../support/repository.ts'

const { version } = JSON.parse(readFileSync(join(REPOSITORY, 'package.json'), 'utf8')) as { readonly version: string }

test('names machine, versions and revision, without what a run itself writes', async () => {
  await using folder = await createFixture({ 'pkg/SKILL.md': 'x', 'pkg/evals/cases/a.yaml': 'x' })
  const root = folder.path
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'x')
  mkdirSync(join(root, 'pkg/evals/reports'))
  writeFileSync(join(root, 'pkg/evals/reports/r.json'), '{}')
  mkdirSync(join(root, 'pkg/evals/recordings/cases'), { recursive: true })
  writeFileSync(join(root, 'pkg/evals/recordings/cases/a.json'), '{}')

  const read = createProvenanceReader('4.1.12')
  const clean = await read(join(root, 'pkg'))
  expect(clean).toEqual({
    os: process.platform,
    arch: execFileSync('uname', ['-m'], { encoding: 'utf8' }).trim(),
    nodeVersion: process.versions.node,
    pythonVersion: clean.pythonVersion,
    git: { commit: git('rev-parse', 'HEAD').trim(), dirty: false },
    agentEvalsVersion: version,
    vitestVersion: '4.1.12',
    priceTable: expect.stringMatching(/^@pydantic\/genai-prices \d/),
  })

  writeFileSync(join(root, 'pkg/SKILL.md'), 'edited')
  expect((await read(join(root, 'pkg'))).git?.dirty).toBe(false)
  expect((await createProvenanceReader(null)(join(root, 'pkg'))).git?.dirty).toBe(true)
})

test('an untracked file anywhere in the repository makes it dirty', async () => {
  await using folder = await createFixture({ 'pkg/SKILL.md': 'x' })
  const git = (...args: readonly string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: folder.path,
      encoding: 'utf8',
      stdio: 'pipe',
    })
  git('init', '-q')
  git('add', '.')
  git('commit', '-q', '-m', 'x')
  writeFileSync(join(folder.path, 'other'), 'x')
  expect((await createProvenanceReader(null)(join(folder.path, 'pkg'))).git?.dirty).toBe(true)
})

test('outside a repository there is no revision', async () => {
  await using folder = await createFixture()
  expect((await createProvenanceReader(null)(folder.path)).git).toBeNull()
})
