// Without this import the augmentation is ignored in a consumer's program.
import 'vitest'
import type { BlockedBy } from './to-be-blocked.ts'
import type { JudgeOptions } from './judge-by-matcher.ts'
import type { ScoreOptions } from './to-score-at-least.ts'
import type { ToolCallExpectation } from './to-have-called-tool.ts'

/** The matchers for an agent run. Each throws when it is given anything else, or a run that did not complete. */
export interface AgentRunMatchers {
  /**
   * The agent's output holds a text, or matches a regular expression.
   * @example expect(run).toContainOutput('Hello, World')
   */
  toContainOutput(expected: string | RegExp): void
  /**
   * The run created a regular file at this path of its workspace.
   * @example expect(run).toHaveCreatedFile('output/extracted.txt')
   */
  toHaveCreatedFile(path: string): void
  /**
   * The run changed the content of a file that was there before.
   * @example expect(run).toHaveModifiedFile('brief.md')
   */
  toHaveModifiedFile(path: string): void
  /**
   * Something stopped the agent: a hook, the permission system or the sandbox.
   * @example expect(run).toBeBlocked({ by: 'hook' })
   */
  toBeBlocked(options?: BlockedBy): void
  /**
   * The agent used this skill, by calling it or by reading its SKILL.md.
   * @example expect(run).toHaveUsedSkill('pdf-tools')
   */
  toHaveUsedSkill(name: string): void
  /**
   * The prompt made the agent use the skill, in the share of runs that the option `triggerThreshold` asks for (default
   * 0.5). Takes what `await agent.trigger(...)` returns.
   * @example expect(await agent.trigger('Read this PDF', { skill: 'pdf-tools' })).toHaveFired()
   */
  toHaveFired(): void
  /**
   * The prompt made the agent use the skill in at least this share of the runs, above 0 and at most 1.
   * @example expect(await agent.trigger('Read this PDF', { skill: 'pdf-tools' })).toHaveFiredAtLeast(0.8)
   */
  toHaveFiredAtLeast(rate: number): void
  /**
   * The agent called this tool.
   * @example expect(run).toHaveCalledTool('Bash', { input: { command: 'ls' }, times: 1 })
   */
  toHaveCalledTool(name: string, options?: ToolCallExpectation): void
  /**
   * The agent called these tools one after the other; others may lie between.
   * @example expect(run).toHaveCalledToolsInOrder(['Read', 'Edit'])
   */
  toHaveCalledToolsInOrder(names: readonly string[]): void
  /**
   * A judge finds that every sentence or bullet of the criteria holds, each with evidence. Has to be awaited.
   *
   * What the judge cannot decide throws, also under `.not`.
   * @example await expect(run).toPassJudge('Output must include all visible text from the PDF.')
   */
  toPassJudge(criteria: string, options?: JudgeOptions): Promise<void>
  /**
   * A judge finds that every expectation of the list is met. Has to be awaited.
   * @example await expect(run).toMeetExpectations(['The title is on page 1.', 'No page is left out.'])
   */
  toMeetExpectations(expectations: readonly string[], options?: JudgeOptions): Promise<void>
  /**
   * A judge scores the run by a rubric.md (relative to the test file) at least as high as it asks for, and finds none of
   * its hard fails. Has to be awaited.
   * @example await expect(run).toScoreAtLeast('rubric.md', { min: 4.5 })
   */
  toScoreAtLeast(rubric: string, options?: ScoreOptions): Promise<void>
}

// `Matchers<T>` (Vitest 4) and `Matchers<R, T>` (5) cannot be augmented by one file; Chai's interface can.
declare global {
  namespace Chai {
    interface Assertion extends AgentRunMatchers {}
  }
}
