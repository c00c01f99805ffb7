import type { AgentRun } from '../../transcript/agent-run.ts'
import type { GoldenTest, JudgeSettings, Rubric } from '../../suites/golden.ts'

/** What a judge by rubric is asked. */
export interface RubricQuestion {
  readonly rubric: Rubric
  readonly judge: Pick<JudgeSettings, 'strictMode' | 'template'>
  readonly golden: Pick<GoldenTest, 'expectedBehavior' | 'expectedFacts' | 'input' | 'passCriteria' | 'required'>
  readonly run: AgentRun
  /** The files of the agent's folder as it ran, relative to it. */
  readonly vault: readonly string[]
}
