import type { Issue } from '../../../documents/issue.ts'
import type { Suite } from '../../suite.ts'

/** A remark on queries of which all ask the same: a skill that always fires, or never, would pass them. */
export function findOneSidedQueries({ cases, file }: Suite): readonly Issue[] {
  const queries = cases.filter(({ trigger }) => trigger !== undefined)
  const [first] = queries
  const answers = new Set(queries.map(({ trigger }) => trigger?.shouldTrigger))
  if (first === undefined || queries.length < 2 || answers.size > 1) return []
  const message =
    first.trigger?.shouldTrigger === true
      ? 'every query should trigger, so a skill that always triggers would pass. Add queries that should not'
      : 'no query should trigger, so a skill that never triggers would pass. Add queries that should'
  return [{ code: 'one-sided-queries', severity: 'warning', file, field: '', message, ...first.at }]
}
