import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { countTo } from '../../lib/lists.ts'
import { kindOf } from '../../formats/kinds.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { RunSettings } from '../../options/settings.ts'
import { isChangedSince, type AnswerReference } from '../../recordings/reference.ts'
import { formatOf } from '../../formats/registry.ts'
import type { CasePart, Suite } from '../../formats/suite.ts'

/** The run that a scenario is looked for. */
export interface ScenarioRequest {
  readonly suite: Pick<Suite, 'file' | 'format' | 'packageRoot' | 'skill'>
  readonly evalCase: CasePart<'arm' | 'id' | 'prompt'>
  /** From 1. Default: the only one. */
  readonly run?: number
  /** Engines call their tools by other names. */
  readonly engineName: string
  readonly settings: Pick<RunSettings, 'root' | 'scenarios'>
}

/**
 * Absolute path of a run's scenario; `null` when it has none. A file for one engine, `<case>[.<arm>].<engine>.yaml`, comes
 * before that of all; one for one run alone, `<case>[.<arm>].<run>.yaml`, before that of all runs. It lies in
 * `<scenarios>/<suite>/`, called as the folder of the suite's recordings, or in `<scenarios>/<skill>/`, or in
 * `<scenarios>/`.
 */
export function findScenario(request: ScenarioRequest): string | null {
  return placesIn(scenarioFolders(request), request).find((file) => existsSync(file)) ?? null
}

/** Tells if a commit has another scenario for a run, or none, or one where there is none now. */
export function isScenarioChanged(reference: AnswerReference, request: ScenarioRequest): boolean {
  const places = placesIn(foldersOf(request), request)
  const found = places.findIndex((file) => existsSync(file))
  // A file that was deleted before the one that is found would have been played.
  return places.slice(0, found === -1 ? undefined : found + 1).some((file) => isChangedSince(reference, file))
}

function placesIn(folders: readonly string[], request: ScenarioRequest): readonly string[] {
  const { run = 1 } = request
  return folders.flatMap((folder) =>
    stemsOf(request).flatMap((name) => [join(folder, `${name}.${run}.yaml`), join(folder, `${name}.yaml`)]),
  )
}

/** The folders that exist of those that could hold a scenario of the suite. */
export function scenarioFolders(request: Pick<ScenarioRequest, 'settings' | 'suite'>): readonly string[] {
  return foldersOf(request).filter((folder) => existsSync(folder))
}

/** Absolute paths of the scenarios that all runs of a case on all engines would take, whether they exist or not. */
export function casePlaces(request: Omit<ScenarioRequest, 'engineName' | 'run'>): readonly string[] {
  return foldersOf(request).flatMap((folder) => namesOf(request).map((name) => join(folder, `${name}.yaml`)))
}

/** Absolute paths of every scenario that would be taken for the case, whether it exists or not. */
export function scenarioPlaces(request: Omit<ScenarioRequest, 'run'>): readonly string[] {
  const names = stemsOf(request).flatMap((name) => [name, ...RUNS.map((run) => `${name}.${run}`)])
  return foldersOf(request).flatMap((folder) => names.map((name) => join(folder, `${name}.yaml`)))
}

const RUNS = countTo(20)

/** Where a case's scenario would be, for a message. */
export function describeScenarioPlace(request: ScenarioRequest): string {
  const { suite, settings } = request
  const place = join(ownFolder(request), `${namesOf(request)[0] ?? ''}.yaml`)
  return pathFrom(settings.scenarios === null ? suite.packageRoot : settings.root, place)
}

/** The folder for the scenarios of one suite: ids of two suites may be the same. Cases of a package share one. */
export function ownFolder(request: Pick<ScenarioRequest, 'settings' | 'suite'>): string {
  return foldersOf(request).find((folder) => basename(folder) !== 'cases') ?? ''
}

function foldersOf({ suite, settings }: Pick<ScenarioRequest, 'settings' | 'suite'>): readonly string[] {
  const folder = formatOf(suite.format).recordingFolder(pathFrom(suite.packageRoot, suite.file))
  const names = [folder.replace(/^evals(?:\/|$)/, ''), suite.skill?.name ?? '', '']
  return [...new Set(basesOf(suite, settings).flatMap((base) => names.map((name) => join(base, name))))]
}

// A folder that is named serves all packages, so each of them has one in it.
function basesOf(
  { packageRoot }: Pick<Suite, 'packageRoot'>,
  { root, scenarios }: ScenarioRequest['settings'],
): readonly string[] {
  if (scenarios === null) return [join(packageRoot, 'evals', 'scenarios')]
  const path = pathFrom(root, packageRoot)
  return path.startsWith('../') ? [scenarios] : [join(scenarios, path), scenarios]
}

function stemsOf(request: ScenarioRequest): readonly string[] {
  return namesOf(request).flatMap((name) => [`${name}.${request.engineName}`, name])
}

// Without the skill a model does something else, so nothing stands in for that scenario.
function namesOf({ evalCase }: Pick<ScenarioRequest, 'evalCase'>): readonly string[] {
  const arm = evalCase.arm === undefined ? '' : `.${evalCase.arm}`
  return [...new Set([kindOf(evalCase).slug(evalCase), basename(evalCase.id)])].map((name) => `${name}${arm}`)
}
