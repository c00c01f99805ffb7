import { join, posix } from 'node:path'
import { discoverGolden, evalsDirOf } from '../../agent/golden-place.ts'
import { loadGoldenSuite } from '../../agent/load-golden-suite.ts'
import { withSiblings } from '../../case-index.ts'
import { findMissingJudge } from '../../agent/missing-judge.ts'
import type { Format } from '../../format.ts'

/** Golden tests of an agent: a document each. */
export const golden: Format = {
  files: {
    find: async ({ agentsRoot }) => (await discoverGolden(agentsRoot)).ours,
    recognises: (file) => Promise.resolve(evalsDirOf(file) !== null),
    async load(file, { root, cache, fs }) {
      // A golden test is what its agent's rubric and judge make of it.
      for (const name of ['rubric.md', 'judge.md', '../model.md']) fs.look(join(evalsDirOf(file) ?? '', name))
      return withSiblings(await loadGoldenSuite(file, cache.agentOf), (await cache.skillSuites(root)).cases)
    },
  },
  // A file has one case.
  recordingFolder: (suite) => posix.dirname(suite),
  defaultTimeout: 600,
  kind: 'golden',
  lint: (suite) => findMissingJudge(suite),
  extras: ['run-log'],
}
