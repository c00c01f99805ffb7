import { join, posix } from 'node:path'
import { discoverGolden, evalsDirOf } from '../../agent/golden-place.ts'
import { loadGoldenSuite } from '../../agent/load-golden-suite.ts'
import { findMissingJudge } from '../../agent/missing-judge.ts'
import type { Format } from '../../format.ts'

/** Golden tests of an agent: a document each. */
export const golden: Format = {
  files: {
    find: async ({ agentsRoot }) => (await discoverGolden(agentsRoot)).ours,
    recognises: (file) => Promise.resolve(evalsDirOf(file) !== null),
    load(file, { cache, fs }) {
      // A golden test is what its agent's rubric and judge make of it.
      for (const name of ['rubric.md', 'judge.md', '../model.md']) fs.look(join(evalsDirOf(file) ?? '', name))
      return loadGoldenSuite(file, cache.agentOf)
    },
  },
  // A file has one case.
  recordingFolder: (suite) => posix.dirname(suite),
  defaultTimeout: 600,
  kind: 'golden',
  needsNoManifest: true,
  lint: (suite) => findMissingJudge(suite),
  extras: ['run-log'],
}
