import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { AgentEvalsError } from '../../errors.ts'
import { hasCase } from '../../suites/case-index.ts'
import { caseSlug, type SluggedCase } from '../plan/case-slug.ts'
import { pathFrom } from '../../packages/package-root.ts'
import type { RunSettings } from '../../settings.ts'
import type { Suite } from '../../suites/suite.ts'

/** The run that a scenario is looked for. */
export interface ScenarioRequest {
  readonly suite: Pick<Suite, 'agent' | 'file' | 'packageRoot' | 'partDir' | 'siblings' | 'skill'>
  readonly evalCase: SluggedCase
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
  const { run = 1 } = request
  // Most cases have none, and most of the folders that could hold one are not there.
  const folders = foldersOf(request).filter((folder) => existsSync(folder))
  const places = folders.flatMap((folder) =>
    stemsOf(request).flatMap((name) => [join(folder, `${name}.${run}.yaml`), join(folder, `${name}.yaml`)]),
  )
  const found = places.find((file) => existsSync(file)) ?? null
  if (found !== null) refuseShared(found, request)
  return found
}

// Below the folder of another name than the suite's, every suite with such an id would play it.
function refuseShared(found: string, request: ScenarioRequest): void {
  const { suite, evalCase } = request
  if (suite.skill === undefined || dirname(found) === foldersOf(request)[0]) return
  const other = (suite.siblings ?? []).find((file) => hasCase(file, evalCase))
  if (other === undefined) return
  const show = (file: string): string => pathFrom(suite.packageRoot, file)
  const message = `${show(found)} is the scenario of cases in two suites: ${show(suite.file)} and ${show(other)}. Move it to ${describeScenarioPlace(request)}.`
  throw new AgentEvalsError('invalid-scenario', message)
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

const RUNS = Array.from({ length: 20 }, (_, index) => index + 1)

/** Where a case's scenario would be, for a message. */
export function describeScenarioPlace(request: ScenarioRequest): string {
  // Ids of two suites may be the same, so the place is that of the suite alone.
  const folder = foldersOf(request)[0] ?? ''
  const base = request.settings.scenarios === null ? request.suite.packageRoot : request.settings.root
  return pathFrom(base, join(folder, `${namesOf(request)[0] ?? ''}.yaml`))
}

function foldersOf({ suite, settings }: Pick<ScenarioRequest, 'settings' | 'suite'>): readonly string[] {
  const base = settings.scenarios ?? join(suite.packageRoot, 'evals', 'scenarios')
  // Cases of two groups may have one name, and each case has a folder to itself.
  if (suite.partDir !== undefined && suite.skill === undefined)
    return [join(base, ...pathFrom(suite.packageRoot, suite.partDir).split('/').slice(1))]
  if (suite.skill === undefined && suite.agent === undefined) return [base]
  const own = pathFrom(suite.packageRoot, suite.file)
    .replace(/\.[^./\\]+$/, '')
    .split('/')
  const below = own.filter((name, index) => index > 0 || name !== 'evals')
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
  return [...new Set([caseSlug(evalCase), basename(evalCase.id)])].map((name) => `${name}${arm}`)
}
