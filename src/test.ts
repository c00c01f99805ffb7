import { test as vitestTest, type TestAPI } from 'vitest'
import type { Agent } from './vitest/runtime/agent-fixture.ts'
import { declareTests } from './vitest/runtime/declare-tests.ts'
import type { RunChoices } from './vitest/runtime/agent-options.ts'
import './vitest/matchers/register.ts'

export { describe, expect } from 'vitest'
export { blockedCalls, finalMessage, hookDecisions, skillsUsed, toolCalls } from './transcript/select.ts'
export type { Agent } from './vitest/runtime/agent-fixture.ts'
export type { AgentRunOptions, ContinueOptions, RunChoices, TriggerOptions } from './vitest/runtime/agent-options.ts'
export type { TriggerOutcome } from './vitest/runtime/trigger-outcome.ts'
export type { JudgeOptions } from './vitest/matchers/judge-by-matcher.ts'
export type { AgentRun, RunWithFiles } from './transcript/transcript.ts'
export type { BlockedCall, ToolCall } from './transcript/select.ts'

/** The fixtures of `test`, besides Vitest's own. */
export interface EvalFixtures extends RunChoices {
  /** Runs the engine. */
  readonly agent: Agent
}

const oneTest: TestAPI<EvalFixtures> = vitestTest.extend<EvalFixtures>({
  engine: null,
  skill: null,
  model: null,
  runs: null,
  timeout: null,
  sandbox: null,
  agent: async (
    { task, signal, skip, annotate, onTestFinished, engine, skill, model, runs, timeout, sandbox },
    use,
  ): Promise<void> => {
    const block = { engine, skill, model, runs, timeout, sandbox }
    // Every file of tests imports this one; only a test that asks for the agent needs what runs it.
    const { createAgent } = await import('./vitest/runtime/agent-fixture.ts')
    await use(await createAgent({ task, signal, skip, annotate, onTestFinished }, block))
  },
})

/**
 * Vitest's `test` with the fixture `agent`. `test.override` sets the engine, skill, model, runs, timeout (seconds) or
 * sandbox of a block of tests.
 *
 * @example
 * test('extracts the text', async ({ agent }) => {
 *   const run = await agent.run('Extract all text from fixtures/sample.pdf', { files: ['fixtures/sample.pdf'] })
 *   expect(run).toContainOutput('Hello, World')
 * })
 *
 * describe('in five minutes', () => {
 *   test.override({ timeout: 300 })
 * })
 */
export const test: TestAPI<EvalFixtures> = declareTests(oneTest)
