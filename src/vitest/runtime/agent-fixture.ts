import { nearest } from '../../options/option.ts'
import { countRuns, triggerThreshold } from '../../case/plan/plan-case.ts'
import '../matchers/arguments.ts'
import { requireLink, requireRun } from '../matchers/received.ts'
import {
  chooseRun,
  type AgentRunOptions,
  type ContinueOptions,
  type RunChoices,
  type TriggerOptions,
} from './agent-options.ts'
import { callSiteOf } from './call-site.ts'
import { runForTest, type RunContext } from './run-for-test.ts'
import { limitRetry, readSettings } from './worker-process.ts'
import { recordTest } from './test-record.ts'
import { askForSkill, countTriggerRuns, settle, type TriggerOutcome } from './trigger-outcome.ts'
import type { AskedRun } from './describe-run.ts'
import type { AgentRun, RunWithFiles } from '../../transcript/transcript.ts'

/** The fixture `agent`: runs the engine. */
export interface Agent {
  /**
   * Runs the engine once in a workspace of its own, with the package of the test file installed.
   *
   * A run that did not complete is returned, too. Matchers throw on it, and the test is errored.
   *
   * @param options override those of the block; see {@link AgentRunOptions} for their defaults.
   * @throws {AgentEvalsError} if the run cannot start (`invalid-options`, `missing-input`, `engine-not-found`,
   * `sandbox-unavailable`), or if its recording no longer fits (`stale`, `recording-incompatible`).
   * @example const run = await agent.run('Extract all text from fixtures/sample.pdf', { files: ['fixtures/sample.pdf'] })
   */
  run(prompt: string, options?: AgentRunOptions): Promise<RunWithFiles>

  /**
   * Runs the engine `runs` times (default 1), each time in a workspace of its own, at most `concurrency` at once.
   *
   * @throws {AgentEvalsError} as {@link Agent.run}.
   * @example
   * const runs = await agent.runs('Say hello.', { runs: 3 })
   * expect(runs.filter((run) => run.output.includes('Hello')).length).toBeGreaterThanOrEqual(2)
   */
  runs(prompt: string, options?: AgentRunOptions): Promise<readonly RunWithFiles[]>

  /**
   * Runs a prompt `runs` times (default 3) and counts how often the agent uses a skill. A run ends when the main thread
   * uses the skill.
   *
   * A broken run is not part of the rate; the report names it.
   *
   * @throws {AgentEvalsError} `invalid-options` without a `skill`, or for a skill that the package does not have. If no
   * run completed, the error of the first one, such as `timed-out` or `no-output`.
   * @example
   * const trigger = await agent.trigger('Get the text out of this PDF', { skill: 'pdf-tools', runs: 5 })
   * expect(trigger).toHaveFired()
   * expect(trigger).toHaveFiredAtLeast(0.8)
   */
  trigger(prompt: string, options?: TriggerOptions): Promise<TriggerOutcome>

  /**
   * Continues a run that has ended: sends another prompt to the same session in the same workspace. Returns only the
   * new run, with the files that changed since. Several continuations of one run each begin where that run ended.
   *
   * If the engine cannot resume a session, the test is skipped.
   *
   * @throws {AgentEvalsError} as {@link Agent.run}.
   * @example
   * const draft = await agent.run('Write a haiku into haiku.txt.')
   * const final = await agent.continue(draft, 'Make it about the sea.')
   * expect(final).toHaveModifiedFile('haiku.txt')
   */
  continue(run: AgentRun, prompt: string, options?: ContinueOptions): Promise<RunWithFiles>
}

/**
 * Makes the `agent` of one test.
 *
 * @internal
 */
export async function createAgent(context: RunContext, block: RunChoices): Promise<Agent> {
  const settings = readSettings()
  limitRetry(context.task)
  const record = await recordTest(context, settings)
  const start = (
    choice: Pick<AskedRun, 'chosen' | 'prompt' | 'site'> & Partial<Pick<AskedRun, 'parent' | 'question'>>,
    count: number,
  ): Promise<RunWithFiles>[] => {
    record.calls += 1
    const { calls: call } = record
    return Array.from({ length: count }, async (_, index) => {
      record.askedRuns += 1
      const askedRun = { parent: null, question: null, ...choice, call, run: index + 1, index: record.askedRuns }
      return runForTest(askedRun, record, context, settings)
    })
  }
  const run: Agent['run'] = async (prompt, options = {}) => {
    const site = callSiteOf(run)
    const [only] = start({ prompt, chosen: chooseRun(prompt, options, block), site }, 1)
    return only as Promise<RunWithFiles>
  }
  const runs: Agent['runs'] = async (prompt, options = {}) => {
    const site = callSiteOf(runs)
    const chosen = chooseRun(prompt, options, block)
    return Promise.all(start({ prompt, chosen, site }, nearest(settings.runs, chosen.runs, 1)))
  }
  const trigger: Agent['trigger'] = async (prompt, options = {}) => {
    const site = callSiteOf(trigger)
    const chosen = { ...chooseRun(prompt, options, block), acceptIncomplete: true }
    const question = await askForSkill(chosen, record, settings)
    const runsOfAll = start(
      { prompt, chosen, site, question },
      countRuns({ kind: 'trigger', trigger: question }, settings),
    )
    const started = await Promise.all(runsOfAll.map((one) => settle(one)))
    const counted = countTriggerRuns(prompt, question, started, triggerThreshold(question, settings))
    record.triggers.push({ ...counted, expected: null })
    return counted.outcome
  }
  const go: Agent['continue'] = async (before, prompt, options = {}) => {
    const site = callSiteOf(go)
    const { chosen: same, continuable: parent } = requireLink(requireRun(before, 'agent.continue'), 'agent.continue')
    const [only] = start({ prompt, chosen: chooseRun(prompt, options, same), site, parent }, 1)
    return only as Promise<RunWithFiles>
  }
  return { run, runs, trigger, continue: go }
}
