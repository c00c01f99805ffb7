import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { findRecordingIssues, pruneRecordings } from '../../src/cli/lint-rules/recordings.ts'
import { findLostRuns, listRunFolders } from '../../src/results/own-runs.ts'
import { createRunFolder, createRunId } from '../../src/results/run-folder.ts'

const PLANNED = {
  cases: [],
  files: [],
  reports: [],
  options: {},
  versions: { agentEvals: null, node: '', vitest: null },
}

test('nothing is pruned through a link', async () => {
  await using fixture = await createFixture({ 'outside/notes/x.json': '{}', 'pkg/evals/.keep': '' })
  const packageRoot = fixture.getPath('pkg')
  symlinkSync(fixture.getPath('outside'), join(packageRoot, 'evals/recordings'))
  const pkg = { packageRoot, suites: [], evalFiles: [], formats: undefined }
  expect(pruneRecordings(pkg)).toEqual([])
  expect(existsSync(fixture.getPath('outside/notes/x.json'))).toBe(true)
  expect(findRecordingIssues(pkg)).toMatchObject([{ code: 'recording-invalid', severity: 'error' }])
})

test.each(['.vitest', '.vitest/agent-evals'])('no run folder is made through the link %s', async (name) => {
  await using fixture = await createFixture({
    'outside/agent-evals/.gitignore': 'mine\n',
    'outside/.gitignore': 'mine\n',
  })
  const root = fixture.getPath('pkg')
  mkdirSync(join(root, name, '..'), { recursive: true })
  symlinkSync(fixture.getPath('outside'), join(root, name))
  expect(() => createRunFolder(root, createRunId(new Date()), PLANNED)).toThrow('is a symbolic link')
  expect(readFileSync(fixture.getPath('outside/.gitignore'), 'utf8')).toBe('mine\n')
})

test('runs that the repository brings, or that name another root, are nobody’s lost runs', async () => {
  await using fixture = await createFixture({ 'pkg/.keep': '', 'other/.keep': '' })
  const root = realpathSync(fixture.getPath('pkg'))
  const made = ['tracked', 'foreign', 'own'].map((name, index) => {
    const { path } = createRunFolder(root, createRunId(new Date(1000 * index)), PLANNED)
    const plan = JSON.parse(readFileSync(join(path, 'run.json'), 'utf8')) as Record<string, unknown>
    const changed = {
      ...plan,
      process: { pid: 999_999, startTicks: '1', host: 'x' },
      ...(name === 'foreign' ? { root: fixture.getPath('other') } : {}),
    }
    writeFileSync(join(path, 'run.json'), JSON.stringify(changed))
    return path
  })
  execFileSync('git', ['init', '-q'], { cwd: root })
  execFileSync('git', ['add', '-f', made[0] ?? ''], { cwd: root })
  expect(listRunFolders(root).map(({ path }) => path)).toEqual([made[2]])
  expect(findLostRuns(root).every(({ path }) => path === made[2])).toBe(true)
})
