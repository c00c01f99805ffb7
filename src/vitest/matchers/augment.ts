// Without this import the augmentation is ignored in a consumer's program.
import 'vitest'
import type { BlockedBy, HookExpectation } from './hooks.ts'
import type { JsonSchemaOptions } from './check-matchers.ts'
import type { JudgeOptions } from './judge-by-matcher.ts'
import type { ScoreOptions } from './judges.ts'
import type { ToolCallExpectation } from './tools-and-files.ts'

/**
 * The matchers for an agent run.
 *
 * Each throws an `AgentEvalsError`, also under `.not`, if it gets anything else (`invalid-options`) or a run that did not
 * complete (the code of the run, such as `timed-out`).
 */
export interface AgentRunMatchers {
  /**
   * The agent's output contains a text, or matches a regular expression.
   * @example expect(run).toContainOutput('Hello, World')
   */
  toContainOutput(expected: string | RegExp): void
  /**
   * The run created a regular file at this path of its workspace.
   * @example expect(run).toHaveCreatedFile('output/extracted.txt')
   */
  toHaveCreatedFile(path: string): void
  /**
   * The run changed the content of a file that existed before.
   * @example expect(run).toHaveModifiedFile('brief.md')
   */
  toHaveModifiedFile(path: string): void
  /**
   * A hook, the permission system or the sandbox blocked a call. `by` accepts only one of them.
   * @example expect(run).toBeBlocked({ by: 'hook' })
   */
  toBeBlocked(options?: BlockedBy): void
  /**
   * Hooks of this event ran, in either spelling of its name. `times` is the exact number.
   * @example expect(run).toHaveRunHook('PreToolUse', { matcher: 'Bash', times: 1 })
   */
  toHaveRunHook(event: string, options?: HookExpectation): void
  /**
   * A hook told the model this text: additional context, or why it blocked. What the model did not get does not count.
   * @example expect(run).toHaveHookOutput('eval() is dangerous')
   */
  toHaveHookOutput(expected: string | RegExp): void
  /**
   * The agent called this skill or read its SKILL.md.
   * @example expect(run).toHaveUsedSkill('pdf-tools')
   */
  toHaveUsedSkill(name: string): void
  /**
   * The agent used the skill in the share of runs that the option `triggerThreshold` requires (default 0.5). Expects the
   * result of `await agent.trigger(...)`.
   * @example expect(await agent.trigger('Read this PDF', { skill: 'pdf-tools' })).toHaveFired()
   */
  toHaveFired(): void
  /**
   * The agent used the skill in at least this share of the runs, above 0 and at most 1.
   * @example expect(await agent.trigger('Read this PDF', { skill: 'pdf-tools' })).toHaveFiredAtLeast(0.8)
   */
  toHaveFiredAtLeast(rate: number): void
  /**
   * The agent called this tool. Each key of `input` must match; `times` is the exact number of calls.
   * @example expect(run).toHaveCalledTool('Bash', { input: { command: 'ls' }, times: 1 })
   */
  toHaveCalledTool(name: string, options?: ToolCallExpectation): void
  /**
   * The agent called these tools in this order. Other calls may come between.
   * @example expect(run).toHaveCalledToolsInOrder(['Read', 'Edit'])
   */
  toHaveCalledToolsInOrder(names: readonly string[]): void
  /**
   * The agent did not call this tool; without a name, it called none at all.
   * @example expect(run).toHaveCalledNoTool('WebFetch')
   */
  toHaveCalledNoTool(name?: string): void
  /**
   * The agent's output matches a regular expression, which may take two seconds.
   * @example expect(run).toMatchOutput(/^Total: \d+$/m)
   */
  toMatchOutput(pattern: RegExp): void
  /**
   * A file of the workspace contains a text at the end of the run. Must be awaited.
   * @example await expect(run).toHaveFileContaining('output/summary.md', 'Page 1')
   */
  toHaveFileContaining(path: string, text: string): Promise<void>
  /**
   * A file, or without `path` the final message, is JSON that a schema (draft 2020-12) accepts. Must be awaited.
   * @example await expect(run).toMatchJsonSchema({ type: 'object', required: ['total'] }, { path: 'out.json' })
   */
  toMatchJsonSchema(schema: Readonly<Record<string, unknown>>, options?: JsonSchemaOptions): Promise<void>
  /**
   * The run cost at most so many US dollars, its judge not included. A replay is measured by the recorded run.
   * @example expect(run).toHaveMaxCostUsd(0.25)
   */
  toHaveMaxCostUsd(most: number): void
  /**
   * The run took at most so many seconds. A replay is measured by the recorded run.
   * @example expect(run).toHaveMaxSeconds(90)
   */
  toHaveMaxSeconds(most: number): void
  /**
   * A model answered at most so often, in sub-agents as well.
   * @example expect(run).toHaveMaxTurns(8)
   */
  toHaveMaxTurns(most: number): void
  /**
   * The run used at most so many tokens, cached input included. A replay is measured by the recorded run.
   * @example expect(run).toHaveMaxTokens(50_000)
   */
  toHaveMaxTokens(most: number): void
  /**
   * A judge accepts every sentence or bullet of the criteria, with evidence for each. Must be awaited.
   *
   * @throws {AgentEvalsError} `judge-failed` if the judge cannot decide, also under `.not`; `no-judge` without a judge.
   * @example await expect(run).toPassJudge('Output must include all visible text from the PDF.')
   */
  toPassJudge(criteria: string, options?: JudgeOptions): Promise<void>
  /**
   * A check or a judge accepts every expectation of the list. Must be awaited.
   *
   * @throws {AgentEvalsError} as {@link AgentRunMatchers.toPassJudge}.
   * @example await expect(run).toMeetExpectations(['The title is on page 1.', 'No page is left out.'])
   */
  toMeetExpectations(expectations: readonly string[], options?: JudgeOptions): Promise<void>
  /**
   * A judge scores the run by a rubric.md (relative to the test file). The weighted score, from 1 to 5, is high enough,
   * and no hard fail happened. Must be awaited.
   *
   * @throws {AgentEvalsError} as {@link AgentRunMatchers.toPassJudge}; `missing-input` without the rubric.
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
