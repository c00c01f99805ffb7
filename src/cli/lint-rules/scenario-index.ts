import { extname, join } from 'node:path'
import { engines } from '../../engines/registry.ts'
import { loadScenario, type LoadedScenario } from '../../gateway/sources/load-scenario.ts'
import { pathFrom } from '../../packages/package-root.ts'
import { listEntries } from '../../files.ts'

/** A file among the scenarios of a package. */
export interface ScenarioFile {
  /** Absolute path. */
  readonly file: string
  /** Relative to the folder of scenarios, `/`-separated, without its extension. */
  readonly stem: string
  /** The stems that it may have without the names of a run, an engine and an arm; its own first. */
  readonly caseStems: readonly string[]
  /** `null` for a file that no run reads. */
  readonly loaded: LoadedScenario | null
}

/** The scenarios of a package, each read once. */
export interface ScenarioIndex {
  readonly files: readonly ScenarioFile[]
  /** The files at the place of a case: those of all its runs, engines and arms. */
  readonly at: (place: string) => readonly ScenarioFile[]
}

/** Reads the scenarios of a package. */
export async function indexScenarios(packageRoot: string): Promise<ScenarioIndex> {
  const folder = join(packageRoot, 'evals', 'scenarios')
  const engineNames = Object.keys(engines)
  const files = await Promise.all(
    listFiles(folder).map(async (path): Promise<ScenarioFile> => {
      const file = join(folder, path)
      const stem = path.slice(0, -extname(path).length)
      const isRead = extname(path) === '.yaml'
      return { file, stem, caseStems: caseStemsOf(stem, engineNames), loaded: isRead ? await loadScenario(file) : null }
    }),
  )
  const places = new Map<string, ScenarioFile[]>()
  for (const one of files)
    for (const stem of one.caseStems) {
      const place = join(folder, `${stem}.yaml`)
      places.set(place, [...(places.get(place) ?? []), one])
    }
  return { files, at: (place) => places.get(place) ?? [] }
}

// `<case>[.<arm>][.<engine>][.<run>]`; an id may end like any of these.
function caseStemsOf(stem: string, engineNames: readonly string[]): readonly string[] {
  const ofRun = stem.replace(/\.[1-9]\d*$/, '')
  const engine = engineNames.find((name) => ofRun.endsWith(`.${name}`))
  const ofEngine = engine === undefined ? ofRun : ofRun.slice(0, -engine.length - 1)
  return [...new Set([stem, ofRun, ofEngine, ofEngine.replace(/\.without_skill$/, '')])]
}

function listFiles(folder: string): readonly string[] {
  return listEntries(folder, true)
    .filter((entry) => !entry.isDirectory() && /\.(?:ya?ml|json)$/.test(entry.name))
    .map(({ name, parentPath }) => pathFrom(folder, join(parentPath, name)))
    .toSorted()
}
