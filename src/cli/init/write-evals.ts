import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { findFiles } from '../../formats/discover.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { NEVER_SUITE_FOLDERS } from '../../formats/paths.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { findSkill, namesOf } from '../../formats/skill-evals/skill-index.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { createFile, refuseLeaving } from '../../lib/files.ts'
import { groupBy } from '../../lib/lists.ts'
import { nearest, type Layered } from '../../options/option.ts'
import { loadPackage } from '../../packages/load-package.ts'
import {
  MANIFEST_NAMES,
  MARKETPLACE_FILE,
  PLUGIN_FILE,
  PROJECT_FOLDER,
  listedPlugins,
  packageRootOf,
  pathFrom,
} from '../../packages/package-root.ts'
import type { AgentPackage, Skill } from '../../packages/package.ts'
import { loadOneSkill } from '../../packages/skills.ts'

import {
  caseFiles,
  casePath,
  configPath,
  firstCases,
  plainCase,
  triggerFile,
  triggerScenarios,
  type AskedSkill,
} from './cases.ts'
import type { NewFile } from './project-files.ts'

/** Skills that get trigger queries unless all are asked for: a first run is to end within a minute. */
export const MAX_SKILLS = 5

/** A file that was to be written. */
export interface Written {
  readonly file: string
  /** Whether it was not there before. */
  readonly isNew: boolean
}

/** What {@link planEvals} found to write. */
export interface PlannedEvals {
  readonly files: readonly NewFile[]
  /** Absolute paths of the cases among them that are about a hook. */
  readonly hookCases: readonly string[]
  /** Skills whose trigger files are among them. */
  readonly askedSkills: readonly AskedSkill[]
  readonly engine: Layered<string>
  /** Names of the engines that run what is written. */
  readonly engineNames: ReadonlySet<string>
  /** Number of skills of these packages that get no queries. */
  readonly leftOut: number
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
  { packages, skills }: Survey,
  { all, engine }: PlanOptions,
): Promise<PlannedEvals> {
  const files: NewFile[] = []
  const hookCases: string[] = []
  const cache = createSuiteCache()
  const engineNames = new Set<string>()
  const nameEngine = (ofSuite: string | null): string => {
    const name = nearest(engine, ofSuite, DEFAULT_ENGINE)
    engineNames.add(name)
    return name
  }
  const engineOf = async (folder: string): Promise<string> =>
    nameEngine((await cache.configOf(configPath(folder))).config.engine)
  for (const pkg of packages) {
    const engineName = await engineOf(pkg.root)
    const cases = firstCases(pkg, engineName)
    files.push(...caseFiles(pkg.root, cases, engineName))
    hookCases.push(...cases.filter(({ kind }) => kind === 'hook').map((one) => casePath(pkg.root, one)))
  }
  if (files.length === 0 && skills.length === 0) {
    const engineName = await engineOf(root)
    files.push(...caseFiles(root, [plainCase(engineName)], engineName))
  }
  const askedSkills = all ? skills : skills.slice(0, MAX_SKILLS)
  // Skill evals do not name an engine, so the configuration must.
  if (askedSkills.length > 0) nameEngine(null)
  return { files, hookCases, askedSkills, engine, engineNames, leftOut: skills.length - askedSkills.length }
}

/** Writes the files of a plan, and a scenario for each query of a trigger file that is new. */
export async function writeEvals(
  root: string,
  { files, askedSkills, engine }: PlannedEvals,
  noteDone: () => void = () => {},
): Promise<readonly Written[]> {
  const written = [...writeAll(root, files)]
  const triggers = askedSkills.map((skill) => {
    const [result] = writeAll(root, [triggerFile(skill)])
    return { skill, file: result?.file ?? '', isNew: result?.isNew === true }
  })
  // One search of the repository for all of them.
  const search = { root, cache: createSuiteCache(), engine }
  for (const { skill, file, isNew } of triggers) {
    written.push({ file, isNew })
    // The author's own queries are not answered by us.
    if (isNew) written.push(...writeAll(root, await triggerScenarios(skill, file, search)))
    noteDone()
  }
  return written
}

/** Writes files that are not there, and none through a link that leads out of the root. */
export function writeAll(root: string, files: readonly NewFile[]): readonly Written[] {
  return files.map(({ file, text }) => ({ file, isNew: write(root, file, text) }))
}

// Atomic, and never over a file that is there, also when it came to be a moment ago.
function write(root: string, file: string, text: string): boolean {
  try {
    refuseLeaving(root, dirname(file))
    mkdirSync(dirname(file), { recursive: true })
    return createFile(file, text)
  } catch (error) {
    const reason = messageOf(error)
    throw new AgentEvalsError('report-unwritable', `Cannot write ${file}: ${reason}`, { cause: error })
  }
}

/** Which parts of a repository get first cases. */
interface Wanted {
  readonly root: string
  /** Names of skills, separated by commas; `null` where nobody said. */
  readonly named: string | null
  readonly all: boolean
}

/** What gets first cases. */
export interface Survey {
  readonly packages: readonly AgentPackage[]
  /** Skills that a model may choose. */
  readonly skills: readonly AskedSkill[]
}

/** What {@link surveyRepository} chose. */
export interface ChosenSurvey extends Survey {
  /** Whether every skill gets queries, since its author asked for it. */
  readonly isAll: boolean
  /** Number of packages that the repository has; those that were not chosen get nothing. */
  readonly found: number
}

/**
 * Finds what gets first cases: the named skills, everything with `all`, else the first package that has a part.
 *
 * @throws {AgentEvalsError} `no-match` for a skill that is not there; `invalid-options` for a name that several have.
 */
export async function surveyRepository({ root, named, all }: Wanted): Promise<ChosenSurvey> {
  const folders = await findPackages(root)
  const found = folders.length
  if (named !== null) {
    const survey = await surveyAll(folders, root)
    return { ...only(survey, findNamed(named, survey)), isAll: true, found }
  }
  if (all) return { ...(await surveyAll(folders, root)), isAll: true, found }
  for (const folder of folders) {
    const survey = await surveyPackage(folder, root)
    if (survey.packages.some(hasParts) || survey.skills.length > 0) return { ...survey, isAll: false, found }
  }
  return { packages: [], skills: [], isAll: false, found }
}

async function surveyAll(folders: readonly PackageFolder[], root: string): Promise<Survey> {
  const surveys = await Promise.all(folders.map((folder) => surveyPackage(folder, root)))
  return { packages: surveys.flatMap(({ packages }) => packages), skills: surveys.flatMap(({ skills }) => skills) }
}

function hasParts({ agents, commands, hookGroups, skills }: AgentPackage): boolean {
  return [agents, commands, hookGroups, skills].some((parts) => parts.length > 0)
}

function findNamed(named: string, { skills, packages }: Survey): readonly AskedSkill[] {
  const names = named.split(/[\s,]+/).filter((name) => name !== '')
  return names.map((name) => {
    const candidates = skills.map((skill) => ({ ...skill, projectRoot: skill.dir }))
    const found = findSkill(name, candidates)
    const skill = skills.find(({ dir }) => dir === found?.dir)
    const twins = skills.filter((one) => one.name === skill?.name)
    if (skill !== undefined && (twins.length < 2 || name.includes(':'))) return skill
    if (skill !== undefined) {
      const owners = twins.flatMap(({ dir }) => packages.find((pkg) => pkg.skills.some((one) => one.dir === dir)) ?? [])
      const each = owners.map(({ root }) => `${basename(root)}:${skill.name}`).join(', ')
      const message = `There are ${twins.length} skills ${JSON.stringify(skill.name)}. Write which one: ${each}.`
      throw new AgentEvalsError('invalid-options', message)
    }
    throw new AgentEvalsError(
      'no-match',
      `There is no skill ${JSON.stringify(name)}.${suggestName(name, skills.flatMap(namesOf))}`,
    )
  })
}

function only({ packages }: Survey, skills: readonly AskedSkill[]): Survey {
  const dirs = new Set(skills.map(({ dir }) => dir))
  const owners = packages.flatMap((pkg) => {
    const kept = pkg.skills.filter(({ dir }) => dirs.has(dir))
    return kept.length === 0 ? [] : [{ ...pkg, skills: kept, hookGroups: [], agents: [], commands: [] }]
  })
  return { packages: owners, skills }
}

/** A folder that is a package. */
interface PackageFolder {
  /** Absolute path. */
  readonly folder: string
  /** Absolute paths of the folders of its skills, wherever they are in it. */
  readonly skillFolders: readonly string[]
}

// A marketplace lists its plugins, and other folders of its repository are none. The folder of the command is first.
async function findPackages(root: string): Promise<readonly PackageFolder[]> {
  const listed = listedPlugins(root)
  const files = await findFiles(root, listed.length > 0 ? ['**/SKILL.md'] : SIGNS, IGNORED)
  const skillFiles = withoutMirrors(
    inOrder(files, root).filter((file) => basename(file) === 'SKILL.md'),
    root,
  )
  const skills = groupBy(skillFiles, (file) => packageRootOf(file, root))
  const others = files.filter((file) => basename(file) !== 'SKILL.md')
  const inner = others.filter((file) => basename(file) === 'marketplace.json').map((file) => dirname(dirname(file)))
  const owners = [...others, ...skillFiles].map((file) => packageRootOf(file, root))
  const roots = listed.length > 0 ? listed : inOrder([...inner.flatMap(listedPlugins), ...owners], root)
  return [...new Set([root, ...roots])].map((folder) => {
    return { folder, skillFolders: (skills.get(folder) ?? []).map((file) => dirname(file)) }
  })
}

async function surveyPackage({ folder, skillFolders }: PackageFolder, root: string): Promise<Survey> {
  const pkg = await loadPackage(folder)
  const skills = (await Promise.all(skillFolders.map(loadSkill)))
    .flat()
    .filter(({ hiddenFrom }) => hiddenFrom !== 'model')
  const evalsOf = skills.length === 0 ? null : await findEvals(folder)
  return {
    packages: [pkg],
    skills: skills.map((skill) => {
      return { ...withOwnName(skill, root), evalsDir: evalsOf?.get(skill.dir) ?? join(skill.dir, 'evals') }
    }),
  }
}

// Projects keep one set of skills for several engines: `.agents/skills/x` beside `.claude/skills/x` is one skill.
function withoutMirrors(files: readonly string[], root: string): readonly string[] {
  const seen = new Set<string>()
  return files.filter((file) => {
    const path = pathFrom(root, file).replaceAll(/(?<=^|\/)\.[^/]+\//g, '')
    const isNew = !seen.has(path)
    seen.add(path)
    return isNew
  })
}

// Of the places of a skill's evals one counts: what is written elsewhere would hide what its author has.
async function findEvals(root: string): Promise<ReadonlyMap<string, string>> {
  const { suites } = await createSuiteCache().skillSuites(root)
  const unshared = [...suites].filter(([, { isShared }]) => isShared !== true)
  return new Map(unshared.map(([file, { skill }]) => [skill.dir, dirname(file)]))
}

const SIGNS = [
  '**/SKILL.md',
  `**/${PLUGIN_FILE}`,
  `**/${MARKETPLACE_FILE}`,
  `**/{${MANIFEST_NAMES.join(',')}}`,
  `**/${PROJECT_FOLDER}/settings.json`,
  `**/${PROJECT_FOLDER}/{agents,commands}/**/*.md`,
]

const IGNORED = ['evals', 'fixtures', 'test', 'tests', '.vitest', ...NEVER_SUITE_FOLDERS].map((name) => `**/${name}/**`)

async function loadSkill(dir: string): Promise<readonly Skill[]> {
  return (await loadOneSkill(dir, basename(dir), openTrackedFs())).parts
}

// What the folder of a checkout is called differs from one machine to the next.
function withOwnName(skill: Skill, root: string): Skill {
  const isByFolder = skill.dir === root && skill.name === basename(root)
  return isByFolder && skill.alias !== undefined ? { ...skill, name: skill.alias } : skill
}

// What is worked on before an installed copy in a dot folder, the plainest path first.
function inOrder(folders: readonly string[], root: string): readonly string[] {
  const rank = (folder: string): number => {
    const parts = pathFrom(root, join(folder, 'x')).split('/')
    return parts.length + (parts.some((part) => part.startsWith('.')) ? 1000 : 0)
  }
  return folders.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}
