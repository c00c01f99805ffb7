import type { TestCase, Vitest } from 'vitest/node'
import { readOwnRunEnd } from '../../results/run-folder.ts'
import type { RunEnding } from './exit-code.ts'
import '../provided.ts'

/** Reads how a run ended from its tests and its reports. */
export function readEnding(vitest: Vitest, exitCode: number | string | null | undefined): RunEnding {
  const modules = vitest.state.getTestModules()
  const outcomes = modules.flatMap((module) => [...module.children.allTests()]).map(outcomeOf)
  const count = (outcome: string): number => outcomes.filter((one) => one === outcome).length
  const broken = modules.filter((module) => module.state() === 'failed' && module.errors().length > 0)
  return {
    failed: count('failed'),
    errored: count('errored') + broken.length + vitest.state.getUnhandledErrors().length,
    // A closed Vitest has forgotten what its projects were given, and with it the folder of the run.
    status: readOwnRunEnd(vitest.config.root)?.status ?? null,
    exitCode: Number(exitCode ?? 0),
  }
}

// A case says itself how it came out; another test was not completed when what it threw is an error of ours.
function outcomeOf(test: TestCase): string {
  const own = test.meta().agentEvals
  if (own !== undefined) return own.arm === undefined ? own.outcome : 'compared'
  const { state, errors } = test.result()
  if (state !== 'failed') return state
  return errors.length > 0 && errors.every(({ name }) => name === 'AgentEvalsError') ? 'errored' : 'failed'
}
