import { join } from 'node:path'
import { ownFolder } from '../../case/prepare/find-scenario.ts'
import { callsOf, engines } from '../../engines/registry.ts'
import { kindOf } from '../../formats/kinds.ts'
import { createSuiteCache, loadSuite } from '../../formats/load-suite.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { formatJson } from '../../lib/json.ts'
import { nearest, type Layered } from '../../options/option.ts'
import { firstCases, plainCase } from './first-cases.ts'
import { firstRequest } from './first-request.ts'
import {
  caseFiles,
  configPath,
  scenarioFile,
  writeAll,
  type FirstCase,
  type NewFile,
  type Written,
} from './new-files.ts'
import type { AskedSkill, Survey } from './survey.ts'

/** Skills that get trigger queries unless all are asked for: a first run is to end within a minute. */
export const MAX_SKILLS = 5

/** What is to be written. */
export interface PlannedEvals {
  readonly files: readonly NewFile[]
  /** Skills with their trigger files. */
  readonly triggers: readonly { readonly skill: AskedSkill; readonly file: NewFile }[]
  readonly engine: Layered<string>
  /** Names of the engines that run what is written. */
  readonly engineNames: ReadonlySet<string>
  /** Number of skills of these packages that get no queries. */
  readonly leftOut: number
}

/** The files of one package. */
interface PlannedFiles extends Pick<PlannedEvals, 'files'> {
  /** Name of the engine that runs them. */
  readonly name: string
}

/** What {@link planEvals} goes by. */
interface PlanOptions {
  /** Whether every skill gets queries. */
  readonly all: boolean
  /** The engine that the environment or the plugin names. */
  readonly engine: Layered<string>
}

/** Plans a case of each kind for each package, and the trigger queries of the first skills, with `all` of each. */
export async function planEvals(
  root: string,
  { packages, skills }: Pick<Survey, 'packages' | 'skills'>,
  { all, engine }: PlanOptions,
): Promise<PlannedEvals> {
  const cache = createSuiteCache()
  const planFiles = async (
    folder: string,
    casesFor: (engine: string) => readonly FirstCase[],
  ): Promise<PlannedFiles> => {
    const { config } = await cache.configOf(configPath(folder))
    const name = nearest(engine, config.engine, DEFAULT_ENGINE)
    return { name, files: caseFiles(folder, casesFor(name), name) }
  }
  const ofPackages = await Promise.all(packages.map((pkg) => planFiles(pkg.root, (name) => firstCases(pkg, name))))
  const isNothing = skills.length === 0 && ofPackages.every(({ files }) => files.length === 0)
  const planned = isNothing ? [await planFiles(root, (name) => [plainCase(name)])] : ofPackages
  const asked = all ? skills : skills.slice(0, MAX_SKILLS)
  // Skill evals do not name an engine, so the configuration must.
  const ofSkills = asked.length > 0 ? [nearest(engine, null, DEFAULT_ENGINE)] : []
  return {
    files: planned.flatMap(({ files }) => files),
    triggers: asked.map((skill) => ({ skill, file: triggerFile(skill) })),
    engine,
    engineNames: new Set([...planned.map(({ name }) => name), ...ofSkills]),
    leftOut: skills.length - asked.length,
  }
}

function triggerFile(skill: AskedSkill): NewFile {
  const positive = [
    firstRequest(skill),
    `Do you have something for ${skill.name.replaceAll('-', ' ')}? Please use it now`,
  ]
  const negative = ['What is the capital of France?', 'Rename the variable x to count in src/index.js']
  const content = {
    _note: 'Edit the queries, then run with --live. Several runs per query show how sure the model is.',
    runs_per_query: 1,
    queries: [
      ...positive.map((query) => ({ query, should_trigger: true })),
      ...negative.map((query) => ({ query, should_trigger: false })),
    ],
  }
  return { file: join(skill.evalsDir, 'triggers.json'), text: formatJson(content) }
}

/** Writes the files of a plan, and a scenario for each query of a trigger file that is new. */
export async function writeEvals(
  root: string,
  { files, triggers, engine }: PlannedEvals,
  noteDone: () => void = () => {},
): Promise<readonly Written[]> {
  const written = [...writeAll(root, files)]
  const added = triggers.map(({ skill, file }) => ({ skill, written: writeAll(root, [file]) }))
  // One search of the repository for all of them.
  const search = { root, cache: createSuiteCache(), engine }
  for (const { skill, written: ofSkill } of added) {
    written.push(...ofSkill)
    // The author's own queries are not answered by us.
    for (const { file, isNew } of ofSkill)
      if (isNew) written.push(...writeAll(root, await queryScenarios(skill, file, search)))
    noteDone()
  }
  return written
}

interface SuiteSearch extends Pick<PlannedEvals, 'engine'> {
  readonly root: string
  readonly cache: ReturnType<typeof createSuiteCache>
}

// An edited query has no scenario, and is asked for real.
async function queryScenarios(
  { name }: AskedSkill,
  file: string,
  { root, cache, engine }: SuiteSearch,
): Promise<readonly NewFile[]> {
  const suite = await loadSuite(file, { root, cache })
  // Queries of several skills may be the same.
  const folder = ownFolder({ suite, settings: { root, scenarios: null } })
  const { useSkill } = callsOf(engines[nearest(engine, suite.config.engine, DEFAULT_ENGINE)])
  return suite.cases.map((query) => {
    const kind = kindOf(query)
    const calls = kind.question(query)?.shouldTrigger === true ? [useSkill(name)] : []
    return scenarioFile(join(folder, `${kind.slug(query)}.yaml`), { calls, answer: 'That is all.', isJudged: false })
  })
}
