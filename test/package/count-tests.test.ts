import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { startProcess, type FinishedProcess } from '../support/running-process.ts'
import { REPOSITORY } from '../support/repository.ts'

const GOOD =
  "import { test } from 'vitest'\ntest('one', () => {})\ntest('two', () => {})\ntest.skip('three', () => {})\n"
const FAILING = "import { expect, test } from 'vitest'\ntest('fails', () => expect(1).toBe(2))\n"
const BROKEN = "import './absent.ts'\n"
const ERROR_OUTSIDE = "import { test } from 'vitest'\ntest('four', () => void Promise.reject(new Error('late')))\n"

test.each([
  ['good tests', { 'good.test.ts': GOOD }, 0, '2 passed, 0 failed', 0],
  ['good tests, but a failed command', { 'good.test.ts': GOOD }, 7, '2 passed, 1 failed', 7],
  ['a failed test', { 'good.test.ts': GOOD, 'a.test.ts': FAILING }, 1, '2 passed, 1 failed', 1],
  ['a file that cannot load', { 'good.test.ts': GOOD, 'a.test.ts': BROKEN }, 1, '2 passed, 1 failed', 1],
  ['an error outside tests', { 'good.test.ts': GOOD, 'a.test.ts': ERROR_OUTSIDE }, 1, '3 passed, 1 failed', 1],
  ['no test', {}, 1, '0 passed, 1 failed', 1],
])('closes a run with %s', async (_, files, status, line, exitCode) => {
  await using project = await projectOn(files)
  await project.run(['run', '--reporter', 'json', '--outputFile', 'report.json'])
  expect(await closingLine(join(project.root, 'report.json'), status)).toEqual({ line, exitCode })
})

test('a run without a report has failed', async () => {
  expect(await closingLine('/nowhere/report.json', 0)).toEqual({ line: '0 passed, 1 failed', exitCode: 1 })
})

test('a step without a report counts only when it fails', async () => {
  expect(await closingLine('-', 0)).toEqual({ line: '0 passed, 0 failed', exitCode: 0 })
  expect(await closingLine('-', 3)).toEqual({ line: '0 passed, 1 failed', exitCode: 3 })
})

test('a test that one step leaves out and another runs is no skipped test', async () => {
  await using project = await projectOn({ 'good.test.ts': GOOD })
  await project.run(['run', '-t', 'one', '--reporter', 'json', '--outputFile', 'one.json'])
  await project.run(['run', '-t', 'two', '--reporter', 'json', '--outputFile', 'two.json'])
  const [one, two] = ['one.json', 'two.json'].map((name) => join(project.root, name))
  const { stdout } = await countTests(['npm test', '0', one ?? '', 'npm run test:rest', '0', two ?? ''])

  expect(stdout.trim().split('\n')).toEqual(['1 skipped', '2 passed, 0 failed'])
})

function projectOn(files: Record<string, string>): Promise<TestProject> {
  return createProject(repositoryVitest(), files)
}

async function closingLine(
  report: string,
  status: number,
): Promise<{ line: string | undefined; exitCode: number | null }> {
  const { stdout, exitCode } = await countTests(['npm test', String(status), report])
  return { line: stdout.split('\n').at(-1), exitCode }
}

function countTests(args: readonly string[]): Promise<FinishedProcess> {
  return startProcess(process.execPath, [join(REPOSITORY, '.ci/count-tests.mjs'), ...args]).finished
}
