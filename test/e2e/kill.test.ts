// @module-tag no-engine
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'
import { shellCases } from '../support/shell-engine.ts'

const vitest4 = repositoryVitest()
const SIX = { 'c-1': 'quick', 'c-2': 'fails', 'c-3': 'quick', 'c-4': 'slow', 'c-5': 'quick', 'c-6': 'quick' } as const
const FOURTH = 'evals/cases/c-4.yaml'
const HELLO = 'turns:\n  - text: Hello\njudge:\n  - - verdict: pass\n      reason: It greets.\n      quote: Hello\n'

describe('a run that is killed', () => {
  test.for(['threads', 'forks'] as const)(
    'S1: kill -9 of the main process while the fourth of six cases runs (%s)',
    async (pool) => {
      await using durable = await durableProject(vitest4, SIX, { pool, plugin: { concurrency: 1 }, engine: 'shell' })
      const run = durable.start()
      await durable.working(run, 1)
      process.kill(run.pid, 'SIGKILL')
      await run.finished
      expect(await durable.reports()).toEqual([])
      // Workers that are processes see a moment later that they are alone.
      await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
      await expect.poll(() => durable.leftovers(), { timeout: 20_000 }).toEqual([])

      const next = await durable.start(['evals/cases/c-1.yaml']).finished
      expect(next.exitCode, next.all).toBe(0)
      expect(next.all).toMatch(/agent-evals: recovered the results of a killed run: evals\/reports\/\S+\.json/)
      const [recovered, other] = await durable.reports()
      expect(recovered?.status).toBe('recovered')
      expect(outcomes(recovered!)).toEqual([
        'c-1 PASS',
        'c-2 FAIL',
        'c-3 PASS',
        'c-4 ERROR interrupted',
        'c-5 SKIP not-run',
        'c-6 SKIP not-run',
      ])
      expect(outcomes(other!)).toEqual(['c-1 PASS'])
      // Vitest does not wait until its workers are gone.
      await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
      expect(await durable.leftovers()).toEqual([])

      await durable.project.files.writeFile(FOURTH, shellCases({ 'c-4': 'echo Hello' })[FOURTH] as string)
      await durable.project.files.writeFile('evals/scenarios/c-3.yaml', `# another comment\n${HELLO}`)
      const resumed = await durable.start([], { AGENT_EVALS_RESUME: '1' }).finished
      expect(resumed.exitCode).toBe(1)
      const [report] = (await durable.reports()).slice(-1)
      expect(report?.status).toBe('complete')
      const [, killed] = /eval-run-\S+-([0-9a-f]{6})$/.exec(recovered!.id) ?? []
      expect(
        report!.cases.map(({ name, verdict, reused_from }) => `${name} ${verdict} ${reused_from?.slice(-6)}`),
      ).toEqual([
        `c-1 PASS ${killed}`,
        `c-2 FAIL ${killed}`,
        'c-3 PASS undefined',
        'c-4 PASS undefined',
        'c-5 PASS undefined',
        'c-6 PASS undefined',
      ])
      expect(resumed.all).toContain('Reused  2 from ')
    },
  )

  test('S1: kill -9 of a worker costs the cases that it ran', async () => {
    const cases = { 'c-1': 'quick', 'c-2': 'slow' } as const
    await using durable = await durableProject(vitest4, cases, {
      pool: 'forks',
      plugin: { concurrency: 1 },
      engine: 'shell',
    })
    const run = durable.start()
    await durable.working(run, 1)
    const [worker] = await durable.processes(/workers\/forks\.js/)
    process.kill(worker!, 'SIGKILL')
    expect(await run.finished).toMatchObject({ exitCode: 1 })
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['c-1 PASS', 'c-2 ERROR interrupted'])
    expect(report!.status).toBe('partial')
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
  })
})
