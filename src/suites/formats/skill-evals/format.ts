import { AgentEvalsError } from '../../../errors.ts'
import { withSiblings } from '../../case-index.ts'
import { loadSkillSuite } from '../../skills/load-skill-suite.ts'
import { kindOf } from '../../kinds.ts'
import type { Format } from '../../format.ts'
import type { Suite } from '../../suite.ts'
import type { Issue } from '../../../documents/issue.ts'

/** Queries of a skill in a file of their own, which the reader of its evals reads too. */
export const triggers: Format = {
  recordingFolder: (suite) => suite.replace(/\.[^./]+$/, ''),
  // From the BMAD text.
  defaultTimeout: 600,
  kind: 'eval',
  lint: (suite) => findOneSidedQueries(suite),
  extras: ['execution-summary'],
}

/** The evals of a skill: `evals.json` and what other names it has. */
export const skillEvals: Format = {
  ...triggers,
  extras: ['execution-summary', 'skill-creator'],
  files: {
    isNamedByEvals: true,
    find: async ({ root, cache }) => [...(await cache.skillSuites(root)).suites.keys()],
    async recognises(file, { root, cache }) {
      const { suites, earlier } = await cache.skillSuites(root)
      return suites.has(file) || earlier?.has(file) === true
    },
    async load(file, { root, cache, fs }) {
      const { suites, earlier, cases } = await cache.skillSuites(root)
      const place = suites.get(file) ?? earlier?.get(file)
      if (place === undefined) throw new AgentEvalsError('invalid-suite', `${file} contains no evals of a skill.`)
      const suite = await loadSkillSuite(file, place, { root, fs, ownPaths: cache.ownPaths, fields: cache.fields })
      return withSiblings(suite, cases)
    },
  },
}

// Of queries that all ask the same, a skill that always fires, or never, would pass each.
function findOneSidedQueries({ cases, file }: Suite): readonly Issue[] {
  const queries = cases.flatMap((one) => {
    const question = kindOf(one).question(one)
    return question === null ? [] : [{ at: one.at, ...question }]
  })
  const [first] = queries
  const answers = new Set(queries.map(({ shouldTrigger }) => shouldTrigger))
  if (first === undefined || queries.length < 2 || answers.size > 1) return []
  const message = first.shouldTrigger
    ? 'every query should trigger, so a skill that always triggers would pass. Add queries that should not'
    : 'no query should trigger, so a skill that never triggers would pass. Add queries that should'
  return [{ code: 'one-sided-queries', severity: 'warning', file, field: '', message, ...first.at }]
}
