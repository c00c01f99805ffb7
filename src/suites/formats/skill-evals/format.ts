import { AgentEvalsError } from '../../../errors.ts'
import { withSiblings } from '../../case-index.ts'
import { loadSkillSuite } from '../../skills/load-skill-suite.ts'
import { findOneSidedQueries } from './one-sided-queries.ts'
import type { Format } from '../../format.ts'

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
    async load(file, { root, cache }) {
      const { suites, earlier, cases } = await cache.skillSuites(root)
      const place = suites.get(file) ?? earlier?.get(file)
      if (place === undefined) throw new AgentEvalsError('invalid-suite', `${file} contains no evals of a skill.`)
      const suite = await loadSkillSuite(file, place, root, cache.ownPaths)
      return withSiblings(suite, cases)
    },
  },
}
