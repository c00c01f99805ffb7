import { basename, dirname, join } from 'node:path'
import { findFiles } from '../../formats/discover.ts'
import { createSuiteCache } from '../../formats/load-suite.ts'
import { NEVER_SUITE_FOLDERS } from '../../formats/paths.ts'
import { namesOf } from '../../formats/skill-evals/skill-index.ts'
import { suggestName } from '../../lib/documents/nearest-name.ts'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { AgentEvalsError } from '../../lib/errors.ts'
import { groupBy } from '../../lib/lists.ts'
import { loadPackage } from '../../packages/load-package.ts'
import {
  MANIFEST_NAMES,
  PLUGIN_FILE,
  PROJECT_FOLDER,
  listedPlugins,
  packageRootOf,
  pathFrom,
} from '../../packages/package-root.ts'
import type { AgentPackage, Skill } from '../../packages/package.ts'
import { loadOneSkill } from '../../packages/skills.ts'

/** A skill that gets queries. */
export interface AskedSkill extends Skill {
  /** Absolute path of the folder of its evals. */
  readonly evalsDir: string
  /** Absolute path of its package. */
  readonly packageRoot: string
}

/** What gets first cases. */
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
  /** Names of skills; `null` where nobody said. */
  readonly named: readonly string[] | null
  readonly all: boolean
}

/**
 * Finds what gets first cases: the named skills, everything with `all`, else the first package that has a part.
 *
 * @throws {AgentEvalsError} `no-match` for a skill that is not there; `invalid-options` for a name that several have.
 */
export async function surveyRepository({ root, named, all }: Wanted): Promise<Survey> {
  const folders = await findPackages(root)
  const found = folders.length
  if (named === null && !all) {
    for (const folder of folders) {
      const { pkg, skills } = await surveyPackage(folder, root)
      const parts = [pkg.agents, pkg.commands, pkg.hookGroups, pkg.skills, skills]
      if (parts.some(({ length }) => length > 0)) return { packages: [pkg], skills, found }
    }
    return { packages: [], skills: [], found }
  }
  const surveys = await Promise.all(folders.map((folder) => surveyPackage(folder, root)))
  const packages = surveys.map(({ pkg }) => pkg)
  const every = surveys.flatMap(({ skills }) => skills)
  if (named === null) return { packages, skills: every, found }
  const skills = named.map((name) => findNamed(name, every))
  const owners = packages.flatMap((pkg) => {
    const kept = pkg.skills.filter(({ dir }) => skills.some((skill) => skill.dir === dir))
    return kept.length === 0 ? [] : [{ ...pkg, skills: kept, hookGroups: [], agents: [], commands: [] }]
  })
  return { packages: owners, skills, found }
}

function findNamed(name: string, skills: readonly AskedSkill[]): AskedSkill {
  const wholeName = (skill: AskedSkill): string => `${basename(skill.packageRoot)}:${skill.name}`
  const [skill, ...twins] = skills.filter((one) => [...namesOf(one), wholeName(one)].includes(name))
  if (skill === undefined) {
    const hint = suggestName(name, skills.flatMap(namesOf))
    throw new AgentEvalsError('no-match', `There is no skill ${JSON.stringify(name)}.${hint}`)
  }
  if (twins.length === 0) return skill
  const each = [skill, ...twins].map(wholeName).join(', ')
  const message = `There are ${twins.length + 1} skills ${JSON.stringify(name)}. Write which one: ${each}.`
  throw new AgentEvalsError('invalid-options', message)
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
  const files = inOrder(await findFiles(root, listed.length > 0 ? ['**/SKILL.md'] : SIGNS, IGNORED), root)
  const skillFolders = withoutMirrors(
    files.filter((file) => basename(file) === 'SKILL.md').map((file) => dirname(file)),
    root,
  )
  const skills = groupBy(skillFolders, (folder) => packageRootOf(join(folder, 'SKILL.md'), root))
  const others = files.filter((file) => basename(file) !== 'SKILL.md').map((file) => packageRootOf(file, root))
  const roots = listed.length > 0 ? listed : inOrder([...others, ...skills.keys()], root)
  return [...new Set([root, ...roots])].map((folder) => ({ folder, skillFolders: skills.get(folder) ?? [] }))
}

const SIGNS = [
  '**/SKILL.md',
  `**/${PLUGIN_FILE}`,
  `**/{${MANIFEST_NAMES.join(',')}}`,
  `**/${PROJECT_FOLDER}/settings.json`,
  `**/${PROJECT_FOLDER}/{agents,commands}/**/*.md`,
]

const IGNORED = ['evals', 'fixtures', 'test', 'tests', '.vitest', ...NEVER_SUITE_FOLDERS].map((name) => `**/${name}/**`)

// What is worked on before an installed copy in a dot folder, the plainest path first.
function inOrder(paths: readonly string[], root: string): readonly string[] {
  const rank = (path: string): number => {
    const parts = pathFrom(root, join(path, 'x')).split('/')
    return parts.length + (parts.some((part) => part.startsWith('.')) ? 1000 : 0)
  }
  return paths.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

// Projects keep one set of skills for several engines: `.agents/skills/x` beside `.claude/skills/x` is one skill.
function withoutMirrors(folders: readonly string[], root: string): readonly string[] {
  const sets = groupBy(folders, (folder) => pathFrom(root, folder).replaceAll(/(?<=^|\/)\.[^/]+\//g, ''))
  return [...sets.values()].flatMap(([first]) => first ?? [])
}

async function surveyPackage(
  { folder, skillFolders }: PackageFolder,
  root: string,
): Promise<{ readonly pkg: AgentPackage; readonly skills: readonly AskedSkill[] }> {
  const loaded = await Promise.all(skillFolders.map((dir) => loadOneSkill(dir, basename(dir), openTrackedFs())))
  const skills = loaded.flatMap(({ parts }) => parts).filter(({ hiddenFrom }) => hiddenFrom !== 'model')
  // Of the places of a skill's evals one counts: what is written elsewhere would hide what its author has.
  const { suites } = await createSuiteCache().skillSuites(folder)
  const own = new Map(
    [...suites].flatMap(([file, { skill, isShared }]) => (isShared === true ? [] : [[skill.dir, dirname(file)]])),
  )
  const asked = skills.map((skill): AskedSkill => {
    // What the folder of a checkout is called differs from one machine to the next.
    const isByFolder = skill.dir === root && skill.name === basename(root)
    const name = isByFolder ? (skill.alias ?? skill.name) : skill.name
    return { ...skill, name, evalsDir: own.get(skill.dir) ?? join(skill.dir, 'evals'), packageRoot: folder }
  })
  return { pkg: await loadPackage(folder), skills: asked }
}
