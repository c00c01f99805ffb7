import { createFixture } from 'fs-fixture'
import { expect, test } from 'vitest'
import { execute } from '../../../src/case/execute.ts'
import { resultOf } from '../../../src/case/result/build-result.ts'
import { createRedactor } from '../../../src/gateway/redact.ts'
import { agentRun } from '../../support/agent-run.ts'
import { plannedCase } from '../../support/case-result.ts'
import type { RunContext, Run } from '../../../src/case/context.ts'
import type { PreparedRun } from '../../../src/case/replay/run-recorded.ts'
import type { AgentRun } from '../../../src/transcript/transcript.ts'

const SPENT = {
  status: 'api-error',
  problemCode: 'budget-spent',
  problem: 'The budget of $0.01 has $0.01 left.',
} as const

async function executeRun(run: AgentRun): Promise<unknown> {
  await using folder = await createFixture({})
  const planned = plannedCase('a')
  const settings = { root: folder.path, runFolder: folder.getPath('run') }
  const context = { journal: {}, redactor: createRedactor({}) } as unknown as RunContext
  const live = { kind: 'live' }
  const request = { suite: {}, evalCase: { prompt: 'Go.' }, source: live }
  const prepared = { request, findings: [], source: { recording: null, answers: live } }
  const engine = async (): Promise<never> => ({ run, conversation: null, warnings: [] }) as never
  return execute(context, { planned, index: 1, settings } as Run, prepared as unknown as PreparedRun, {
    engine,
    outcomeOf: () => ({ outcome: 'passed', reason: null, error: null }),
  }).then(
    ({ outcome }) => outcome.run.problemCode,
    (error: unknown) => resultOf(error, planned, new Date()),
  )
}

test('a case whose first request the budget does not pay for was not run, and the report is partial by it', async () => {
  expect(await executeRun(agentRun({ ...SPENT, costUsd: 0, requests: 0 }))).toMatchObject({
    outcome: 'skipped',
    reason: 'not-run: The budget of $0.01 has $0.01 left.',
    error: null,
  })
})

test('a case that the budget stops on its way is an error', async () => {
  expect(await executeRun(agentRun({ ...SPENT, costUsd: 0.005, requests: 1 }))).toBe('budget-spent')
})
