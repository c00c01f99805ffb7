import { closeSync, readSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { checkoutAround } from '../../lib/files.ts'
import { openRegular } from '../../lib/regular-file.ts'
import {
  PLUGIN_FOLDERS,
  PROJECT_FOLDER,
  PROJECT_INSTRUCTIONS,
  declaredName,
  pathFrom,
} from '../../packages/package-root.ts'
import type { AgentPackage } from '../../packages/package.ts'
import type { FilePart } from '../../recordings/input.ts'
import { listFiles, type ListedFile, type Listing } from './list-files.ts'
import { packageRule, type PackageRule } from './stays-out.ts'

/** Lists what of a package reaches a session: an engine installs all of it, so every case depends on all of it. */
export function listPackageFiles(pkg: AgentPackage, rule: PackageRule = packageRule(pkg)): Listing {
  const { files, leftOut } = listFiles(pkg.root, { ...rule, within: checkoutAround(pkg.root) ?? pkg.root })
  return { files: withoutMissed(files.filter(isNoReport), pkg), leftOut }
}

// A skill that is the package itself leaves the other parts where they are.
function withoutMissed(files: readonly ListedFile[], pkg: AgentPackage): readonly ListedFile[] {
  const { leftOut, root, manifest } = pkg
  if (leftOut === undefined) return files
  const isManifest = ({ path }: ListedFile): boolean => manifest !== null && path === pathFrom(root, manifest.file)
  const partOf = filePart(pkg)
  if (leftOut.dir === root) return files.filter((file) => partOf(file.path) !== null && !isManifest(file))
  return withoutSkill(files, leftOut, root).filter((file) => !isManifest(file))
}

// A report may have been written anywhere, and it holds verdicts and criteria: no session may read it.
function isNoReport({ file, path }: ListedFile): boolean {
  return !path.endsWith('.json') || !readStart(file).includes('"id": "eval-run-')
}

function readStart(file: string): string {
  const opened = openRegular(file)
  if (!opened.ok) return ''
  try {
    const start = Buffer.alloc(START_BYTES)
    return start.toString('utf8', 0, readSync(opened.fd, start, 0, START_BYTES, 0))
  } finally {
    closeSync(opened.fd)
  }
}

const START_BYTES = 256

/**
 * Says which part of a package has what is at a path, which need not exist; `null` for a file of none. What an agent knows,
 * its persona included, is one thing: its vault.
 */
export function filePart(pkg: AgentPackage): (path: string) => FilePart | null {
  if (pkg.vault === true) return () => null
  const below = (file: string): string => pathFrom(pkg.root, file)
  const own = (file: string, part: FilePart): readonly (readonly [string, FilePart])[] =>
    below(file).split('/').length > 2 ? [[`${dirname(below(file))}/`, part]] : []
  const skills = pkg.skills.map(({ dir, name }) => ({ dir, part: { kind: 'skill', name } as const }))
  const agents = pkg.agents.map((agent) => ({ ...agent, part: { kind: 'agent', name: agent.name } as const }))
  const rules = pkg.rules.map(({ file, name }) => ({ file, part: { kind: 'rule', name } as const }))
  const others = [pkg.manifest?.file, pkg.hooksFile, pkg.mcpFile, ...pkg.commands.map(({ file }) => file)]
  const texts = pkg.layout === 'project' ? [PROJECT_INSTRUCTIONS, `${PROJECT_FOLDER}/${PROJECT_INSTRUCTIONS}`] : []
  const files = new Map<string, FilePart>([
    ['package.agent.lock', OTHER],
    ...others.flatMap((file) => (typeof file === 'string' ? [[below(file), OTHER] as const] : [])),
    ...(pkg.instructionsFile === null ? [] : [[below(pkg.instructionsFile), TEXT] as const]),
    ...[...(pkg.imports ?? []), ...texts].map((path) => [path, TEXT] as const),
    ...rules.map(({ file, part }) => [below(file), part] as const),
    ...agents.flatMap(({ file, promptFile, part }) => [file, promptFile].map((one) => [below(one), part] as const)),
  ])
  const folders: readonly (readonly [string, FilePart])[] = [
    ...skills.map(({ dir, part }) => [dir === pkg.root ? '' : `${below(dir)}/`, part] as const),
    ...rules.flatMap(({ file, part }) => own(file, part)),
    ...agents.flatMap(({ file, part }) => own(file, part)),
    ['skills/', { kind: 'skill', name: null }],
    ['agents/', { kind: 'agent', name: null }],
    ...['rules/', `${PROJECT_FOLDER}/rules/`].map((folder) => [folder, { kind: 'rule', name: null }] as const),
    ...['commands/', 'hooks/', 'mcp/', `${PROJECT_FOLDER}/hooks/`].map((folder) => [folder, OTHER] as const),
  ]
  return (path) => files.get(path) ?? folders.find(([folder]) => path.startsWith(folder))?.[1] ?? null
}

const OTHER: FilePart = { kind: 'other', name: null }
const TEXT: FilePart = { kind: 'text', name: null }

/** The skill that is to be missed. */
interface MissedSkill {
  readonly name: string
  /** Absolute path of its folder. */
  readonly dir: string
}

/**
 * The files of a folder without those of a skill, of its copies under any path, and what lists it as part of a plugin.
 *
 * @param root - absolute path of the folder; a skill that is the folder itself takes all of it.
 */
export function withoutSkill(files: readonly ListedFile[], skill: MissedSkill, root: string): readonly ListedFile[] {
  const copies = files.flatMap(({ path, file }) => {
    if (basename(path) !== 'SKILL.md') return []
    const folder = dirname(path)
    return basename(folder) === skill.name || declaredName(file) === skill.name ? [folder] : []
  })
  const folders = [...new Set([pathFrom(root, skill.dir) || '.', ...copies])]
  return files.filter(
    ({ path }) =>
      !PLUGIN_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) &&
      !folders.some((folder) => folder === '.' || path.startsWith(`${folder}/`)),
  )
}
