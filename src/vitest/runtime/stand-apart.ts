import type { RunnerTestCase, TaskMeta } from 'vitest'
import { describeQuarantine, isQuarantined } from '../../options/quarantine.ts'
import type { CaseResult } from '../../report/results/result.ts'

// Tests that never fail the run: those that run for comparison, and those in quarantine. Vitest has no state for a failure
// that does not count, so they are shown as skipped, with the outcome in the note: a tick would read as if they passed.

/** What a finished case leaves on its test. */
export function metaOf(result: CaseResult): NonNullable<TaskMeta['agentEvals']> {
  const { id, arm, outcome, runs } = result
  return {
    id,
    outcome,
    ...(arm === undefined ? {} : { arm }),
    ...(isQuarantined(result) ? { quarantined: true } : {}),
    folder: runs[0]?.folder ?? null,
  }
}

/** Why a test that did not pass is shown as skipped; `null` where it may fail, or has nothing to hide. */
export function whyApart({ arm, outcome, quarantine, reason }: CaseResult): string | null {
  if (outcome !== 'failed' && outcome !== 'errored') return null
  const why = reason ?? outcome
  if (arm !== undefined) {
    // What could not be completed must not look as if it failed.
    if (outcome === 'errored') return `not completed: ${why}`
    return `fails ${arm === 'variant' ? 'with the version before' : 'without the skill'}: ${why}`
  }
  if (quarantine === undefined || !isQuarantined({ quarantine })) return null
  return `${outcome}, but ${describeQuarantine(quarantine)}. ${why}`
}

/** Shows a test as skipped that Vitest has taken for failed. */
export function skipFailed(task: Pick<RunnerTestCase, 'result'>, note: string): void {
  if (task.result?.state !== 'fail') return
  task.result.state = 'skip'
  task.result.errors = []
  Object.assign(task.result, { note })
}
