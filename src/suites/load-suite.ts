import { dirname, join, sep } from 'node:path'
import { evalsDirOf } from './agent/golden-place.ts'
import { loadGoldenSuite } from './agent/load-golden-suite.ts'
import { openTrackedFs, type TrackedFs } from '../documents/tracked-fs.ts'
import { readText } from '../documents/read-text.ts'
import { resolveAamFiles } from './formats/aam-files.ts'
import { parseAam } from './formats/aam.ts'
import { isCaseOfPlugin } from './formats/plugin-eval/find-cases.ts'
import { loadPluginCase } from './formats/plugin-eval/load-case.ts'
import { loadSkillSuite } from './load-skill-suite.ts'
import { packageRootOf } from '../packages/package-root.ts'
import { createSuiteCache, type SuiteCache } from './suite-cache.ts'
import type { Suite } from './suite.ts'

export { createSuiteCache, type SuiteCache } from './suite-cache.ts'

/** What {@link loadSuite} needs to know. */
export interface LoadSuiteOptions {
  /** The Vitest root, absolute. */
  readonly root: string
  /** Shares packages and configuration between suites. */
  readonly cache?: SuiteCache
  /** Remembers what the suite is read from, where its format has several files a case. */
  readonly fs?: TrackedFs
}

/** Reads a suite file with its configuration and package. Never throws: everything wrong is among its issues. */
export async function loadSuite(
  file: string,
  { root, cache = createSuiteCache(), fs = openTrackedFs() }: LoadSuiteOptions,
): Promise<Suite> {
  if (await isCaseOfPlugin(file)) return loadPluginCase(file, { packageRoot: packageRootOf(file, root), root, fs })
  if (evalsDirOf(file) !== null) return loadGoldenSuite(file, cache.agentOf)
  const { suites } = await cache.skillSuites(root)
  const place = suites.get(file)
  if (place !== undefined) {
    const suite = await loadSkillSuite(file, place, root)
    const siblings = [...suites.keys()].filter((one) => one !== file && one.startsWith(`${suite.packageRoot}${sep}`))
    return siblings.length === 0 ? suite : { ...suite, siblings }
  }

  const evalsDir = dirname(dirname(file))
  const [read, config, agentPackage] = await Promise.all([
    readText(file),
    cache.configOf(join(evalsDir, 'eval-config.json')),
    cache.packageOf(packageRootOf(file, root)),
  ])
  if (read.issue !== null) {
    const issues = [...config.issues, read.issue]
    return { format: 'aam', file, packageRoot: agentPackage.root, config: config.config, cases: [], issues }
  }

  const suite = parseAam(read.text, { file, evalsDir, config, agentPackage })
  return resolveAamFiles(suite, evalsDir, openTrackedFs())
}
