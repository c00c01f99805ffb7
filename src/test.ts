import { test as vitestTest, type TestAPI } from 'vitest'
import { createAgent, type Agent } from './vitest/runtime/agent-fixture.ts'
import './register.ts'

export { expect } from 'vitest'
export type { Agent, AgentRunOptions } from './vitest/runtime/agent-fixture.ts'
export type { AgentRun } from './transcript/agent-run.ts'

/**
 * Vitest's `test` with the fixture `agent`.
 *
 * @example
 * test('extracts the text', async ({ agent }) => {
 *   const run = await agent.run('Extract all text from fixtures/sample.pdf', { files: ['fixtures/sample.pdf'] })
 *   expect(run).toContainOutput('Hello, World')
 * })
 */
export const test: TestAPI<{ agent: Agent }> = vitestTest.extend<{ agent: Agent }>({
  agent: async ({ task, signal, skip, onTestFinished }, use) => {
    await use(createAgent({ task, signal, skip, onTestFinished }))
  },
})
