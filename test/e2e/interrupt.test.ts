import { describe, expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { vitestMajors } from '../support/majors.ts'
import { durableProject, outcomes } from './durable-project.ts'

const majors = await vitestMajors()
const CASES = { 'a-quick': 'quick', 'b-fails': 'fails', 'c-slow': 'slow', 'd-slow': 'slow', 'e-slow': 'slow' } as const

describe.skipIf(claudeExecutable() === null).each(majors)(
  'an interrupted run on $label',
  { tags: ['claude-code'] },
  (major) => {
    test.for([
      ['threads', 'SIGINT', 130],
      ['forks', 'SIGINT', 130],
      ['threads', 'SIGTERM', 143],
      ['forks', 'SIGHUP', 129],
    ] as const)('S1: %s, %s', async ([pool, signal, code]) => {
      await using durable = await durableProject(major, CASES, { pool, plugin: { concurrency: 2 } })
      const run = durable.start()
      await durable.working(run, 2)
      const pressedAt = performance.now()
      run.send(signal)
      const finished = await run.finished
      const seconds = (performance.now() - pressedAt) / 1000

      expect(finished).toMatchObject({ exitCode: code, signal: null })
      expect(await durable.alive()).toEqual([])
      expect(await durable.leftovers()).toEqual([])
      const [report, ...others] = await durable.reports()
      expect(others).toEqual([])
      expect(report?.status).toBe('interrupted')
      expect(outcomes(report!)).toEqual([
        'a-quick PASS',
        'b-fails FAIL',
        'c-slow ERROR interrupted',
        'd-slow ERROR interrupted',
        'e-slow SKIP not-run',
      ])
      // The promise is three seconds; the process that waits for it shares two cores with others.
      expect(seconds).toBeLessThan(3)
    })
  },
)
