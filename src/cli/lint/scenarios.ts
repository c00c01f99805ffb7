import { basename, extname, join } from 'node:path'
import { casePlaces, ownFolder, type ScenarioRequest } from '../../case/prepare/find-scenario.ts'
import { engines } from '../../engines/registry.ts'
import type { Suite } from '../../formats/suite.ts'
import { loadScenario, type LoadedScenario } from '../../gateway/sources/load-scenario.ts'
import { errorIn, warningIn, type Issue } from '../../lib/documents/document.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { listEntries } from '../../lib/files.ts'
import { pathFrom } from '../../packages/package-root.ts'

/**
 * What is wrong with the scenarios of a package, and which of them no case plays. In a folder of `scenarios` only the
 * `places` count, absolute paths that cases look at: ids may be the same in two folders. `null`: not all cases could be read.
 */
export function findScenarioIssues(
  { files, at }: ScenarioIndex,
  caseIds: readonly string[],
  places: readonly string[] | null,
): readonly Issue[] {
  const ids = new Set(caseIds)
  const played = places === null ? null : new Set(places.flatMap((place) => at(place)))
  return files.flatMap((one): readonly Issue[] => {
    const { file, stem, caseStems, loaded } = one
    if (loaded === null) return [warningIn(file, 'ignored-scenario', 'is ignored; scenarios end in .yaml')]
    const isInFolder = stem.includes('/')
    const isPlayed = isInFolder ? (played?.has(one) ?? true) : caseStems.some((id) => ids.has(id))
    if (isPlayed) return loaded.issues
    const whole = [...ids].find((id) => id.startsWith(stem) && /^-[0-9a-f]{6}$/.test(id.slice(stem.length)))
    const hint = isInFolder ? '' : whole === undefined ? suggestName(stem, ids) : ` Rename it to ${whole}.yaml.`
    const message = `there is no case ${JSON.stringify(stem)}.${hint}`
    return [...loaded.issues, warningIn(file, 'scenario-without-case', message)]
  })
}

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

/** Names scenarios that two cases would play, such as two of one id in the suites of two skills. */
export function findSharedScenarios(
  suites: readonly Suite[],
  { files, at }: ScenarioIndex,
  settings: ScenarioRequest['settings'],
): readonly Issue[] {
  if (files.length === 0) return []
  const players = new Map<string, Player[]>()
  for (const suite of suites)
    for (const evalCase of suite.cases) {
      const places = casePlaces({ suite, evalCase, settings })
      const player = {
        key: `${suite.format} ${evalCase.id}`,
        name: `${evalCase.id} of ${pathFrom(settings.root, suite.file)}`,
        folder: ownFolder({ suite, settings }),
      }
      for (const file of filesPlayed(places, at)) players.set(file, [...(players.get(file) ?? []), player])
    }
  return [...players].flatMap(([file, [first, second]]) => {
    if (first === undefined || second === undefined || isSameCase(first, second)) return []
    const show = ({ folder }: Player): string => pathFrom(settings.root, join(folder, basename(file)))
    const advice =
      first.folder === second.folder
        ? 'Rename one of the cases.'
        : `Their own places are ${show(first)} and ${show(second)}.`
    return [errorIn(file, 'shared-scenario', `two cases play it: ${first.name}, and ${second.name}. ${advice}`)]
  })
}

// Two cases of one format and name in one package are named as duplicates.
function isSameCase(a: Player, b: Player): boolean {
  return a.folder === b.folder && a.key === b.key
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
