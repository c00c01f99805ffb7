import { applyChoices } from './apply-choices.ts'
import { DEFAULT_ENGINE } from '../../engines/default-engine.ts'
import { describeRun, type AskedRun } from './describe-run.ts'
import { enginesOf } from '../../case/plan/plan-test.ts'
import { nearest, type RunSettings } from '../../settings.ts'
import { parseRubric } from '../../suites/agent/rubric.ts'
import { prepare } from '../../case/run.ts'
import { steadyNow } from '../../case/result/steady-clock.ts'
import { testRunKey, type AskedAgain } from './reuse-run.ts'
import { workerState } from './worker-state.ts'
import type { Run, RunContext } from '../../case/context.ts'
import type { PreparedRun } from '../../replay/prepared-run.ts'
import type { TestContext } from 'vitest'
import type { TestRecord } from './test-record.ts'

/** A run of a test that can start. */
export interface StartingRun {
  readonly record: TestRecord
  readonly state: RunContext
  readonly run: Run
  readonly prepared: PreparedRun
  readonly key: string
  readonly linked: AskedAgain['linked']
}

/** Prepares a run of a test; skips the test where the run cannot be made. */
export async function prepareTestRun(
  asked: AskedRun,
  record: TestRecord,
  context: Pick<TestContext, 'signal' | 'skip' | 'task'>,
  provided: RunSettings,
): Promise<StartingRun> {
  const { chosen, index } = asked
  const { signal, task } = context
  const state = workerState(provided)
  const settings = await applyChoices(provided, chosen)
  const { suite, evalCase } = await describeRun(record, asked, settings)
  const label = index === 1 ? record.planned.id : `${record.planned.id} (run ${index})`
  const ofTest = enginesOf(suite, settings).length === 0 ? null : record.planned.engineName
  const engineName = ofTest ?? nearest(settings.engine, chosen.engine ?? suite.config.engine, DEFAULT_ENGINE)
  const run: Run = {
    suite,
    evalCase,
    signal,
    label,
    settings,
    index,
    recorded: asked.run,
    planned: { ...record.planned, engineName },
    startedAt: steadyNow(),
  }
  const prepared = await prepare(state, run)
  if ('skipped' in prepared) return context.skip(prepared.skipped)
  if (asked.parent !== null && prepared.request.engine.engine.resumes !== true)
    return context.skip(`${engineName} cannot continue a session`)

  const key = testRunKey(run, prepared, asked.parent?.key ?? null)
  const linked = { task, record, settings, suite, evalCase, chosen, label, parseRubric, judgeAnswersUsed: 0, signal }
  return { record, state, run, prepared, key, linked }
}
