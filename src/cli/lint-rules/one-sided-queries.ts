import type { Issue } from '../../documents/issue.ts'
import type { Suite } from '../../suites/suite.ts'

/** A remark on queries of which all ask the same: a skill that always fires, or never, would pass them. */
export function findOneSidedQueries({ cases, file }: Suite): readonly Issue[] {
  const queries = cases.filter(({ trigger }) => trigger !== undefined)
  const [first] = queries
  const answers = new Set(queries.map(({ trigger }) => trigger?.shouldTrigger))
  if (first === undefined || queries.length < 2 || answers.size > 1) return []
  const message =
    first.trigger?.shouldTrigger === true
      ? 'every query should fire: a skill that fires on anything would pass. Add some that should not'
      : 'no query should fire: a skill that never does would pass. Add some that should'
  return [{ code: 'one-sided-queries', severity: 'warning', file, field: '', message, ...first.at }]
}
