import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgentEvalsError } from '../../lib/errors.ts'
import { countTo } from '../../lib/lists.ts'
import { evalsDirOf } from '../../formats/golden/golden-test.ts'
import { hasCase, isInPackage } from '../../formats/case-index.ts'
import { isAamPlace } from '../../formats/places.ts'
import { CASE_FILES } from '../../formats/plugin-eval/find-cases.ts'
import { kindOf } from '../../formats/kinds.ts'
import { packageRootOf, pathFrom } from '../../packages/package-root.ts'
import type { RunSettings } from '../../options/settings.ts'
import type { CasePart, Suite } from '../../formats/suite.ts'

/** The run that a scenario is looked for. */
export interface ScenarioRequest {
  readonly suite: Pick<Suite, 'agent' | 'file' | 'packageRoot' | 'partDir' | 'siblings' | 'skill'>
  readonly evalCase: CasePart<'arm' | 'id' | 'prompt'>
  /** From 1. Default: the only one. */
  readonly run?: number
  /** Engines call their tools by other names. */
  readonly engineName: string
  readonly settings: Pick<RunSettings, 'root' | 'scenarios'>
}

/**
 * Absolute path of a run's scenario; `null` when it has none. A file for one engine, `<case>[.<arm>].<engine>.yaml`, comes
 * before that of all; one for one run alone, `<case>[.<arm>].<run>.yaml`, before that of all runs; below the suite's own
 * folder before the shared one, since ids of two skills may be the same.
 */
export function findScenario(request: ScenarioRequest): string | null {
  const found = firstScenario(request)
  const shared = found === null ? null : describeShared(found, request)
  if (shared !== null) throw new AgentEvalsError('invalid-scenario', shared)
  return found
}

/** Absolute path of the scenario of a suite's canary; `null` where its answers are ours. Throws as {@link findScenario}. */
export function findCanaryScenario(request: Omit<ScenarioRequest, 'evalCase' | 'run'>): string | null {
  return findScenario({ ...request, evalCase: { kind: 'task', id: 'canary', prompt: '' } })
}

/** Why runs of a case would be refused for a scenario that another suite has too, each reason once. */
export function findSharedScenarios(
  request: Omit<ScenarioRequest, 'engineName' | 'run'>,
  engineNames: readonly string[],
): readonly string[] {
  // Ids such as 1 are the same in many suites, and hardly any of these has a scenario.
  if ((request.suite.siblings ?? []).length === 0 || !hasSharedFile(request)) return []
  const reasons = engineNames.flatMap((engineName) =>
    RUNS.map((run) => {
      const found = firstScenario({ ...request, engineName, run })
      return found === null ? null : describeShared(found, request)
    }),
  )
  return [...new Set(reasons.filter((reason) => reason !== null))]
}

function hasSharedFile(request: Omit<ScenarioRequest, 'engineName' | 'run'>): boolean {
  const names = namesOf(request)
  return foldersOf(request)
    .slice(request.suite.skill === undefined ? 0 : 1)
    .filter((folder) => existsSync(folder))
    .some((folder) => readdirSync(folder).some((file) => names.some((name) => file.startsWith(`${name}.`))))
}

function firstScenario(request: ScenarioRequest): string | null {
  const { run = 1 } = request
  const places = scenarioFolders(request).flatMap((folder) =>
    stemsOf(request).flatMap((name) => [join(folder, `${name}.${run}.yaml`), join(folder, `${name}.yaml`)]),
  )
  return places.find((file) => existsSync(file)) ?? null
}

/** The folders that could hold a scenario of the suite. Most suites have none, and most of these are not there. */
export function scenarioFolders(request: Pick<ScenarioRequest, 'settings' | 'suite'>): readonly string[] {
  return foldersOf(request).filter((folder) => existsSync(folder))
}

// Below the folder of another name than the suite's, every suite with such an id would play it.
function describeShared(found: string, request: Omit<ScenarioRequest, 'engineName' | 'run'>): string | null {
  const { suite, evalCase, settings } = request
  const [folder = ''] = foldersOf(request)
  const isOwn = dirname(found) === folder
  if (isOwn && suite.skill !== undefined) return null
  const others = (suite.siblings ?? []).filter((file) => !isOwn || hasSamePlace(file, request))
  const other = others.find((file) => mayShare(file, found, request) && hasCase(file, evalCase))
  if (other === undefined) return null
  const isOfPackage = isInPackage(other, suite.packageRoot)
  const show = (file: string): string => pathFrom(isOfPackage ? suite.packageRoot : settings.root, file)
  const shared = `${showPlace(found, request)} is the scenario of cases in two suites: ${show(suite.file)} and ${show(other)}.`
  // A case in a file of its own has no other place in its package.
  if (suite.skill === undefined && hasSamePlace(other, request)) return `${shared} Rename one of the cases.`
  const hasOnePlace = isOfPackage && onlyPlace(other, settings) !== null
  return `${shared} ${hasOnePlace ? 'Copy' : 'Move'} it to ${showPlace(join(folder, basename(found)), request)}.`
}

// Only a folder of scenarios that is named is that of all packages, and in it each path below a package has one place.
function mayShare(
  file: string,
  found: string,
  { suite, settings }: Omit<ScenarioRequest, 'engineName' | 'run'>,
): boolean {
  const folder = ownFolder(suite, settings)
  if (suite.skill === undefined && hasSamePlace(file, { suite, settings })) return true
  if (!mayPlay(file, found, suite, settings)) return false
  if (isInPackage(file, suite.packageRoot)) return suite.skill !== undefined && dirname(found) !== folder
  if (settings.scenarios === null) return false
  // Where a case has a file to itself, its name alone is the place of its scenario.
  if (suite.skill === undefined) return true
  return dirname(found) !== folder || file.endsWith(`/${pathFrom(suite.packageRoot, suite.file)}`)
}

// Whether a suite file looks for scenarios in the folder of this one.
function mayPlay(
  file: string,
  found: string,
  suite: ScenarioRequest['suite'],
  settings: ScenarioRequest['settings'],
): boolean {
  const place = ownPlace(file, settings)
  if (place !== null) return foldersBelow(place, settings).includes(dirname(found))
  if (ownPlace(suite.file, settings) === null) return true
  // A skill looks in the folder of its name, which the path tells too, and in that of all.
  const folder = pathFrom(baseOf(suite, settings), dirname(found))
  return folder === '' || (!isAamPlace(pathFrom(settings.root, file)) && file.includes(`/${folder}/`))
}

// Cases of plugins and golden tests have a file each, and one folder for it.
function ownPlace(file: string, { root }: ScenarioRequest['settings']): SuiteFolders | null {
  const evalsDir = evalsDirOf(file)
  if (evalsDir !== null) return { file, packageRoot: dirname(evalsDir), isGolden: true }
  if (!CASE_FILES.has(basename(file))) return null
  return { file, packageRoot: packageRootOf(file, root), partDir: dirname(dirname(file)) }
}

// The same for every case that has a file to itself.
function onlyPlace(file: string, settings: ScenarioRequest['settings']): SuiteFolders | null {
  const { root } = settings
  const isAam = isAamPlace(pathFrom(root, file))
  return ownPlace(file, settings) ?? (isAam ? { file, packageRoot: packageRootOf(file, root) } : null)
}

// Cases of two formats in one package, such as a case of the package and one of its plugin.
function hasSamePlace(file: string, { suite, settings }: Pick<ScenarioRequest, 'settings' | 'suite'>): boolean {
  const place = onlyPlace(file, settings)
  if (place === null || place.packageRoot !== suite.packageRoot) return false
  return foldersBelow(place, settings)[0] === ownFolder(suite, settings)
}

type SuiteFolders = Pick<Suite, 'file' | 'packageRoot' | 'partDir' | 'skill'> & { readonly isGolden?: boolean }

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
  // Ids of two suites may be the same, so the place is that of the suite alone.
  return showPlace(join(foldersOf(request)[0] ?? '', `${namesOf(request)[0] ?? ''}.yaml`), request)
}

function showPlace(file: string, { suite, settings }: Pick<ScenarioRequest, 'settings' | 'suite'>): string {
  return pathFrom(settings.scenarios === null ? suite.packageRoot : settings.root, file)
}

function foldersOf({ suite, settings }: Pick<ScenarioRequest, 'settings' | 'suite'>): readonly string[] {
  const folders = foldersBelow(placed(suite), settings)
  const packagePath = pathFrom(settings.root, suite.packageRoot)
  if (settings.scenarios === null || packagePath === '' || packagePath.startsWith('../')) return folders
  // A path below one package may be that of another one too.
  return [
    join(settings.scenarios, packagePath, pathFrom(settings.scenarios, folders[0] ?? settings.scenarios)),
    ...folders,
  ]
}

/** The folder in which scenarios of a suite are its own. Below the others, several suites may find them. */
export function ownFolder(suite: ScenarioRequest['suite'], settings: ScenarioRequest['settings']): string {
  return foldersBelow(placed(suite), settings)[0] ?? ''
}

function placed(suite: ScenarioRequest['suite']): SuiteFolders {
  return { ...suite, isGolden: suite.agent !== undefined }
}

function baseOf({ packageRoot }: Pick<Suite, 'packageRoot'>, { scenarios }: ScenarioRequest['settings']): string {
  return scenarios ?? join(packageRoot, 'evals', 'scenarios')
}

function foldersBelow(suite: SuiteFolders, settings: ScenarioRequest['settings']): readonly string[] {
  const base = baseOf(suite, settings)
  // Cases of two groups may have one name, and each case has a folder to itself.
  if (suite.partDir !== undefined && suite.skill === undefined)
    return [join(base, ...pathFrom(suite.packageRoot, suite.partDir).split('/').slice(1))]
  if (suite.skill === undefined && suite.isGolden !== true) return [base]
  const segments = pathFrom(suite.packageRoot, suite.file)
    .replace(/\.[^./\\]+$/, '')
    .split('/')
  const below = segments.filter((name, index) => index > 0 || name !== 'evals')
  // A golden test has a file to itself: its category is the folder, and what is in the file is no folder more.
  if (suite.skill === undefined) return [join(base, ...below.slice(0, -1))]
  return [join(base, ...below), join(base, suite.skill.name), base]
}

function stemsOf(request: ScenarioRequest): readonly string[] {
  return namesOf(request).flatMap((name) => [`${name}.${request.engineName}`, name])
}

// Without the skill a model does something else, so nothing stands in for that scenario.
function namesOf({ evalCase }: Pick<ScenarioRequest, 'evalCase'>): readonly string[] {
  const arm = evalCase.arm === undefined ? '' : `.${evalCase.arm}`
  return [...new Set([kindOf(evalCase).slug(evalCase), basename(evalCase.id)])].map((name) => `${name}${arm}`)
}
