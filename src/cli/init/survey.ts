import { basename, dirname, join } from 'node:path'
import { findFiles } from '../../formats/discover.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { NEVER_SUITE_FOLDERS } from '../../formats/paths.ts'
import { findSkill, partsOf } from '../../formats/skill-evals/skill-index.ts'
import type { KnownSkill } from '../../formats/suite.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { groupBy } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { loadPackage } from '../../packages/load-package.ts'
import {
  MANIFEST_NAMES,
  MARKETPLACE_FILE,
  PLUGIN_FILE,
  PROJECT_FOLDER,
  listedPlugins,
  packageRootOf,
  pathFrom,
  namesOf,
} from '../../packages/package-root.ts'
import { barePackage, type AgentPackage, type Skill } from '../../packages/package.ts'
import { loadOneSkill } from '../../packages/skills.ts'

/** A skill that gets trigger queries. */
export interface AskedSkill extends Skill {
  /** Absolute path of its package. */
  readonly projectRoot: string
  /** Absolute path of the folder of its evals. */
  readonly evalsDir: string
}

/** The packages and skills that get first cases. */
export interface Survey {
  readonly packages: readonly AgentPackage[]
  /** Skills that a model may choose. */
  readonly skills: readonly AskedSkill[]
  /** Number of packages that the repository has; those that were not chosen get nothing. */
  readonly found: number
}

/** Which parts of a repository get first cases. */
interface Wanted {
  readonly root: string
  /** Names of skills, separated by commas; `null` for none in particular. */
  readonly named: string | null
  readonly all: boolean
}

/**
 * Finds what gets first cases: the named skills, everything with `all`, else the first package that has a part.
 *
 * @throws {AgentEvalsError} `no-match` for a skill that is not there; `invalid-options` for a name that several have.
 */
export async function surveyRepository({ root, named, all }: Wanted): Promise<Survey> {
  const folders = await findPackages(root)
  const found = folders.size
  const packages: AgentPackage[] = []
  const skills: AskedSkill[] = []
  for (const [folder, skillDirs] of folders) {
    const pkg = await loadPackage(folder)
    const asked = await askedSkills(folder, skillDirs, root)
    const parts = [pkg.agents, pkg.commands, pkg.hookGroups, pkg.skills, asked]
    if (parts.every(({ length }) => length === 0)) continue
    packages.push(pkg)
    skills.push(...asked)
    if (named === null && !all) break
  }
  if (named === null) return { packages, skills, found }

  const names = named.split(/[\s,]+/).filter((name) => name !== '')
  const dirs = new Set(names.map((name) => findNamed(name, skills).dir))
  const isNamed = ({ dir }: Skill): boolean => dirs.has(dir)
  const bare = packages.map((pkg) => barePackage({ root: pkg.root, skills: pkg.skills.filter(isNamed) }))
  return { packages: bare.filter((pkg) => pkg.skills.length > 0), skills: skills.filter(isNamed), found }
}

function findNamed(name: string, skills: readonly AskedSkill[]): KnownSkill {
  const found = findSkill(name, skills)
  if (found === null) {
    const hint = suggestName(name, skills.flatMap(namesOf))
    throw new AgentEvalsError('no-match', `There is no skill ${JSON.stringify(name)}.${hint}`)
  }
  const twins = skills.filter((skill) => skill.name === found.name)
  if (twins.length === 1 || name.includes(':')) return found
  const each = twins.map((twin) => `${basename(twin.projectRoot)}:${twin.name}`).join(', ')
  const message = `There are ${twins.length} skills ${JSON.stringify(found.name)}. Write which one: ${each}.`
  throw new AgentEvalsError('invalid-options', message)
}

// The packages with the folders of their skills, wherever these are in them; that of the command first. A marketplace lists
// its plugins: other folders of its repository are no packages.
async function findPackages(root: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const files = inOrder(await findFiles(root, SIGNS, IGNORED), root)
  const skillDirs = files.filter((file) => basename(file) === 'SKILL.md').map((file) => dirname(file))
  const skills = groupBy(withoutMirrors(skillDirs, root), (dir) => packageRootOf(join(dir, 'SKILL.md'), root))
  const owners = files.flatMap((file) => {
    if (basename(file) === 'SKILL.md') return []
    return basename(file) === 'marketplace.json' ? listedPlugins(dirname(dirname(file))) : [packageRootOf(file, root)]
  })
  const listed = listedPlugins(root)
  const folders = listed.length > 0 ? listed : inOrder([...owners, ...skills.keys()], root)
  return new Map([root, ...folders].map((folder) => [folder, skills.get(folder) ?? []]))
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

// What is worked on before an installed copy in a dot folder, the plainest path first.
function inOrder(paths: readonly string[], root: string): readonly string[] {
  const rank = (path: string): number => {
    const parts = partsOf(root, path)
    return parts.length + (parts.some((part) => part.startsWith('.')) ? 1000 : 0)
  }
  return paths.toSorted((a, b) => rank(a) - rank(b) || compareTexts(a, b))
}

// Projects keep one set of skills for several engines: `.agents/skills/x` beside `.claude/skills/x` is one skill.
function withoutMirrors(dirs: readonly string[], root: string): readonly string[] {
  const mirrors = groupBy(dirs, (dir) => pathFrom(root, dir).replaceAll(/(?<=^|\/)\.[^/]+\//g, ''))
  return [...mirrors.values()].flatMap(([first = '']) => first)
}

/** The skills of a package that a model may choose. */
async function askedSkills(
  packageRoot: string,
  skillDirs: readonly string[],
  root: string,
): Promise<readonly AskedSkill[]> {
  const loaded = await Promise.all(skillDirs.map((dir) => loadOneSkill(dir, basename(dir), openTrackedFs())))
  const skills = loaded.flatMap(({ parts }) => parts).filter(({ hiddenFrom }) => hiddenFrom !== 'model')
  if (skills.length === 0) return []
  // Queries lie beside the evals that a skill has: elsewhere they would hide these.
  const { suites } = await createSuiteCache().skillSuites(packageRoot)
  const own = [...suites].filter(([, { isShared }]) => isShared !== true)
  const evalsOf = new Map(own.map(([file, { skill }]) => [skill.dir, dirname(file)]))
  return skills.map((skill) => {
    const evalsDir = evalsOf.get(skill.dir) ?? join(skill.dir, 'evals')
    // What the folder of a checkout is called differs from one machine to the next.
    const isByFolder = skill.dir === root && skill.name === basename(root)
    return { ...skill, name: isByFolder ? (skill.alias ?? skill.name) : skill.name, projectRoot: packageRoot, evalsDir }
  })
}
