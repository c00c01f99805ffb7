// @module-tag no-engine
// @module-tag slow
import { mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryVitest } from '../support/majors.ts'
import { durableProject, outcomes } from '../support/durable-project.ts'

const vitest4 = repositoryVitest()
const TWO = { 'c-1': 'quick', 'c-2': 'fails' } as const
const PASS_AND_FAIL = ['c-1 PASS', 'c-2 FAIL']

describe('on an odd machine', () => {
  test('S4: Turkish letters and a day that has begun in Kiribati', async () => {
    await using durable = await durableProject(vitest4, TWO, { engine: 'shell' })
    const env = { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', TZ: 'Pacific/Kiritimati' }
    await durable.start([], env).finished
    const [report] = await durable.reports()
    expect(outcomes(report!)).toEqual(PASS_AND_FAIL)
    expect(Math.abs(Date.parse(report!.timestamp) - Date.now())).toBeLessThan(600_000)
  })

  test('S4: a path of quotes, blanks, commands, brackets and an emoji, and a long one', async () => {
    await using durable = await durableProject(vitest4, TWO, { engine: 'shell' })
    const { root } = durable.project
    const odd = join(
      `it's "q" $(touch pwned) \`x\` ; & [a] {b} İı 🧪`,
      ...Array.from({ length: 12 }, () => 'x'.repeat(200)),
    )
    await mkdir(join(root, odd), { recursive: true })
    for (const name of ['evals', 'package.agent.json']) await rename(join(root, name), join(root, odd, name))
    await durable.start().finished
    const [report] = await durable.reports(odd)
    expect(outcomes(report!)).toEqual(PASS_AND_FAIL)
    expect(await durable.project.files.exists('pwned')).toBe(false)
  })

  test('S2: too few open files: the report says of every case what became of it', async () => {
    const cases = Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`c-${10 + n}`, 'quick'] as const))
    await using durable = await durableProject(vitest4, cases, { plugin: { concurrency: 8 }, engine: 'shell' })
    await durable.shell('ulimit -n 200; exec "$@"')
    const [report] = await durable.reports()
    expect(report!.summary.total).toBe(12)
    for (const outcome of outcomes(report!)) expect(outcome).toMatch(/^c-\d+ (?:PASS|ERROR [a-z-]+|SKIP not-run)$/)
    expect(await durable.alive()).toEqual([])
  })
})
