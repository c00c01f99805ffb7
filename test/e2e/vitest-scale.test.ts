// @module-tag no-engine
// @module-tag slow
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryVitest, viteVariants } from '../support/majors.ts'
import { createProject } from '../support/project.ts'
import { greeting, greetings, DIRECT_PACKAGE, readReport, readReports, verdicts } from '../support/eval-project.ts'

const major = repositoryVitest()

const SIX = ['a', 'b', 'c', 'd', 'e', 'f']

describe('many cases', () => {
  test('two hundred files of one case each', async () => {
    const names = Array.from({ length: 200 }, (_, n) => `many-${String(n).padStart(3, '0')}`)
    const files = {
      ...DIRECT_PACKAGE,
      ...Object.fromEntries(names.map((name) => [`evals/cases/${name}.yaml`, greeting(name)])),
      ...greetings(Object.fromEntries(SIX.map((name) => [name, 'Hello']))),
    }
    await using project = await createProject(major, files, 'default')
    const { exitCode } = await project.run(['run', '--project', 'evals'])
    expect(exitCode).toBe(0)
    const report = await readReport(project)
    expect(verdicts(report)).toEqual([...SIX.map((name) => `${name} PASS`), ...names.map((name) => `${name} SKIP`)])
    expect(report.summary).toMatchObject({ total: 206, passed: 6, skipped: 200, pass_rate: 1 })
  })

  test('R7: two runs side by side in a path with blanks and an emoji keep both reports', async () => {
    const folder = 'my evals 🧪'
    const files = Object.entries({ ...DIRECT_PACKAGE, ...greetings({ good: 'Hello', fair: 'Hello' }) })
    await using project = await createProject(
      major,
      Object.fromEntries(files.map(([path, text]) => [`${folder}/${path}`, text])),
    )
    const run = (): ReturnType<typeof project.run> =>
      project.run(['run', '--project', 'evals'], { cwd: join(project.root, folder) })
    const runs = await Promise.all([run(), run()])
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([0, 0])
    const reports = await readReports(project, `${folder}/evals/reports`)
    expect(reports.map(verdicts)).toEqual([
      ['fair PASS', 'good PASS'],
      ['fair PASS', 'good PASS'],
    ])
    expect(new Set(reports.map(({ id }) => id)).size).toBe(2)
  })

  test('an empty package', async () => {
    await using project = await createProject(major, DIRECT_PACKAGE)
    const plain = await project.run(['run'])
    expect(plain.all).toContain('No test files found, exiting with code 1')
    expect(plain.all).not.toContain('agent-evals')
    const named = await project.run(['run', '--project', 'evals'])
    expect(named.exitCode).toBe(1)
    expect(named.all).toContain('No test files found, exiting with code 1')
  })
})

describe.each(await viteVariants())('on $label', (variant) => {
  test('a case is a test with its own lines', async () => {
    await using project = await createProject(variant, {
      ...DIRECT_PACKAGE,
      ...greetings({ bad: 'Goodbye', good: 'Hello' }),
    })
    const { exitCode, stderr } = await project.run(['run', '--project', 'evals'])
    expect(exitCode).toBe(1)
    expect(stderr).toContain('❯ evals/cases/bad.yaml:6:7')
    expect(verdicts(await readReport(project))).toEqual(['bad FAIL', 'good PASS'])
  })
})
