// @module-tag no-engine
// @module-tag slow
import { describe, expect, test } from 'vitest'
import { durableProject, outcomes } from '../support/durable-project.ts'
import { repositoryVitest } from '../support/majors.ts'
import { SHELL_ENGINE, SHELL_VARIABLES, shellCases } from '../support/shell-engine.ts'

/** Presses Ctrl-C at its step, once the run has a plan. */
const PRESS = `
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

const isPlanned = () => {
  try {
    return readdirSync('.vitest/agent-evals').length > 0
  } catch {
    return false
  }
}
let isPressed = false

async function press(step) {
  if (step !== process.env.PRESS_AT || isPressed) return
  isPressed = true
  while (!isPlanned()) await wait(5)
  const pressed = once(process, 'SIGINT')
  process.kill(process.pid, 'SIGINT')
  await pressed
}

export default class {
  onTestRunStart = () => press('onTestRunStart')
  onTestModuleQueued = () => press('onTestModuleQueued')
  onTestModuleCollected = () => press('onTestModuleCollected')
}
export const setup = () => press('globalSetup')
`

const STEPS = ['onTestRunStart', 'globalSetup', 'onTestModuleQueued', 'onTestModuleCollected']

const major = repositoryVitest()

describe('Ctrl-C between the plan and the first test', () => {
  test.for(STEPS)('S1: at %s the run is interrupted', async (step) => {
    await using durable = await durableProject(
      major,
      {},
      {
        plugin: { engines: SHELL_ENGINE, sandbox: 'none', concurrency: 1 },
        test: `reporters: ['default', './press.mjs'], globalSetup: './setup.mjs'`,
        files: {
          ...shellCases({ 'a-case': 'echo Hello', 'b-case': 'echo Hello' }),
          'press.mjs': PRESS,
          'setup.mjs': "export { setup } from './press.mjs'\n",
        },
        workers: 'one',
      },
    )
    const { exitCode, all } = await durable.start([], { ...SHELL_VARIABLES, PRESS_AT: step }).finished
    expect(exitCode, all).toBe(130)
    expect(all).toContain('agent-evals: stopping and writing the report.')
    const [report, ...others] = await durable.reports()
    expect(others).toEqual([])
    expect([report?.status, ...outcomes(report!)], all).toEqual([
      'interrupted',
      expect.stringMatching(/^a-case (?:ERROR interrupted|SKIP not-run)$/),
      expect.stringMatching(/^b-case (?:ERROR interrupted|SKIP not-run)$/),
    ])
    expect(await durable.alive()).toEqual([])
    expect(await durable.leftovers()).toEqual([])
  })
})
