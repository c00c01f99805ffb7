// @module-tag claude-code
import { mkdirSync, symlinkSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { FileTree } from 'fs-fixture'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import type { FinishedProcess } from '../support/running-process.ts'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes, type DurableProject } from '../support/durable-project.ts'
import { SUITE_ATTACKS } from '../support/attacks/suites.ts'

const vitest4 = repositoryVitest()

describe.skipIf(claudeExecutable() === null)('hostile suites beside a good one', { tags: ['claude-code'] }, () => {
  let durable: DurableProject
  let finished: FinishedProcess

  beforeAll(async () => {
    const packages = SUITE_ATTACKS.map(({ files }, index) => [
      folderOf(index),
      { 'package.agent.json': MANIFEST, ...files },
    ])
    durable = await durableProject(
      vitest4,
      { good: 'quick' },
      { files: { ...(Object.fromEntries(packages) as FileTree), 'special/package.agent.json': MANIFEST } },
    )
    const special = join(durable.project.root, 'special/evals/cases')
    mkdirSync(join(special, 'folder.yaml'), { recursive: true })
    symlinkSync('/etc/passwd', join(special, 'link.yaml'))
    symlinkSync('../../../evals/cases/good.yaml', join(special, 'inner.yaml'))
    execFileSync('mkfifo', [join(special, 'pipe.yaml')])
    finished = await durable.start().finished
  })
  afterAll(() => durable[Symbol.asyncDispose]())

  test('leave it its result, and the run its exit code', async () => {
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['good PASS'])
    expect(finished.exitCode).toBe(1)
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false)
  })

  test.for(SUITE_ATTACKS.map(({ name, says }, index) => [name, folderOf(index), says] as const))(
    '%s',
    async ([, folder, says]) => expect(await mistakes(durable, folder)).toEqual(says),
  )

  test('a link, a pipe and a folder with the name of a case are not followed, and nothing hangs', async () => {
    expect(await mistakes(durable, 'special')).toEqual([
      'inner ERROR invalid-suite',
      'cases/inner.yaml:1:1 is a symbolic link, not a regular file',
      'link ERROR invalid-suite',
      'cases/link.yaml:1:1 is a symbolic link, not a regular file',
    ])
    expect(finished.all).not.toContain('root:x:0')
  })
})

// What the report says of each case, and its mistakes at their places.
async function mistakes(durable: DurableProject, folder: string): Promise<readonly string[]> {
  const reports = await durable.reports(folder)
  const short = (line: string): string => line.replace(`${folder}/`, '').replace(/^evals\//, '')
  return reports.flatMap(({ cases, notices: ofFiles }) => [
    ...cases.flatMap(({ name, verdict, error_code, error, notices }) => [
      [name, verdict, error_code ?? ''].join(' ').trim(),
      ...(error ?? '').split('\n').map(short),
      // Depends on the machine.
      ...notices.filter((notice) => !notice.startsWith('`writable-paths` were not enforced')),
    ]),
    ...ofFiles.map(short).filter((line) => !line.includes('there is no eval-config.json')),
  ])
}

const MANIFEST = '{ "name": "hostile", "version": "1.0.0" }'

function folderOf(index: number): string {
  return `p${index}`
}
