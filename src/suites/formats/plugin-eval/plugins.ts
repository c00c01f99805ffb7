import { dirname, join, resolve, sep } from 'node:path'
import { pathBelow, pathFrom } from '../../../packages/package-root.ts'
import { PLUGIN_FILE } from '../../../packages/manifest-names.ts'
import { issueAt, type MergedCase } from './merged-case.ts'
import type { TrackedFs } from '../../../documents/tracked-fs.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { WrittenCase } from './schema.ts'

/** The plugins that a case loads. */
export interface ResolvedPlugins {
  /** Absolute paths. */
  readonly dirs: readonly string[]
  readonly issues: readonly Issue[]
}

/** Where a case looks for its plugins; absolute paths. */
export interface PluginSearch {
  readonly caseDir: string
  readonly evalsDir: string
  /** The Vitest root. */
  readonly root: string
  readonly fs: Pick<TrackedFs, 'look'>
}

/** The plugins of a case: those that it names, else the nearest one around it. */
export function resolvePlugins(
  { plugins = [] }: WrittenCase,
  merged: MergedCase,
  { caseDir, evalsDir, root, fs }: PluginSearch,
): ResolvedPlugins {
  // The copy that the agent gets would contain the graders.
  const holdsCase = (dir: string): boolean =>
    (dir === evalsDir || pathBelow(evalsDir, dir) !== null) && (dir === caseDir || pathBelow(dir, caseDir) !== null)
  if (plugins.length === 0) {
    const nearest = nearestPlugin(caseDir, root, fs)
    if (nearest === null || !holdsCase(nearest)) return { dirs: nearest === null ? [] : [nearest], issues: [] }
    const message = `the plugin of the case would be ${pathFrom(root, nearest)}, inside the folder of evals, which no agent may read; move its manifest or SKILL.md out`
    return { dirs: [], issues: [issueAt(merged.placeOf(['plugins']), 'plugin-in-evals', message)] }
  }
  const found = plugins.map((written, index) => {
    const problem = (message: string): { readonly dir: null; readonly issue: Issue } => ({
      dir: null,
      issue: issueAt(merged.placeOf(['plugins', index]), 'unknown-plugin', message),
    })
    const dir = resolve(caseDir, written)
    const below = dir === root ? '' : pathBelow(root, dir)
    if (below === null) return problem(`${written} is outside of the repository`)
    const steps = below.split('/').filter((step) => step !== '')
    const path = steps.map((_, at) => fs.look([root, ...steps.slice(0, at + 1)].join(sep)))
    if (path.includes(null)) return problem(`${written} does not exist; paths are relative to the folder of the case`)
    if (path.some((stats) => stats?.isDirectory() !== true))
      return problem(`${written} is not a folder, or behind a link`)
    if (holdsCase(dir)) return problem(`${written} contains the case, and no agent may read the folder of evals`)
    return { dir, issue: null }
  })
  return {
    dirs: found.flatMap(({ dir }) => (dir === null ? [] : [dir])),
    issues: found.flatMap(({ issue }) => (issue === null ? [] : [issue])),
  }
}

/**
 * The plugin around the folder of a case, up to the root: the nearest folder with a manifest, else the nearest one above
 * the case that is a skill; `null` where there is neither.
 */
export function nearestPlugin(caseDir: string, root: string, fs: Pick<TrackedFs, 'look'>): string | null {
  return nearestManifest(caseDir, root, fs) ?? nearestWith(['SKILL.md'], dirname(caseDir), root, fs)
}

/** The nearest folder with the manifest of a plugin; `null` where there is none up to the root. */
export function nearestManifest(folder: string, root: string, fs: Pick<TrackedFs, 'look'>): string | null {
  return nearestWith([PLUGIN_FILE, 'plugin.json'], folder, root, fs)
}

function nearestWith(
  names: readonly string[],
  folder: string,
  root: string,
  fs: Pick<TrackedFs, 'look'>,
): string | null {
  for (let dir = folder; dir === root || pathBelow(root, dir) !== null; dir = dirname(dir)) {
    if (names.some((name) => fs.look(join(dir, name)) !== null)) return dir
  }
  return null
}
