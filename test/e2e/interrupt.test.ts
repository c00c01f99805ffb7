// @module-tag no-engine
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'
import { shellCases } from '../support/shell-engine.ts'

const vitest4 = repositoryVitest()
const CASES = { 'a-quick': 'quick', 'b-fails': 'fails', 'c-slow': 'slow', 'd-slow': 'slow', 'e-slow': 'slow' } as const
const LATE = `import { test } from 'vitest-agent-evals/test'
test('late', ({ agent }) => agent.run('echo Hello'))
`
const TESTS = `import { test } from 'vitest-agent-evals/test'
test.concurrent.for(['one', 'two', 'three', 'four', 'five', 'six'])('%s', async (_, { agent }) => {
  await agent.run('sleep 4321')
})
`

describe('an interrupted run', () => {
  test.for([
    { pool: 'threads', signal: 'SIGINT', code: 130 },
    { pool: 'forks', signal: 'SIGHUP', code: 129 },
    { pool: 'forks', signal: 'SIGTERM', code: 143 },
  ] as const)('S1: $pool, $signal', async ({ pool, signal, code }) => {
    // Shorter than every case file, so that Vitest mostly begins with those.
    const files = { 'evals/late.eval.ts': LATE }
    await using durable = await durableProject(vitest4, CASES, {
      pool,
      plugin: { concurrency: 2 },
      files,
      engine: 'shell',
    })
    const run = durable.start()
    await durable.working(run, 2)
    run.send(signal)
    // Its agents sleep for more than an hour.
    const finished = await run.finished
    expect(finished).toMatchObject({ exitCode: code, signal: null })
    expect(await durable.alive()).toEqual([])
    expect(await durable.leftovers()).toEqual([])
    const [report, ...others] = await durable.reports()
    expect(others).toEqual([])
    expect(report?.status).toBe('interrupted')
    const [late, ...cases] = outcomes(report!).toReversed()
    // Which tests it holds nobody knows of a file that the run did not come to.
    expect(late).toMatch(/^(?:evals\/late\.eval\.ts SKIP not-run|late SKIP )/)
    expect(cases.toReversed()).toEqual([
      'a-quick PASS',
      'b-fails FAIL',
      'c-slow ERROR interrupted',
      'd-slow ERROR interrupted',
      'e-slow SKIP not-run',
    ])
  })

  test.for([
    ['SIGINT', 'threads'],
    ['SIGKILL', 'forks'],
  ] as const)('S1: sessions that wait for a place were not run at %s, %s', async ([signal, pool]) => {
    const names = ['one', 'two', 'three', 'four', 'five', 'six']
    const scenarios = names.map((name) => [`evals/scenarios/${name}.yaml`, 'turns: [Hello]\n'])
    // One worker begins with the longer file. The other one may stand for its tests, which nobody knows.
    const files = { 'evals/hand.eval.ts': TESTS, 'evals/late.eval.ts': LATE }
    await using durable = await durableProject(
      vitest4,
      {},
      {
        pool,
        plugin: { concurrency: 2 },
        files: { ...files, ...Object.fromEntries(scenarios) },
        workers: 'one',
        engine: 'shell',
      },
    )
    const run = durable.start()
    await durable.working(run, 2)
    const workspaces = async (): Promise<number> =>
      (await durable.leftovers()).filter((name) => name.startsWith('agent-evals-')).length
    await expect.poll(workspaces, { timeout: 60_000 }).toBe(names.length)
    if (signal === 'SIGINT') run.send(signal)
    else process.kill(run.pid, signal)
    const finished = await run.finished
    expect(finished.exitCode, finished.all).toBe(signal === 'SIGINT' ? 130 : null)
    await expect.poll(() => durable.alive(), { timeout: 20_000 }).toEqual([])
    await expect.poll(() => durable.leftovers(), { timeout: 20_000 }).toEqual([])
    // What was killed is recovered by the next start, even by one that runs nothing.
    if (signal === 'SIGKILL') await durable.start(['-t', 'nothing']).finished

    const [report] = await durable.reports()
    const [late, ...ends] = outcomes(report!).toReversed()
    expect(late).toMatch(/^(?:evals\/late\.eval\.ts|late) SKIP not-run$/)
    expect(ends.map((line) => line.replace(/^\w+ /, '')).toSorted()).toEqual([
      ...Array.from({ length: 2 }, () => 'ERROR interrupted'),
      ...Array.from({ length: names.length - 2 }, () => 'SKIP not-run'),
    ])
  })

  test('S1: agent-evals run, and what it takes over when it is resumed', async () => {
    const cases = { 'a-quick': 'quick', 'b-slow': 'slow' } as const
    await using durable = await durableProject(vitest4, cases, { plugin: { concurrency: 1 }, engine: 'shell' })
    const run = durable.command(['run'])
    await durable.working(run, 1)
    run.send('SIGINT')
    expect(await run.finished).toMatchObject({ exitCode: 130, signal: null })
    expect(await durable.alive()).toEqual([])
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(['a-quick PASS', 'b-slow ERROR interrupted'])

    const path = 'evals/cases/b-slow.yaml'
    await durable.project.files.writeFile(path, shellCases({ 'b-slow': 'echo Good bye' })[path] as string)
    const resumed = await durable.command(['run', '--resume']).finished
    expect(resumed.exitCode).toBe(1)
    const [, second] = await durable.reports()
    expect(outcomes(second!)).toEqual(['a-quick PASS', 'b-slow FAIL'])
    expect(second!.cases.map(({ reused_from }) => reused_from !== null)).toEqual([true, false])
  })
})
