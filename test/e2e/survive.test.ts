// @module-tag claude-code
// @module-tag slow
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { vitestMajors } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'

const majors = await vitestMajors()
const [vitest4, vitest5] = majors
const TWO = { 'c-1': 'quick', 'c-2': 'fails' } as const
const WITH_SLOW = { 'c-1': 'quick', 'c-2': 'slow' } as const

describe.skipIf(claudeExecutable() === null)('a report is written', { tags: ['claude-code'] }, () => {
  test.for(majors)('S3: when another reporter throws ($label)', async (major) => {
    const reporters = "reporters: ['default', { onTestRunEnd() { throw new Error('sibling') } }]"
    await using durable = await durableProject(major, TWO, { test: reporters, workers: 'one' })
    const finished = await durable.start().finished
    expect(finished.exitCode).toBe(1)
    expect(finished.all).toContain('sibling')
    const [report, ...others] = await durable.reports()
    expect(others).toEqual([])
    expect([report!.status, ...outcomes(report!)]).toEqual(['complete', 'c-1 PASS', 'c-2 FAIL'])
  })

  test.for(majors)('S3: when nobody reads the output any more ($label)', async (major) => {
    await using durable = await durableProject(major, TWO, { workers: 'one' })
    await durable.shell('"$@" | head -c 1')
    const [report] = await durable.reports()
    expect([report!.status, ...outcomes(report!)]).toEqual(['complete', 'c-1 PASS', 'c-2 FAIL'])
    expect(await durable.alive()).toEqual([])
  })

  test('S1: when Ctrl-C is pressed twice', async () => {
    await using durable = await durableProject(vitest5!, WITH_SLOW, { pool: 'forks', plugin: { concurrency: 1 } })
    const run = durable.start()
    await durable.working(run, 1)
    run.send('SIGINT')
    setTimeout(() => run.send('SIGINT'), 300)
    // The second may come when everything but the process has ended, which a shell calls 130 too.
    const { exitCode, signal } = await run.finished
    expect(signal === 'SIGINT' ? 130 : exitCode).toBe(130)
    const [report] = await durable.reports()
    expect([report!.status, ...outcomes(report!)]).toEqual(['interrupted', 'c-1 PASS', 'c-2 ERROR interrupted'])
    await expect.poll(() => durable.alive()).toEqual([])
  })

  test('S1: when a test of the user leaves the process', async () => {
    const leaving = "import { test } from 'vitest-agent-evals/test'\ntest('leaves', () => process.exit(3))\n"
    await using durable = await durableProject(vitest4!, TWO, { files: { 'evals/leave.eval.ts': leaving } })
    expect(await durable.start().finished).toMatchObject({ exitCode: 1 })
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['c-1 PASS', 'c-2 FAIL', 'leaves FAIL'])
  })

  test('R6: when its folder is removed while cases run', async () => {
    await using durable = await durableProject(vitest4!, WITH_SLOW, { plugin: { concurrency: 1 } })
    await mkdir(join(durable.project.root, 'evals/reports'))
    const run = durable.start()
    await durable.working(run, 1)
    await rm(join(durable.project.root, 'evals/reports'), { recursive: true })
    run.send('SIGINT')
    await run.finished
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['c-1 PASS', 'c-2 ERROR interrupted'])
  })

  test('R6: or its loss is said, when the folder of the run is removed while cases run', async () => {
    await using durable = await durableProject(vitest4!, WITH_SLOW, { plugin: { concurrency: 1 } })
    const run = durable.start()
    await durable.working(run, 1)
    await rm(join(durable.project.root, '.vitest'), { recursive: true })
    run.send('SIGINT')
    const finished = await run.finished
    expect(finished.exitCode).toBe(130)
    expect(finished.all).toMatch(/The results of this run are lost: its folder \S+ was removed while it ran\./)
    expect(await durable.alive()).toEqual([])
  })
})
