import type { ReportRepeats } from '../report.ts'
import { countRepeats, describeRepeats, type AskedRuns } from './repeats-part.ts'
import { endOf, isNotRun, isScripted, meanScore, type CaseResult, type GradedPart, type CaseRun } from './result.ts'

/**
 * Makes one result of the results of a case's runs. What is shown of a single run, such as checks and verdicts, is that of
 * the run that decided: the first that failed, else the first that broke, else the first.
 *
 * @param first - the result whose case and times are those of the whole.
 */
export function combineRuns(first: CaseResult, rest: readonly CaseResult[], askedRuns: AskedRuns): CaseResult {
  const results = [first, ...rest]
  const repeats = countRepeats(
    results.map(({ outcome }) => outcome),
    askedRuns,
    results.some(isScripted),
  )
  const stopped = results.find(({ outcome }) => outcome === 'skipped')
  // A run that could not be played says what is missing; one that the budget stopped leaves the others their worth.
  if (stopped !== undefined && !isNotRun(stopped)) return stopped
  if (stopped !== undefined && repeats.completed === 0) return { ...stopped, runs: runsOf(results) }

  const graded = combineGraded(results)
  const decision = graded === null ? decide(repeats, results) : decideByScore(repeats, graded, results)
  const { key: _, ...shown } = results.find(({ outcome }) => outcome === decision.outcome) ?? first
  return {
    ...shown,
    ...decision,
    ...(graded === null ? {} : { graded }),
    ...timesOf(results),
    runs: runsOf(results),
    repeats,
    notices: noticesOf(results),
  }
}

/** The runs of results, each with how it came out. */
export function runsOf(results: readonly CaseResult[]): readonly CaseRun[] {
  return results.flatMap(({ runs, outcome, reason, checks, judge, graded }) =>
    runs.map((run): CaseRun => ({
      ...run,
      verdict: { outcome, reason, checks, judge, ...(graded === undefined ? {} : { graded }) },
    })),
  )
}

// The score of the case is the mean of its runs', and that is what is compared with the threshold.
function combineGraded(results: readonly CaseResult[]): GradedPart | null {
  const first = results.find(({ graded }) => graded !== undefined)?.graded
  if (first === undefined) return null
  const score = meanScore(
    results.map(({ outcome, graded }) => (outcome === 'errored' ? null : (graded?.score ?? null))),
  )
  return { ...first, score }
}

function decideByScore(
  repeats: ReportRepeats,
  { score, threshold }: GradedPart,
  results: readonly CaseResult[],
): Pick<CaseResult, 'error' | 'outcome' | 'reason'> {
  if (score === null) return decide(repeats, results)
  if (score >= threshold) return { outcome: 'passed', reason: null, error: null }
  const sentence = `score ${score.toFixed(2)} of ${repeats.completed} runs, threshold ${threshold.toFixed(2)}.`
  return { outcome: 'failed', reason: [sentence, ...firstReason(results, 'failed')].join(' '), error: null }
}

function decide(
  repeats: ReportRepeats,
  results: readonly CaseResult[],
): Pick<CaseResult, 'error' | 'outcome' | 'reason'> {
  const sentence = describeRepeats(repeats)
  if (repeats.completed === 0) {
    const [broken] = results
    const message = [sentence, ...firstReason(results, 'errored')].join(' ')
    return { outcome: 'errored', reason: message, error: { code: broken?.error?.code ?? 'engine-failed', message } }
  }
  if (repeats.passed / repeats.completed >= repeats.threshold) return { outcome: 'passed', reason: null, error: null }
  return { outcome: 'failed', reason: [sentence, ...firstReason(results, 'failed')].join(' '), error: null }
}

function firstReason(results: readonly CaseResult[], outcome: CaseResult['outcome']): readonly string[] {
  const index = results.findIndex((result) => result.outcome === outcome)
  const reason = results[index]?.reason
  return reason == null ? [] : [`Run ${index + 1}: ${reason}`]
}

// What all runs say is listed once.
function noticesOf(results: readonly CaseResult[]): readonly string[] {
  const runsByNotice = new Map<string, number[]>()
  for (const [index, { notices }] of results.entries())
    for (const notice of notices) runsByNotice.set(notice, [...(runsByNotice.get(notice) ?? []), index + 1])
  const broken = results.flatMap(({ outcome, reason }, index) =>
    outcome === 'errored' || outcome === 'skipped' ? [`Run ${index + 1}: ${reason ?? outcome}`] : [],
  )
  const shared = [...runsByNotice].map(([notice, runs]) =>
    runs.length === results.length ? notice : `${runs.length === 1 ? 'Run' : 'Runs'} ${runs.join(', ')}: ${notice}`,
  )
  return [...broken, ...shared]
}

/** When the runs of a case were made, and whether all of them were taken over. */
export function timesOf(
  results: readonly CaseResult[],
): Pick<CaseResult, 'duration_seconds' | 'reused_from' | 'startedAt'> {
  return {
    // A result is as old as the oldest of its runs.
    startedAt: firstStart(results) ?? '',
    duration_seconds: durationOf(results) / 1000,
    reused_from: results.every((one) => one.reused_from !== null) ? (results[0]?.reused_from ?? null) : null,
  }
}

// Runs that an earlier run of Vitest has made lie days back: the time between is nobody's.
function durationOf(results: readonly CaseResult[]): number {
  const made = results.filter((one) => one.reused_from === null)
  const timed = made.length === 0 ? results : made
  return Math.max(...timed.map((one) => endOf(one).getTime())) - Date.parse(firstStart(timed) ?? '')
}

function firstStart(results: readonly CaseResult[]): string | undefined {
  return results.map(({ startedAt }) => startedAt).toSorted()[0]
}
