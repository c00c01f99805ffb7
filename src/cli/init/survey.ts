import { basename, dirname, join } from 'node:path'
import { loadPackage } from '../../packages/load-package.ts'
import { listedPlugins } from '../../packages/marketplace.ts'
import { MANIFEST_NAMES, MARKETPLACE_FILE, PLUGIN_FILE, PROJECT_FOLDER } from '../../packages/manifest-names.ts'
import { packageRootOf, pathFrom } from '../../packages/package-root.ts'
import { loadOneSkill } from '../../packages/skills.ts'
import { openTrackedFs } from '../../documents/tracked-fs.ts'
import { findFiles } from '../../suites/discover.ts'
import { NEVER_SUITE_FOLDERS } from '../../suites/skills/never-suite.ts'
import type { AgentPackage, Skill } from '../../packages/package.ts'

/** What a repository holds that can be evaluated. */
export interface Survey {
  /** The nearest to the root first. */
  readonly packages: readonly AgentPackage[]
  /** Skills that a model may choose, wherever they are. */
  readonly skills: readonly Skill[]
}

/** Looks for packages and skills below a folder. */
export async function surveyRepository(root: string): Promise<Survey> {
  const found = await findFiles(root, SIGNS, IGNORED)
  const plugins = found.filter((file) => basename(file) === 'marketplace.json').flatMap(pluginsOf)
  const roots = [...new Set([root, ...plugins, ...found.map((file) => packageRootOf(file, root))])]
  const packages = await Promise.all(inOrder(roots, root).map((folder) => loadPackage(folder)))
  const folders = found.filter((file) => basename(file) === 'SKILL.md').map((file) => dirname(file))
  const skills = await Promise.all(inOrder(folders, root).map(loadSkill))
  return { packages, skills: skills.flat().filter(({ hiddenFrom }) => hiddenFrom !== 'model') }
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

// What is worked on before an installed copy in a dot folder, the plainest path first.
function inOrder(folders: readonly string[], root: string): readonly string[] {
  const rank = (folder: string): number => {
    const parts = pathFrom(root, join(folder, 'x')).split('/')
    return parts.length + (parts.some((part) => part.startsWith('.')) ? 1000 : 0)
  }
  return folders.toSorted((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}
