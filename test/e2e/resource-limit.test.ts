// @module-tag claude-code
// @module-tag slow
import { statfsSync } from 'node:fs'
import { totalmem } from 'node:os'
import { describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { vitestMajors } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'

const [vitest4] = await vitestMajors()
const ROOM = 8 * 2 ** 30
const { bavail, bsize } = statfsSync('/tmp')
const hasRoom = bavail * bsize > ROOM && totalmem() > ROOM

describe.skipIf(claudeExecutable() === null)('limits of a session', { tags: ['claude-code'] }, () => {
  test.skipIf(!hasRoom)('a session that fills the disk or the memory costs its own case only', async () => {
    const fill = 'for n in 1 2 3 4 5; do fallocate -l 1000M big$n; done; sleep 500'
    const take = `perl -e '$taken = "a" x (5 * 2**30); sleep 500'; sleep 500`
    await using durable = await durableProject(
      vitest4!,
      { 'a-disk': { says: 'Hello', does: fill }, 'b-memory': { says: 'Hello', does: take }, 'c-innocent': 'quick' },
      { plugin: { concurrency: 3 } },
    )
    const { exitCode, all } = await durable.start().finished
    const [report] = await durable.reports()
    expect(outcomes(report!), all).toEqual([
      'a-disk ERROR resource-limit',
      'b-memory ERROR resource-limit',
      'c-innocent PASS',
    ])
    expect(exitCode).toBe(1)
    expect(report!.cases.map(({ error }) => error)).toEqual([
      expect.stringMatching(/^The session used more disk space than its limit of 4\.0 GiB: \d\.\d GiB\. /),
      expect.stringMatching(/^The session used more memory than its limit of 4\.0 GiB: \d\.\d GiB\. /),
      null,
    ])
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
    expect(await durable.leftovers()).toEqual([])
  })
})
