/** How often something was predicted and how often it held. */
export interface Confusion {
  readonly truePositives: number
  readonly falsePositives: number
  readonly trueNegatives: number
  readonly falseNegatives: number
  /** Of what fired, the share that should have; `null` where nothing fired. */
  readonly precision: number | null
  /** Of what should have fired, the share that did; `null` where nothing should have. */
  readonly recall: number | null
}

/** Counts expectations against what happened, each run for itself. */
export function countConfusion(
  queries: readonly { readonly shouldTrigger: boolean; readonly fired: number; readonly completed: number }[],
): Confusion {
  const sum = (should: boolean, count: (query: (typeof queries)[number]) => number): number =>
    queries.filter(({ shouldTrigger }) => shouldTrigger === should).reduce((total, query) => total + count(query), 0)
  const truePositives = sum(true, ({ fired }) => fired)
  const falseNegatives = sum(true, ({ fired, completed }) => completed - fired)
  const falsePositives = sum(false, ({ fired }) => fired)
  const trueNegatives = sum(false, ({ fired, completed }) => completed - fired)
  return {
    truePositives,
    falsePositives,
    trueNegatives,
    falseNegatives,
    precision: share(truePositives, truePositives + falsePositives),
    recall: share(truePositives, truePositives + falseNegatives),
  }
}

function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole
}
