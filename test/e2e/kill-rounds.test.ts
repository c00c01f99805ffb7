// @module-tag no-engine
// @module-tag slow
// @module-tag long
import { rm } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Report } from '../../src/report/report.ts'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, type DurableProject } from '../support/durable-project.ts'

const vitest4 = repositoryVitest()
const TITLE = 'S1: rounds of kill -9 at random moments lose no finished case, and every case is finished once'

// Forty rounds are proven on the journal; these few go through the whole product.
test(TITLE, async () => {
  const names = Array.from({ length: 12 }, (_, index) => `c-${index}`)
  const cases = Object.fromEntries(names.map((name) => [name, 'quick'] as const))
  await using durable = await durableProject(vitest4, cases, { plugin: { concurrency: 2 }, engine: 'shell' })
  const finished = new Set<string>()
  let finishedBefore = new Set<string>()
  let exitCode: number | null | undefined = null
  // On a fast machine a round may come to its end before the kill: then nothing is left to resume.
  for (let round = 0; round < 2 && exitCode !== 0; round++) {
    finishedBefore = new Set(finished)
    const run = durable.start([], { AGENT_EVALS_RESUME: '1' })
    await run.waitFor(/✓ c-\d/)
    setTimeout(() => run.send('SIGKILL'), Math.random() * 1500)
    const ended = await run.finished
    exitCode = ended.exitCode
    for (const [, name] of ended.all.matchAll(/✓ (c-\d+)/g)) finished.add(name!)
    if (exitCode !== 0) await recover(durable)
    const passed = new Set((await durable.reports()).flatMap(passedCases))
    expect([...finished].filter((name) => !passed.has(name))).toEqual([])
  }
  if (exitCode !== 0) {
    finishedBefore = finished
    exitCode = (await durable.start([], { AGENT_EVALS_RESUME: '1' }).finished).exitCode
  }
  expect(exitCode).toBe(0)
  const last = (await durable.reports()).at(-1)
  expect(passedCases(last!).toSorted()).toEqual(names.toSorted())
  const runAgain = last!.cases.filter(({ reused_from }) => reused_from === null).map(({ name }) => name)
  expect(runAgain.filter((name) => finishedBefore.has(name))).toEqual([])
})

function passedCases(report: Report): readonly string[] {
  return report.cases.filter(({ verdict }) => verdict === 'PASS').map(({ name }) => name)
}

// A start that has nothing to run still recovers what was lost.
async function recover(durable: DurableProject): Promise<void> {
  await durable.project.files.writeFile('evals/cases/empty.yaml', 'name: empty\n')
  await durable.start(['evals/cases/empty.yaml']).finished
  await rm(durable.project.files.getPath('evals/cases/empty.yaml'))
}
