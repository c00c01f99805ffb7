import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { claudeExecutable } from '../support/engines.ts'
import { vitestMajors } from '../support/majors.ts'
import { durableProject, outcomes, type DurableProject } from './durable-project.ts'

const [vitest4] = await vitestMajors()
const TITLE = 'S1: rounds of kill -9 at random moments lose no finished case, and every case is finished once'

// Forty rounds are proven on the journal; these few go through the whole product.
test.skipIf(claudeExecutable() === null)(TITLE, { tags: ['claude-code'] }, async () => {
  const names = Array.from({ length: 8 }, (_, index) => `c-${index}`)
  const cases = Object.fromEntries(names.map((name) => [name, 'quick'] as const))
  await using durable = await durableProject(vitest4!, cases, { plugin: { concurrency: 2 } })
  const finished = new Set<string>()
  for (let round = 0; round < 4; round++) {
    const run = durable.start([], { AGENT_EVALS_RESUME: '1' })
    await run.waitFor(/✓ c-\d/)
    setTimeout(() => run.send('SIGKILL'), Math.random() * 1500)
    const { all } = await run.finished
    for (const [, name] of all.matchAll(/✓ (c-\d)/g)) finished.add(name!)
    await recover(durable)
    const recovered = (await durable.reports()).findLast(({ status }) => status !== 'complete')
    const passed = recovered?.cases.filter(({ verdict }) => verdict === 'PASS').map(({ name }) => name) ?? names
    expect([...finished].filter((name) => !passed.includes(name))).toEqual([])
  }
  expect((await durable.start([], { AGENT_EVALS_RESUME: '1' }).finished).exitCode).toBe(0)
  const last = (await durable.reports()).at(-1)
  expect(outcomes(last!)).toEqual(names.map((name) => `${name} PASS`))
  const runAgain = last!.cases.filter(({ reused_from }) => reused_from === null).map(({ name }) => name)
  expect(runAgain.filter((name) => finished.has(name))).toEqual([])
})

// A start that has nothing to run still recovers what was lost.
async function recover(durable: DurableProject): Promise<void> {
  await durable.project.files.writeFile('evals/cases/empty.yaml', 'name: empty\n')
  await durable.start(['evals/cases/empty.yaml']).finished
  await rm(durable.project.files.getPath('evals/cases/empty.yaml'))
}
