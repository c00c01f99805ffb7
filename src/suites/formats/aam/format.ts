import { dirname, join, posix } from 'node:path'
import { collisionKey } from '../../../documents/relative-path.ts'
import { openTrackedFs } from '../../../documents/tracked-fs.ts'
import { packageRootOf } from '../../../packages/package-root.ts'
import { discover } from '../../discover.ts'
import { parseAam } from './aam.ts'
import { resolveAamFiles } from './aam-files.ts'
import { withSiblings } from '../../case-index.ts'
import { isAamCase, isAamPlace } from './recognise.ts'
import type { Format } from '../../format.ts'
import type { Suite } from '../../suite.ts'

const GLOBS = ['**/evals/cases/*.{yaml,yml}']

/** Cases of the Agent Artifact Manifest: a file each. */
export const aam: Format = {
  files: {
    globs: GLOBS,
    isPlace: isAamPlace,
    find: async ({ root }) => (await discover(root, GLOBS, isAamCase)).ours,
    recognises: () => Promise.resolve(true),
    async load(file, { root, cache, fs }) {
      const evalsDir = dirname(dirname(file))
      const [read, config, agentPackage] = await Promise.all([
        fs.readText(file),
        cache.configOf(join(evalsDir, 'eval-config.json')),
        cache.packageOf(packageRootOf(file, root)),
      ])
      if (read.issue === null) {
        const parsed = parseAam(read.text, { file, evalsDir, config, agentPackage })
        const suite = await resolveAamFiles(parsed, evalsDir, openTrackedFs(), cache.ownPaths)
        return withSiblings(alsoBelowEvals(suite), (await cache.skillSuites(root)).cases)
      }
      const issues = [...config.issues, read.issue]
      return { format: 'aam', file, packageRoot: agentPackage.root, config: config.config, cases: [], issues }
    },
  },
  // A file has one case.
  recordingFolder: (suite) => posix.dirname(suite),
  // From the AAM text.
  defaultTimeout: 120,
  kind: 'case',
}

// Prompts name a fixture as seen from `evals/`, or from the package. A file that the case itself puts there wins.
function alsoBelowEvals(suite: Suite): Suite {
  const cases = suite.cases.map((evalCase) => {
    const places = [...evalCase.files, ...evalCase.workspaceFiles].map(({ to }) => collisionKey(to))
    const isFree = (path: string): boolean =>
      !places.some((place) => path === place || path.startsWith(`${place}/`) || place.startsWith(`${path}/`))
    const files = evalCase.files.map((file) =>
      isFree(collisionKey(`evals/${file.to}`)) ? { ...file, alsoTo: `evals/${file.to}` } : file,
    )
    return { ...evalCase, files }
  })
  return { ...suite, cases }
}
