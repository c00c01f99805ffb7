// @module-tag no-engine
// @module-tag slow
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { createProject, type TestProject } from '../support/project.ts'
import { greetings, DIRECT_PACKAGE, readReport, refusing, verdicts } from '../support/eval-project.ts'

const major = repositoryVitest()

describe('other reporters', () => {
  test('reporters name the line of the case file that failed', async () => {
    await using project = await createProject(major, {
      ...DIRECT_PACKAGE,
      ...greetings({ good: 'Hello', bad: 'Goodbye' }),
    })
    const files = ['--reporter=junit', '--outputFile.junit=junit.xml', '--reporter=json', '--outputFile.json=out.json']
    const args = ['run', '--project', 'evals', '--reporter=github-actions', ...files]
    const { stdout, stderr } = await project.run(args)
    expect(stdout + stderr).toMatch(
      /^::error file=<root>\/evals\/cases\/bad\.yaml,title=\[evals\] evals\/cases\/bad\.yaml > bad,line=6,column=7::Error: expected the output to contain "Hello" but it does not/m,
    )
    const junit = await project.files.readFile('junit.xml', 'utf8')
    expect(junit).toContain('<testcase classname="evals/cases/good.yaml" name="good"')
    expect(junit).toContain('message="expected the output to contain &quot;Hello&quot; but it does not')
    expect(junit).toContain('❯ evals/cases/bad.yaml:6:7')
    expect(JSON.parse(await project.files.readFile('out.json', 'utf8'))).toMatchObject({
      numPassedTests: 1,
      numFailedTests: 1,
    })
  })

  test('a reporter that prints for programs has the standard output to itself', async () => {
    await using project = await createProject(major, { ...DIRECT_PACKAGE, ...greetings({ good: 'Hello' }) })
    const { stdout, stderr } = await project.run(['run', '--project', 'evals', '--reporter', 'tap-flat'])
    expect(stdout).toMatch(/^TAP version 13\n1\.\.1\nok 1 - .*good.*$/)
    expect(stderr).toContain('Agent Evals  1 passed (1)')
  })

  test('a retry runs again what could not be completed, and never rolls a verdict again', async () => {
    await using project = await createProject(major, {
      ...DIRECT_PACKAGE,
      ...greetings({ good: 'Hello', bad: 'Goodbye', broken: '' }),
      'evals/scenarios/broken.yaml': refusing(400),
    })
    const { exitCode } = await project.run(['run', '--project', 'evals', '--retry=2'])
    expect(exitCode).toBe(1)
    expect(verdicts(await readReport(project))).toEqual(['bad FAIL', 'broken ERROR upstream-failed', 'good PASS'])
    expect(await runsOf(project)).toEqual({ bad: 1, broken: 3, good: 1 })
  })

  test('bail stops after the first failure, and what was not run is said to be', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await using project = await createProject(major, {
      ...DIRECT_PACKAGE,
      ...greetings(Object.fromEntries(names.map((name) => [name, 'Goodbye']))),
    })
    const env = { AGENT_EVALS_CONCURRENCY: '1' }
    const { exitCode } = await project.run(['run', '--project', 'evals', '--bail=1'], { env })
    expect(exitCode).toBe(1)
    const report = await readReport(project)
    expect(report.summary.total).toBe(names.length)
    expect(report.summary.failed).toBeGreaterThan(0)
    expect(report.summary.skipped).toBeGreaterThan(0)
    // What was stopped on its way is no error.
    expect(report.summary.errored).toBe(0)
    expect(report.summary.failed + report.summary.skipped).toBe(names.length)
    expect(report.status).toBe('partial')
  })

  test("Vitest's own shards leave a report that says it is a part", async () => {
    await using project = await createProject(major, {
      ...DIRECT_PACKAGE,
      ...greetings({ one: 'Hello', two: 'Hello' }),
    })
    const { exitCode } = await project.run(['run', '--project', 'evals', '--shard=1/2'])
    expect(exitCode).toBe(0)
    const report = await readReport(project)
    // Vitest 4.1 names the files of the other shards, whose cases are then not run; Vitest 5 does not.
    expect(report).toMatchObject({ status: 'partial', summary: { passed: 1, failed: 0, errored: 0 } })
    expect(report.notices).toContain('Only part 1 of 2 of the files ran (--shard).')
  })
})

/** How often each case was run, by the folders of evidence. */
async function runsOf(project: TestProject): Promise<Record<string, number>> {
  const runs = join(project.root, '.vitest/agent-evals')
  const run = (await readdir(runs)).find((name) => /^\d/.test(name)) ?? ''
  const cases = join(runs, run, 'cases/cases')
  const counts = (await readdir(cases))
    .toSorted()
    .map(async (name) => [name, (await readdir(join(cases, name))).length])
  return Object.fromEntries((await Promise.all(counts)) as [string, number][])
}
