import { inject, test, vi, type TestContext } from 'vitest'
import { AgentEvalsError, withRemedy } from '../../lib/errors.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { CaseResult } from '../../report/results/result.ts'
import type { EvalCase, Suite } from '../../formats/suite.ts'
import { attachEvidence } from './attach-evidence.ts'
import {
  describeFailure,
  findStatement,
  framedError,
  isShared,
  sharedError,
  showPlace,
  describeJudge,
  metaOf,
  whyApart,
} from './describe-failure.ts'
import { whileRunning } from './worker-process.ts'
import type { WorkerCase } from './worker-state.ts'
import '../provided.ts'

export { unpack } from '../provided.ts'

/** The steps of a case, one for each line of its file that can fail. */
export interface CaseSteps {
  /** Runs the case and leaves its result; throws when it was errored. */
  run(): Promise<void>
  /** Reports the check of this index. */
  check(index: number): Promise<void>
  /** Reports the judge's verdicts. */
  judge(): Promise<void>
  /** Reports what became of the listed statement of this index. */
  expectation(index: number): Promise<void>
  /** Reports a case that did not pass although no line of its file failed, such as a trigger query. */
  end(): Promise<void>
}

/** Declares the test of one case. Called by generated modules only. */
export function testCase(
  name: string,
  options: { readonly tags?: string[]; readonly skip?: true },
  suite: Omit<Suite, 'cases'>,
  evalCase: EvalCase,
  body: (steps: CaseSteps) => Promise<void>,
): void {
  // The deadline of a case starts when its run is granted, so Vitest's own, which counts the waiting, is off.
  // Not awaited here: that would put a frame of this file below the suite's own line.
  const showStacks = showPlace(suite.file, evalCase.at)
  try {
    test(name, { ...options, concurrent: true, timeout: 0 }, (context) => {
      // A filter with a line makes Vitest run even what is skipped: what is not in the plan sends nothing.
      if (options.skip === true) context.skip()
      return body(createSteps(context, suite, evalCase))
    })
  } finally {
    showStacks()
  }
}

function createSteps(context: TestContext, suite: Omit<Suite, 'cases'>, evalCase: EvalCase): CaseSteps {
  let result: CaseResult | undefined
  const finished = (): CaseResult => {
    if (result === undefined) throw new AgentEvalsError('engine-failed', 'The case has not run.')
    return result
  }
  // `defineHelper` removes these frames, so that the first one is the suite file's own line.
  return {
    run: vi.defineHelper(async () => {
      const settings = inject('agentEvals')
      result = await whileRunning(runLoaded({ suite, evalCase, settings, signal: context.signal }))
      context.task.meta.agentEvals = metaOf(result)
      for (const { folder, index } of result.runs) await attachEvidence(context, settings, folder, index)
      if (result.outcome === 'skipped') context.skip(result.reason ?? undefined)
      if (result.error?.code === 'cancelled') context.skip(result.error.message)
      const apart = whyApart(result)
      if (apart !== null) context.skip(apart)
      if (result.arm !== undefined) return
      if (
        result.outcome === 'errored' &&
        result.error !== null &&
        !isJudgesFault(result) &&
        !isChecksFault(result, evalCase)
      ) {
        throw errorOf(result, result.error, settings)
      }
      // What the options ask for has no line of its own.
      for (const check of failedChecks(result).slice(evalCase.checks.length))
        context.expect.soft(check).toHavePassedCheck()
    }),
    check: vi.defineHelper(async (index: number) => {
      const checks = failedChecks(finished())
      const check = checks[index]
      if (check === undefined || check.outcome === 'passed') return
      const { error } = finished()
      if (check.outcome === 'errored' && error?.message === check.message)
        throw new AgentEvalsError(error.code, describeFailure(finished(), check.message, inject('agentEvals')))
      const isFirst = checks.findIndex(({ outcome }) => outcome !== 'passed') === index
      const message = isFirst ? describeFailure(finished(), check.message, inject('agentEvals')) : check.message
      context.expect.soft({ ...check, message }).toHavePassedCheck()
    }),
    expectation: vi.defineHelper(async (index: number) => {
      const finding = findStatement(finished(), index, inject('agentEvals'))
      if (finding === null) return
      if (finding instanceof AgentEvalsError) throw finding
      context.expect.soft({ outcome: 'failed', message: finding }).toHavePassedCheck()
    }),
    judge: vi.defineHelper(async () => {
      const { outcome, error, judge, checks } = finished()
      const settings = inject('agentEvals')
      if (judge === null || outcome === 'passed') return
      if (error !== null)
        throw new AgentEvalsError(error.code, describeFailure(finished(), describeJudge(judge), settings))
      const isFirst = checks.every((check) => check.outcome !== 'failed')
      // Skipped for a failed check, it has nothing to add to that.
      if (judge.result !== 'failed' && !isFirst) return
      const message = isFirst ? describeFailure(finished(), describeJudge(judge), settings) : describeJudge(judge)
      context.expect.soft({ outcome: 'failed', message }).toHavePassedCheck()
    }),
    end: vi.defineHelper(async () => {
      const { outcome, error, reason } = finished()
      if (outcome === 'passed' || context.task.result?.state === 'fail') return
      const settings = inject('agentEvals')
      if (error !== null) throw errorOf(finished(), error, settings)
      context.expect.soft({ outcome, message: describeFailure(finished(), reason ?? '', settings) }).toHavePassedCheck()
    }),
  }
}

function errorOf(result: CaseResult, error: NonNullable<CaseResult['error']>, settings: RunSettings): AgentEvalsError {
  if (isShared(error)) return sharedError(error)
  const message = describeFailure(result, withRemedy(error), settings)
  return framedError(new AgentEvalsError(error.code, message), error.at, settings.root)
}

// Every worker imports this file, at every save of a watch; what runs a case is loaded by the first that runs.
async function runLoaded(workerCase: WorkerCase): Promise<CaseResult> {
  const { runInWorker } = await import('./worker-state.ts')
  return runInWorker(workerCase)
}

// Of several runs some may fail without the case failing.
function failedChecks({ outcome, checks }: CaseResult): CaseResult['checks'] {
  return outcome === 'passed' ? [] : checks
}

// A declared check that could not be decided has a line of its own.
function isChecksFault({ checks, error }: CaseResult, evalCase: EvalCase): boolean {
  const declared = checks.slice(0, evalCase.checks.length)
  return declared.some(({ outcome, message }) => outcome === 'errored' && message === error?.message)
}

// What the judge could not do is reported at its own line.
function isJudgesFault({ judge, error }: CaseResult): boolean {
  return judge?.error != null && judge.error.message === error?.message
}
