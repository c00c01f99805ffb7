import { decisionNotices, describeTrigger, triggerNotices } from '../../report/build/describe-trigger.ts'
import { timesOf } from '../../report/results/combine-runs.ts'
import type { AskedRuns } from '../../report/results/repeats-part.ts'
import { isNotRun, isScripted, type CaseResult, type CaseTrigger } from '../../report/results/result.ts'
import { addTriggers, isAsExpected } from '../assess/count-triggers.ts'
import type { EvalCase } from '../../formats/suite.ts'

/** Makes one result of the results of a query's runs: they are counted together, and their rate decides. */
export function combineQuery(
  { trigger: question, prompt: query }: Pick<Extract<EvalCase, { kind: 'trigger' }>, 'prompt' | 'trigger'>,
  first: CaseResult,
  rest: readonly CaseResult[],
  { threshold, saved }: AskedRuns,
): CaseResult {
  const results = [first, ...rest]
  const part = addTriggers(
    results.map((one) => one.trigger),
    { question, query, threshold, isScripted: results.some(isScripted), ...(saved === undefined ? {} : { saved }) },
  )
  const runs = results.flatMap((one) => one.runs)
  const stopped = results.find(({ outcome }) => outcome === 'skipped')
  if (stopped !== undefined && !isNotRun(stopped)) return stopped
  if (stopped !== undefined && part.completed === 0) return { ...stopped, runs }

  const { key: _, ...shown } = results.find((one) => one.runs.length > 0) ?? first
  const problems = results.flatMap(problemOf)
  return {
    ...shown,
    ...decide(part, first, problems),
    ...timesOf(results),
    runs,
    trigger: part,
    notices: [
      ...new Set([
        ...triggerNotices(part),
        ...decisionNotices(runs),
        ...problems,
        ...results.flatMap(({ notices }) => notices),
      ]),
    ],
    ...(rest.length === 0 && first.key !== undefined ? { key: first.key } : {}),
  }
}

function decide(
  part: CaseTrigger,
  { error }: CaseResult,
  [why = 'No run completed.']: readonly string[],
): Pick<CaseResult, 'error' | 'outcome' | 'reason'> {
  if (part.completed > 0)
    return isAsExpected(part)
      ? { outcome: 'passed', reason: null, error: null }
      : { outcome: 'failed', reason: describeTrigger(part), error: null }
  const message = `${part.runs === 1 ? 'The run did not complete.' : `None of the ${part.runs} runs completed.`} ${why}`
  return { outcome: 'errored', reason: message, error: { ...error, code: error?.code ?? 'engine-failed', message } }
}

// A run that broke after the skill had been used counts all the same.
function problemOf({ outcome, reason, runs: [run] }: CaseResult, index: number): readonly string[] {
  const isBroken = outcome === 'errored' || outcome === 'skipped'
  const why = isBroken ? reason : run === undefined || run.status === 'completed' ? null : (run.problem ?? run.status)
  return why === null ? [] : [`Run ${index + 1}: ${why}`]
}
