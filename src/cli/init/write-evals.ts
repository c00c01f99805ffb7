import { mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { findFiles } from '../../formats/discover.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { NEVER_SUITE_FOLDERS } from '../../formats/paths.ts'
import { DEFAULT_ENGINE } from '../../formats/suite.ts'
import { findSkill, namesOf } from '../../formats/skill-evals/skill-index.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { AgentEvalsError, messageOf } from '../../lib/errors.ts'
import { createFile, refuseLeaving } from '../../lib/files.ts'
import { nearest, type Layered } from '../../options/settings.ts'
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
import { plural } from '../../lib/text.ts'
import type { AgentPackage, Skill } from '../../packages/package.ts'
import { loadOneSkill } from '../../packages/skills.ts'
import { isCi } from '../../sandbox/environment.ts'

import {
  caseFiles,
  casePath,
  configPath,
  firstCases,
  plainCase,
  triggerFile,
  triggerScenarios,
  type AskedSkill,
  type FirstCase,
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
  /** Number of skills and packages for which nothing is written. */
  readonly leftOut: number
}

/** What {@link planEvals} goes by. */
interface PlanOptions {
  readonly all: boolean
  /** The engine that the environment or the plugin names. */
  readonly engine: Layered<string>
}

/** A case of each kind, of every package with `all`, and the trigger queries of the first skills, with `all` of each. */
export async function planEvals(
  root: string,
  { packages, skills }: Survey,
  { all, engine }: PlanOptions,
): Promise<PlannedEvals> {
  const kinds = new Set<FirstCase['kind']>()
  const files: NewFile[] = []
  const hookCases: string[] = []
  let leftOut = 0
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
    const chosen = all ? cases : cases.filter(({ kind }) => !kinds.has(kind))
    for (const { kind } of cases) kinds.add(kind)
    if (chosen.length === 0 && cases.length > 0) leftOut += 1
    files.push(...caseFiles(pkg.root, chosen, engineName))
    hookCases.push(...chosen.filter(({ kind }) => kind === 'hook').map((one) => casePath(pkg.root, one)))
  }
  if (kinds.size === 0 && skills.length === 0) {
    const engineName = await engineOf(root)
    files.push(...caseFiles(root, [plainCase(engineName)], engineName))
  }
  const askedSkills = all ? skills : skills.slice(0, MAX_SKILLS)
  // Of skills no file names one.
  if (askedSkills.length > 0) nameEngine(null)
  return { files, hookCases, askedSkills, engine, engineNames, leftOut: leftOut + skills.length - askedSkills.length }
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

/** What of a repository is to get first cases. */
interface WantedSkills {
  readonly root: string
  /** Names of skills, separated by commas; `null` where nobody said. */
  readonly named: string | null
  readonly all: boolean
}

/**
 * The part of a survey that cases are written for. Where several plugins have more skills than a first run takes, the
 * author chooses: any choice of ours would be the first of the alphabet.
 *
 * @throws {AgentEvalsError} `no-match` for a skill that is not there; `invalid-options` where a choice is missing and
 * nobody can be asked.
 */
export async function chooseSkills(
  survey: Survey,
  { root, named, all }: WantedSkills,
): Promise<Survey & { /** Whether the author said so. */ readonly isChosen: boolean }> {
  if (named !== null) return { ...only(survey, findNamed(named, survey)), isChosen: true }
  const owners = survey.packages.filter(({ skills }) => skills.length > 0)
  if (all || survey.skills.length <= MAX_SKILLS || owners.length < 2) return { ...survey, isChosen: all }
  const found = `${plural(survey.skills.length, 'skill')} in ${plural(owners.length, 'package')}`
  const examples = owners.slice(0, MOST_EXAMPLES).map(({ root: folder, skills }) => {
    const names = skills.slice(0, 3).map(({ name }) => name)
    return `  ${pathFrom(root, folder) || '.'}: ${names.join(', ')}${skills.length > names.length ? ', …' : ''}`
  })
  const more =
    owners.length > examples.length ? [`  and ${plural(owners.length - examples.length, 'package')} more`] : []
  const answer = await ask([`There are ${found}:`, ...examples, ...more])
  if (answer !== null && answer.trim() !== '') return { ...only(survey, findNamed(answer, survey)), isChosen: true }
  const isOnly = ({ name }: AskedSkill): boolean => survey.skills.filter((one) => one.name === name).length === 1
  const example = survey.skills.find(isOnly)?.name ?? 'NAME'
  throw new AgentEvalsError(
    'invalid-options',
    [
      `There are ${found}, and nothing was written. Name those to begin with, as in --skill ${example}; --all writes cases for every one.`,
      ...examples,
      ...more,
    ].join('\n'),
  )
}

const MOST_EXAMPLES = 8

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

// `null` where nobody can answer.
async function ask(lines: readonly string[]): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || isCi(process.env)) return null
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  const question = `${lines.join('\n')}\nWhich skills first (names, separated by commas)? `
  const answer = await terminal.question(question).catch(() => '')
  terminal.close()
  return answer
}

/** What a repository holds that can be evaluated. */
interface Survey {
  /** The nearest to the root first. */
  readonly packages: readonly AgentPackage[]
  /** Skills that a model may choose, wherever they are. */
  readonly skills: readonly AskedSkill[]
}

/** Looks for packages and skills below a folder. */
export async function surveyRepository(root: string): Promise<Survey> {
  const found = await findFiles(root, SIGNS, IGNORED)
  const plugins = found.filter((file) => basename(file) === 'marketplace.json').flatMap(pluginsOf)
  const roots = [...new Set([root, ...plugins, ...found.map((file) => packageRootOf(file, root))])]
  const packages = await Promise.all(inOrder(roots, root).map((folder) => loadPackage(folder)))
  const folders = found.filter((file) => basename(file) === 'SKILL.md').map((file) => dirname(file))
  const evalsOf = await findEvals(root)
  const skills = (await Promise.all(inOrder(folders, root).map(loadSkill)))
    .flat()
    .filter(({ hiddenFrom }) => hiddenFrom !== 'model')
    .map((skill) => ({ ...withOwnName(skill, root), evalsDir: evalsOf.get(skill.dir) ?? join(skill.dir, 'evals') }))
  return { packages, skills }
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

function pluginsOf(file: string): readonly string[] {
  return listedPlugins(dirname(dirname(file)))
}

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
