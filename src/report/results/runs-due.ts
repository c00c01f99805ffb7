/** What the runs of a case have shown so far. */
export interface RunsSoFar {
  /** Runs that were planned. */
  readonly planned: number
  /** Runs that have ended, however they came out. */
  readonly ended: number
  /** Of these, runs that decide: the others are in no rate. */
  readonly completed: number
  /** Of these, runs that passed, or used the skill. */
  readonly passed: number
  /** Share of the completed runs that has to pass. */
  readonly threshold: number
}

/**
 * The fewest further runs after which the verdict may be certain; 0 once no outcome of the runs that are left can change it.
 *
 * So many runs can be made at once: one after the other as many would be made.
 */
export function runsDue(runs: RunsSoFar): number {
  const left = runs.planned - runs.ended
  for (let more = 0; more < left; more += 1)
    if ([0, more].some((passed) => isCertain(after(runs, more, passed)))) return more
  return left
}

function after({ ended, completed, passed, ...runs }: RunsSoFar, more: number, passing: number): RunsSoFar {
  return { ...runs, ended: ended + more, completed: completed + more, passed: passed + passing }
}

// A run that breaks leaves the rate as it is, so the extremes are that all of the rest pass, and that none does. While none
// has completed, all may break.
function isCertain({ planned, ended, completed, passed, threshold }: RunsSoFar): boolean {
  if (completed === 0) return planned === ended
  const left = planned - ended
  const [worst, best] = [passed / (completed + left), (passed + left) / (completed + left)]
  return worst >= threshold === best >= threshold
}
