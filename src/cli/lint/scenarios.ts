import { basename, extname, join } from 'node:path'
import { casePlaces, ownFolder, type ScenarioRequest } from '../../case/prepare/find-scenario.ts'
import { engines } from '../../engines/registry.ts'
import type { Suite } from '../../formats/suite.ts'
import { loadScenario, type LoadedScenario } from '../../gateway/sources/load-scenario.ts'
import { errorIn, warningIn, type Issue } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { listEntries } from '../../lib/files.ts'
import { groupBy } from '../../lib/lists.ts'
import { pathFrom } from '../../packages/package-root.ts'

/** A file among the scenarios. */
interface ScenarioFile {
  /** Absolute path. */
  readonly file: string
  /** Relative to the folder, `/`-separated, without its extension. */
  readonly stem: string
  /** The stems that it may have without the names of a run, an engine and an arm; its own first. */
  readonly caseStems: readonly string[]
  /** `null` for a file that no run reads. */
  readonly loaded: LoadedScenario | null
}

/** The scenarios in a folder, each read once. */
interface ScenarioIndex {
  readonly files: readonly ScenarioFile[]
  /** The files at the place of a case: those of all its runs, engines and arms. */
  readonly at: (place: string) => readonly ScenarioFile[]
}

/** Reads the scenarios in a folder. */
export async function indexScenarios(folder: string): Promise<ScenarioIndex> {
  const paths = listEntries(folder, true)
    .filter((entry) => !entry.isDirectory() && /\.(?:ya?ml|json)$/.test(entry.name))
    .map(({ name, parentPath }) => pathFrom(folder, join(parentPath, name)))
  const files = await Promise.all(
    paths.toSorted().map(async (path): Promise<ScenarioFile> => {
      const file = join(folder, path)
      const stem = path.slice(0, -extname(path).length)
      const loaded = extname(path) === '.yaml' ? await loadScenario(file) : null
      return { file, stem, caseStems: caseStemsOf(stem), loaded }
    }),
  )
  const placed = files.flatMap((one) => one.caseStems.map((stem) => ({ one, place: join(folder, `${stem}.yaml`) })))
  const places = groupBy(placed, ({ place }) => place)
  return { files, at: (place) => (places.get(place) ?? []).map(({ one }) => one) }
}

// `<case>[.<arm>][.<engine>][.<run>]`; an id may end like any of these.
function caseStemsOf(stem: string): readonly string[] {
  const ofRun = stem.replace(/\.[1-9]\d*$/, '')
  const engine = Object.keys(engines).find((name) => ofRun.endsWith(`.${name}`))
  const ofEngine = engine === undefined ? ofRun : ofRun.slice(0, -engine.length - 1)
  return [...new Set([stem, ofRun, ofEngine, ofEngine.replace(/\.without_skill$/, '')])]
}

/** Names the scenarios that no case plays, so that the case asks a model; `places` are those that cases look at. */
export function findUnplayed({ files, at }: ScenarioIndex, places: readonly string[]): readonly Issue[] {
  const played = new Set(places.flatMap((place) => at(place)))
  const names = new Set(places.map((place) => basename(place, '.yaml')))
  return files.flatMap((one): readonly Issue[] => {
    const { file, stem, loaded } = one
    if (loaded === null) return [warningIn(file, 'ignored-scenario', 'is ignored; scenarios end in .yaml')]
    if (played.has(one)) return []
    const hint = stem.includes('/') ? '' : suggestName(stem, names)
    return [warningIn(file, 'scenario-without-case', `there is no case ${JSON.stringify(stem)}.${hint}`)]
  })
}

/** Names scenarios that two cases would play, such as two of one id in the suites of two skills. */
export function findSharedScenarios(
  suites: readonly Suite[],
  { files, at }: ScenarioIndex,
  settings: ScenarioRequest['settings'],
): readonly Issue[] {
  if (files.length === 0) return []
  const played = suites.flatMap((suite) =>
    suite.cases.flatMap((evalCase) => {
      const player: Player = {
        key: `${suite.format} ${evalCase.id}`,
        name: `${evalCase.id} of ${pathFrom(settings.root, suite.file)}`,
        folder: ownFolder({ suite, settings }),
      }
      return filesPlayed(casePlaces({ suite, evalCase, settings }), at).map((file) => ({ file, player }))
    }),
  )
  return [...groupBy(played, ({ file }) => file)].flatMap(([file, [one, other]]) => {
    if (one === undefined || other === undefined) return []
    const [first, second] = [one.player, other.player]
    const isOneFolder = first.folder === second.folder
    // Two cases of one format and name in one package are named as duplicates.
    if (isOneFolder && first.key === second.key) return []
    const show = ({ folder }: Player): string => pathFrom(settings.root, join(folder, basename(file)))
    const advice = isOneFolder ? 'Rename one of the cases.' : `Their own places are ${show(first)} and ${show(second)}.`
    return [errorIn(file, 'shared-scenario', `two cases play it: ${first.name}, and ${second.name}. ${advice}`)]
  })
}

/** A case that plays a scenario. */
interface Player {
  /** Format and id. */
  readonly key: string
  readonly name: string
  /** The folder for the scenarios of its suite. */
  readonly folder: string
}

// The first place that has the scenario of all runs hides those behind it.
function filesPlayed(places: readonly string[], at: ScenarioIndex['at']): readonly string[] {
  const played: string[] = []
  for (const place of places) {
    const files = at(place).map(({ file }) => file)
    played.push(...files.filter((file) => !played.some((other) => basename(other) === basename(file))))
    if (files.includes(place)) break
  }
  return played
}
