import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { allOf, type Engines } from '../engines/registry.ts'
import { kindOf } from '../formats/kinds.ts'
import type { CasePart, SkillUnderTest } from '../formats/suite.ts'
import { AgentEvalsError } from '../lib/errors.ts'
import { pathFrom, declaredName } from '../packages/package-root.ts'
import {
  contentOf,
  foldersOf,
  targetOf,
  withTargets,
  type FolderLink,
  type SkippedEntry,
  type TreeFile,
} from './inputs/list-tree.ts'
import { withoutSkill } from './inputs/package-files.ts'
import { listOverlay, listProjectFiles, remarkOnOverlay, type ProjectFiles } from './inputs/project-files.ts'

/** The contents of a workspace before anything is installed. */
interface BaseRequest {
  /** Absolute path of the workspace. */
  readonly workspace: string
  readonly skill: SkillUnderTest
  /** Absolute path of the project that overlays are part of. @default that of the skill */
  readonly overlayRoot?: string
  readonly evalCase: CasePart<'arm' | 'overlays'>
  /** Whether an artifact case gets a copy of its project. */
  readonly projectCopy: boolean
  /** Where the engine looks for skills, below the workspace; `null` when it looks for none. */
  readonly skillsFolder: string | null
  /** Absolute paths of folders of the project that hold answers, besides the skill's own evals. */
  readonly hidden: readonly string[]
  /** Whose folders of tools and skills count. @default the built-in ones */
  readonly engines?: Engines | undefined
}

/**
 * Lays the project and then the overlays out, each over the one before. A trigger query gets no project, and of the base
 * overlay only its skills. Whatever they hold of the skill under test stays out: that one always wins.
 */
export async function stageBase({
  workspace,
  skill,
  overlayRoot = skill.projectRoot,
  evalCase,
  projectCopy,
  skillsFolder,
  hidden,
  engines,
}: BaseRequest): Promise<readonly string[]> {
  const warnings: string[] = []
  const skillAt = skillFinder(engines)
  const toolFolders = new Set(allOf('toolFolders', engines))
  const seesAll = kindOf(evalCase).sees === 'project'
  if (projectCopy && seesAll) {
    const project = await listProjectFiles(skill, hidden)
    const whole = unlinkTools(project, toolFolders)
    const files = evalCase.arm === undefined ? whole.files : withoutSkill(whole.files, skill, skill.projectRoot)
    const kept = withTargets(files.filter(({ path }) => !isOfSkill(path, skill.name, skillAt)))
    await copyAll(workspace, kept)
    linkAll(workspace, kept, whole.links)
  }
  for (const overlay of evalCase.overlays ?? []) {
    const name = pathFrom(overlayRoot, overlay)
    const { skipped, ...tree } = listOverlay(overlay, overlayRoot)
    const { files, links } = unlinkTools(tree, toolFolders)
    const shown = seesAll ? files : files.filter(({ path }) => skillAt(path) !== null)
    const twins = twinsOf(shown, skill.name, skillAt)
    const place = skillsFolder === null ? '' : `${skillsFolder}/${skill.name}/`
    const inTheWay = shown.filter(({ path }) => place.startsWith(`${path}/`))
    const kept = shown.filter(
      (file) => !inTheWay.includes(file) && !twins.some((folder) => file.path.startsWith(`${folder}/`)),
    )
    await copyAll(workspace, [...kept, ...asSkills(kept, skillsFolder, skillAt)])
    linkAll(workspace, kept, links)
    for (const { path } of inTheWay)
      warnings.push(
        `The overlay ${name} has a file at ${path}, where the skill under test has a folder; it was left out.`,
      )
    for (const folder of twins) {
      warnings.push(`The overlay ${name} holds ${folder}, another copy of the skill under test; it was left out.`)
    }
    const remark = await remarkOnOverlay(overlay)
    if (remark !== null) warnings.push(`The overlay ${name} ${remark}.`)
    warnings.push(...describeSkipped(skipped, name))
  }
  return warnings
}

function describeSkipped(skipped: readonly SkippedEntry[], overlay: string): readonly string[] {
  const more = skipped.length - MOST_NAMED
  return [
    ...skipped
      .slice(0, MOST_NAMED)
      .map(({ path, reason }) => `${path} of the overlay ${overlay} ${reason} and was left out.`),
    ...(more > 0 ? [`${more} more entries of the overlay ${overlay} were left out.`] : []),
  ]
}

const MOST_NAMED = 10

// A link to something that stayed out would lead nowhere.
function linkAll(workspace: string, files: readonly TreeFile[], links: readonly FolderLink[]): void {
  const folders = foldersOf(files)
  for (const link of links) if (folders.has(targetOf(link))) linkInto(workspace, link.path, link.link)
}

// An engine installs below these folders: what it writes there must not land somewhere else.
function unlinkTools(
  { files, links }: Pick<ProjectFiles, 'files' | 'links'>,
  toolFolders: ReadonlySet<string>,
): Pick<ProjectFiles, 'files' | 'links'> {
  const isOfTool = ({ path }: Pick<TreeFile, 'path'>): boolean => toolFolders.has(path.split('/')[0] ?? '')
  const contents: TreeFile[] = []
  for (const link of links.filter(isOfTool)) {
    const target = `${targetOf(link)}/`
    for (const file of files)
      if (file.path.startsWith(target)) contents.push(contentOf(file, `${link.path}/${file.path.slice(target.length)}`))
    // Each of many links may lead to many files.
    if (contents.length > MOST_CONTENTS) {
      const message = `The links below ${link.path.split('/')[0]} lead to more than ${MOST_CONTENTS} files. Remove some of them.`
      throw new AgentEvalsError('workspace-failed', message)
    }
  }
  return {
    files: [...files.map((file) => (isOfTool(file) ? contentOf(file, file.path) : file)), ...contents],
    links: links.filter((link) => !isOfTool(link)),
  }
}

const MOST_CONTENTS = 50_000

/** Copies files to their paths below a folder, with a pause now and then for what else has to be done. */
export async function copyAll(workspace: string, files: readonly TreeFile[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    copyInto(workspace, file.path, file)
    if (index % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn()
  }
}

const FILES_PER_TURN = 64

/** A skill in a folder in which an engine looks for skills, paths below the workspace. */
interface SkillFolder {
  /** Such as `.agents/skills`. */
  readonly parent: string
  /** Such as `.agents/skills/pdf`. */
  readonly folder: string
  readonly name: string
}

/** Finds the skill that a file is part of; `null` for every other file. */
type SkillFinder = (path: string) => SkillFolder | null

function skillFinder(engines: Engines | undefined): SkillFinder {
  const parents = allOf('skillFolders', engines)
  return (path) => {
    const parent = parents.find((one) => path.startsWith(`${one}/`))
    const [name = '', ...below] = parent === undefined ? [] : path.slice(parent.length + 1).split('/')
    return parent === undefined || below.length === 0 ? null : { parent, folder: `${parent}/${name}`, name }
  }
}

// An overlay is written once, for the engine that its author has.
function asSkills(files: readonly TreeFile[], skillsFolder: string | null, skillAt: SkillFinder): readonly TreeFile[] {
  if (skillsFolder === null) return []
  const there = new Set(files.map(({ path }) => skillAt(path)?.folder))
  return files.flatMap((file) => {
    const skill = skillAt(file.path)
    if (skill === null || there.has(`${skillsFolder}/${skill.name}`)) return []
    return [{ ...file, path: `${skillsFolder}${file.path.slice(skill.parent.length)}` }]
  })
}

function isOfSkill(path: string, name: string, skillAt: SkillFinder): boolean {
  return skillAt(path.toLowerCase())?.name === name.toLowerCase()
}

/** Folders of skills that have the name of the one under test, as a folder or in what they say of themselves. */
function twinsOf(files: readonly TreeFile[], name: string, skillAt: SkillFinder): readonly string[] {
  const folders = files.flatMap(({ path, file }) => {
    const folder = skillAt(path)?.folder
    if (folder === undefined) return []
    const declaresIt = basename(path) === 'SKILL.md' && dirname(path) === folder && declaredName(file) === name
    return declaresIt || isOfSkill(path, name, skillAt) ? [folder] : []
  })
  return [...new Set(folders)]
}

/** A file to copy. */
interface CopiedFile {
  readonly file: string
  readonly mode: number
  /** What a link within the copied tree says, relative to its folder. */
  readonly link?: string
}

/** Copies a file to a path below a folder, sharing its blocks where the file system can. A link stays one. */
export function copyInto(root: string, to: string, from: CopiedFile): void {
  if (from.link !== undefined) return linkInto(root, to, from.link)
  const file = join(root, to)
  replaceLink(file)
  inFolder(file, () => copyFileSync(from.file, file, constants.COPYFILE_FICLONE))
  const mode = plainMode(from.mode)
  if ((from.mode & 0o7777) !== mode) chmodSync(file, mode)
}

/**
 * Makes a link at a path below a folder; `link` is relative to its folder.
 *
 * @throws {AgentEvalsError} `unsafe-path` for a link that would lead out: what is copied later is written through it.
 */
export function linkInto(root: string, to: string, link: string): void {
  const file = join(root, to)
  mkdirSync(dirname(file), { recursive: true })
  // Below another link, a link starts from somewhere else than its path says.
  const target = resolve(realpathSync(dirname(file)), link)
  if (!`${target}${sep}`.startsWith(`${realpathSync(root)}${sep}`)) {
    throw new AgentEvalsError(
      'unsafe-path',
      `The link ${JSON.stringify(to)} would lead out of the workspace, because a folder above it is a link of another part. Copy the folder instead of linking it.`,
    )
  }
  rmSync(file, { force: true })
  symlinkSync(link, file)
}

/** Writes a text file at a path below a folder. */
export function writeInto(root: string, to: string, content: string): void {
  const file = join(root, to)
  replaceLink(file)
  inFolder(file, () => writeFileSync(file, content, { mode: 0o644 }))
}

// A file that takes the place of a link does not change what the link leads to.
function replaceLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(file)
}

// Most files land in a folder that is there.
function inFolder(file: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(file), { recursive: true })
    write()
  }
}

// Whatever bits a source carries: a script stays a script, a file a file.
function plainMode(mode: number): number {
  return (mode & 0o111) === 0 ? 0o644 : 0o755
}
