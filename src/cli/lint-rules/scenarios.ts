import { readdirSync } from 'node:fs'
import { dirname, extname, join } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { engines } from '../../engines/registry.ts'
import { loadScenario } from '../../gateway/sources/load-scenario.ts'
import { suggestName } from '../../documents/nearest-name.ts'
import type { Issue } from '../../documents/issue.ts'

/**
 * What is wrong with the scenarios of a package, and which of them no case plays. In a folder of `scenarios` only the
 * `places` count, absolute paths that cases look at: ids may be the same in two folders. `null`: not all cases could be read.
 */
export async function findScenarioIssues(
  packageRoot: string,
  caseIds: readonly string[],
  places: readonly string[] | null,
): Promise<readonly Issue[]> {
  const folder = join(packageRoot, 'evals', 'scenarios')
  const known = new Set([...caseIds, CANARY])
  const below = places === null ? null : new Set(places)
  const issues = await Promise.all(
    listFiles(folder).map(async (path): Promise<readonly Issue[]> => {
      const file = join(folder, path)
      if (extname(path) !== '.yaml') return [remark(file, 'ignored-scenario', 'is ignored; scenarios end in .yaml')]
      const { issues: own } = await loadScenario(file)
      const stem = path.slice(0, -extname(path).length)
      const isInFolder = dirname(path) !== '.'
      const isPlayed = (id: string): boolean =>
        isInFolder ? below?.has(`${join(folder, id)}.yaml`) !== false : known.has(id)
      if (casesOf(stem).some(isPlayed)) return own
      const hint = isInFolder ? '' : suggestName(stem, known)
      return [...own, remark(file, 'scenario-without-case', `there is no case ${JSON.stringify(stem)}.${hint}`)]
    }),
  )
  return issues.flat()
}

// That of one run alone has its number before the extension, that of an arm or of one engine its name before that.
function casesOf(stem: string): readonly string[] {
  const ofRun = stem.replace(/(?:\.without_skill)?(?:\.[1-9]\d*)?$/, '')
  const ofEngine = engineNames.find((name) => ofRun.endsWith(`.${name}`))
  return [stem, ofRun, ...(ofEngine === undefined ? [] : [ofRun.slice(0, -ofEngine.length - 1)])]
}

const engineNames = Object.keys(engines)

/** Plays a skill that must be used, where a suite of trigger queries needs one. */
const CANARY = 'canary'

function listFiles(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => !entry.isDirectory() && /\.(?:ya?ml|json)$/.test(entry.name))
      .map(({ name, parentPath }) => pathFrom(folder, join(parentPath, name)))
      .toSorted()
  } catch {
    return []
  }
}

function remark(file: string, code: string, message: string): Issue {
  return { code, severity: 'warning', file, field: '', message, line: 1, column: 1 }
}
