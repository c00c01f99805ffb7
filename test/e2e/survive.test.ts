// @module-tag no-engine
// @module-tag slow
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'

const vitest4 = repositoryVitest()
const TWO = { 'c-1': 'quick', 'c-2': 'fails' } as const
const WITH_SLOW = { 'c-1': 'quick', 'c-2': 'slow' } as const

describe('a report is written', () => {
  test('S3: when another reporter throws', async () => {
    const reporters = "reporters: ['default', { onTestRunEnd() { throw new Error('sibling') } }]"
    await using durable = await durableProject(vitest4, TWO, { test: reporters, workers: 'one', engine: 'shell' })
    const finished = await durable.start().finished
    expect(finished.exitCode).toBe(1)
    expect(finished.all).toContain('sibling')
    const [report, ...others] = await durable.reports()
    expect(others).toEqual([])
    expect([report!.status, ...outcomes(report!)]).toEqual(['complete', 'c-1 PASS', 'c-2 FAIL'])
  })

  test('S3: when nobody reads the output any more', async () => {
    await using durable = await durableProject(vitest4, TWO, { workers: 'one', engine: 'shell' })
    await durable.shell('"$@" | head -c 1')
    const [report] = await durable.reports()
    expect([report!.status, ...outcomes(report!)]).toEqual(['complete', 'c-1 PASS', 'c-2 FAIL'])
    expect(await durable.alive()).toEqual([])
  })

  test('S1: when Ctrl-C is pressed twice', async () => {
    await using durable = await durableProject(vitest4, WITH_SLOW, {
      pool: 'forks',
      plugin: { concurrency: 1 },
      engine: 'shell',
    })
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
    await using durable = await durableProject(vitest4, TWO, {
      files: { 'evals/leave.eval.ts': leaving },
      engine: 'shell',
    })
    expect(await durable.start().finished).toMatchObject({ exitCode: 1 })
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['c-1 PASS', 'c-2 FAIL', 'leaves FAIL'])
  })

  test('R6: when its folder is removed while cases run', async () => {
    await using durable = await durableProject(vitest4, WITH_SLOW, { plugin: { concurrency: 1 }, engine: 'shell' })
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
    await using durable = await durableProject(vitest4, WITH_SLOW, { plugin: { concurrency: 1 }, engine: 'shell' })
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
