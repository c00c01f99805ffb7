// @module-tag no-engine
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { canMount, durableProject, outcomes } from '../support/durable-project.ts'

const vitest4 = repositoryVitest()
const TWO = { 'c-1': 'quick', 'c-2': 'fails' } as const

describe.skipIf(!canMount())('on a disk', () => {
  test('S2: that becomes full, no result is lost', async () => {
    const cases = Object.fromEntries(
      [1, 2, 3, 4].map((n) => [`c-${n}`, { says: 'Hello', does: 'head -c 700000 /dev/zero > big.bin' }]),
    )
    await using durable = await durableProject(vitest4, cases, { plugin: { concurrency: 2 }, engine: 'shell' })
    await durable.mount('.vitest', 'size=1536k')
    const finished = await durable.start().finished
    expect(finished.exitCode).toBe(0)
    const [report] = await durable.reports()
    expect([report!.status, ...outcomes(report!)]).toEqual(['complete', 'c-1 PASS', 'c-2 PASS', 'c-3 PASS', 'c-4 PASS'])
  })

  test('S2: without inodes, each case says what is wrong', async () => {
    const cases = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`c-${n}`, 'quick'] as const))
    await using durable = await durableProject(vitest4, cases, { plugin: { concurrency: 1 }, engine: 'shell' })
    await durable.mount('.vitest', 'size=4m,nr_inodes=24')
    await durable.start().finished
    const [report] = await durable.reports()
    const lines = outcomes(report!)
    expect(lines[0]).toBe('c-0 PASS')
    expect(lines.at(-1)).toBe('c-4 ERROR report-unwritable')
    expect(new Set(lines.map((line) => line.slice(4)))).toEqual(new Set(['PASS', 'ERROR report-unwritable']))
    expect(report!.cases.at(-1)!.error).toMatch(/no space left on device.*Make it writable, or free some space\./s)
  })

  test.for([
    ['full', 'size=64k'],
    ['read-only', 'size=1m,ro'],
  ])('S2: that is %s from the start, nothing is started', async ([, options = '']) => {
    await using durable = await durableProject(vitest4, TWO, { workers: 'one', engine: 'shell' })
    await durable.mount('.vitest', options)
    const finished = await durable.start().finished
    expect(finished.exitCode).toBe(1)
    expect(finished.all).toMatch(/Cannot store the results of this run in \S+: (?:ENOSPC|EROFS).*free some space\./)
    expect(finished.all).not.toMatch(/✓ c-1|× c-2/)
    expect(await durable.reports()).toEqual([])
  })

  test('S2: whose reports cannot be written, the report lies in the folder of the run, and that is said', async () => {
    await using durable = await durableProject(vitest4, TWO, { workers: 'one', engine: 'shell' })
    await durable.mount('evals/reports', 'size=1m,ro')
    const finished = await durable.start().finished
    expect(finished.exitCode).toBe(1)
    expect(finished.all).toMatch(/Cannot write the report to \S+: the file system is read-only\./)
    const [path = ''] = /\.vitest\/agent-evals\/\S+Z\.json/.exec(finished.all) ?? []
    expect(await durable.project.files.exists(path)).toBe(true)
  })

  test('S5: with temporary files that may not be executed, cases run', async () => {
    await using durable = await durableProject(vitest4, TWO, { workers: 'one', engine: 'shell' })
    const noexec = await durable.mount('noexec', 'size=64m,noexec')
    await durable.start([], { TMPDIR: noexec }).finished
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['c-1 PASS', 'c-2 FAIL'])
  })
})

test.skipIf(!canMount())('S5: where there is no /proc no session starts in a sandbox, which is said', async () => {
  await using durable = await durableProject(vitest4, TWO, { plugin: { sandbox: 'bubblewrap' }, engine: 'shell' })
  const without = 'unshare --mount sh -c \'mount -t tmpfs none /proc && exec "$@"\' sh "$@"'
  const { exitCode } = await durable.shell(without)
  expect(exitCode).toBe(1)
  const [report] = await durable.reports()
  expect(outcomes(report!)).toEqual(['c-1 ERROR sandbox-unavailable', 'c-2 ERROR sandbox-unavailable'])
  expect(report!.cases[0]!.error).toMatch(/bubblewrap|bwrap/)
})
