import { chmodSync, constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { allOf, type Engines } from '../engines/registry.ts'
import { kindOf } from '../formats/kinds.ts'
import type { CasePart, SkillUnderTest } from '../formats/suite.ts'
import { pathFrom, declaredName } from '../packages/package-root.ts'
import { describeLeftOut, type ListedFile } from './inputs/list-files.ts'
import { listNamed } from './inputs/named-files.ts'
import { withoutSkill } from './inputs/package-files.ts'
import { listProjectFiles } from './inputs/project-files.ts'
import { REASONS } from './inputs/stays-out.ts'

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
  const seesAll = !kindOf(evalCase).isQuery
  if (projectCopy && seesAll) {
    const whole = await listProjectFiles(skill, hidden)
    const files = evalCase.arm === undefined ? whole.files : withoutSkill(whole.files, skill, skill.projectRoot)
    await copyAll(
      workspace,
      files.filter(({ path }) => !isOfSkill(path, skill.name, skillAt)),
    )
  }
  const place = skillsFolder === null ? '' : `${skillsFolder}/${skill.name}/`
  for (const overlay of evalCase.overlays ?? []) {
    const { files, leftOut } = listNamed(overlay, overlayRoot)
    const shown = seesAll ? files : files.filter(({ path }) => skillAt(path) !== null)
    const twins = twinsOf(shown, skill.name, skillAt)
    const isTwin = ({ path }: ListedFile): boolean => twins.some((folder) => path.startsWith(`${folder}/`))
    const isInTheWay = ({ path }: ListedFile): boolean => place.startsWith(`${path}/`)
    const kept = shown.filter((file) => !isTwin(file) && !isInTheWay(file))
    await copyAll(workspace, [...kept, ...asSkills(kept, skillsFolder, skillAt)])
    const notice = describeLeftOut(`the overlay ${pathFrom(overlayRoot, overlay)}`, [
      ...leftOut.filter(({ why }) => why !== REASONS.git),
      ...twins.map((folder) => ({ path: `${folder}/`, why: 'is another copy of the skill under test' })),
      ...shown.filter(isInTheWay).map(({ path }) => ({ path, why: 'is where the skill under test has a folder' })),
    ])
    if (notice !== null) warnings.push(notice)
  }
  return warnings
}

/** Copies files to their paths below a folder, with a pause now and then for what else has to be done. */
export async function copyAll(workspace: string, files: readonly ListedFile[]): Promise<void> {
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
function asSkills(
  files: readonly ListedFile[],
  skillsFolder: string | null,
  skillAt: SkillFinder,
): readonly ListedFile[] {
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
function twinsOf(files: readonly ListedFile[], name: string, skillAt: SkillFinder): readonly string[] {
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
}

/** Copies a file to a path below a folder, sharing its blocks where the file system can. */
export function copyInto(root: string, to: string, from: CopiedFile): void {
  const file = join(root, to)
  inFolder(file, () => copyFileSync(from.file, file, constants.COPYFILE_FICLONE))
  const mode = plainMode(from.mode)
  if ((from.mode & 0o7777) !== mode) chmodSync(file, mode)
}

/** Writes a text file at a path below a folder. */
export function writeInto(root: string, to: string, content: string): void {
  const file = join(root, to)
  inFolder(file, () => writeFileSync(file, content, { mode: 0o644 }))
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
