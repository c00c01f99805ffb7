import { posix } from 'node:path'
import { packageRootOf } from '../../../packages/package-root.ts'
import { findFiles, NEVER_SUITE_GLOBS } from '../../discover.ts'
import { withSiblings } from '../../case-index.ts'
import { findCases, isCaseOfPlugin, PLUGIN_EVAL_GLOBS } from './find-cases.ts'
import { loadPluginCase } from './load-case.ts'
import type { Format } from '../../format.ts'

/** Cases of `claude plugin eval`: a folder each. */
export const pluginEval: Format = {
  files: {
    find: async ({ root }) => (await findCases(await findFiles(root, PLUGIN_EVAL_GLOBS, NEVER_SUITE_GLOBS), root)).ours,
    recognises: isCaseOfPlugin,
    async load(file, { root, cache, fs }) {
      const suite = await loadPluginCase(file, { packageRoot: packageRootOf(file, root), root, fs })
      return withSiblings(suite, (await cache.skillSuites(root)).cases)
    },
  },
  recordingFolder,
  // Every case has a timeout of its own.
  defaultTimeout: 120,
  kind: 'plugin-eval',
  extras: ['aggregate-result'],
}

// The id of a case names its folder. `evals` alone is the folder of cases without a group, so a group of that name gets another.
function recordingFolder(suite: string): string {
  const group = posix.dirname(posix.dirname(suite))
  return `${group}/`.startsWith('evals/evals/') ? `evals/${group}` : group
}
