import type { TestContext } from 'vitest'
import { AgentEvalsError } from '../../errors.ts'
import type { EvidenceText } from '../../judges/evidence/evidence-text.ts'
import type { RunSettings } from '../../settings.ts'
import type { JudgeSupply } from '../../case/judge/judge-case.ts'
import type { parseRubric } from '../../suites/agent/rubric.ts'
import type { EvalCase, Suite } from '../../suites/suite.ts'
import type { JudgeExchange } from '../../judges/ask.ts'
import type { RecordedJudge } from '../../recordings/recording.ts'
import type { ContinuableRun } from '../../replay/continue-run.ts'
import type { ChosenRun } from '../runtime/agent-options.ts'
import type { TestRecord } from '../runtime/test-record.ts'
import type { AgentRun } from '../../transcript/agent-run.ts'

/** How a matcher finds the test and the settings of a run: `this.task` is another test's in concurrent ones. */
export interface RunLink {
  readonly task: TestContext['task']
  /** What the test has done so far. */
  readonly record: Pick<TestRecord, 'checks' | 'judges' | 'triggers'>
  readonly settings: RunSettings
  readonly suite: Omit<Suite, 'cases'>
  readonly evalCase: EvalCase
  /** How it was asked for, and what it takes to go on with it. */
  readonly chosen: ChosenRun
  readonly continuable: ContinuableRun
  /** Shown while waiting and in errors. */
  readonly label: string
  /** Texts that the run created or modified. */
  readonly files: readonly EvidenceText[]
  /** Here, so that a matcher has it at once and no worker loads it before there is a run. */
  readonly parseRubric: typeof parseRubric
  /** Who answers a judge of this run. */
  readonly judge: JudgeSupply
  /** Keeps the questions and answers of a judge, as evidence and for a later replay. */
  readonly keepJudgement: (exchanges: readonly JudgeExchange[], toRecord: RecordedJudge | null) => Promise<void>
  /** How many answers of a scenario its judges have used up. */
  judgeAnswersUsed: number
  /** Aborts when the test is stopped. */
  readonly signal: AbortSignal
}

/** Hides the link in a run: it is in no copy of it and in no JSON. */
export function linkRun(run: AgentRun, link: RunLink): AgentRun {
  return Object.defineProperty(run, RUN_LINK, { value: link })
}

/**
 * Finds the link of a run.
 *
 * @throws {AgentEvalsError} `invalid-options` when no fixture has made the run.
 */
export function requireLink(run: AgentRun, matcher: string): RunLink {
  const link = findLink(run)
  if (link !== undefined) return link
  throw new AgentEvalsError(
    'invalid-options',
    `${matcher}() needs the run that \`await agent.run(...)\` returned, not a copy.`,
  )
}

/** The link of a run; `undefined` when no fixture has made it. */
export function findLink(run: AgentRun): RunLink | undefined {
  return (run as AgentRun & { readonly [RUN_LINK]?: RunLink })[RUN_LINK]
}

// The same in every copy of this package.
const RUN_LINK: unique symbol = Symbol.for('agent-evals.run')
