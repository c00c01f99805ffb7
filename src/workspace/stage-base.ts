import { allOf } from '../engines/registry.ts'
import { basename, dirname, relative, sep } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listTree, type FolderLink, type TreeFile } from '../inputs/list-tree.ts'
import { declaredName } from '../inputs/declared-name.ts'
import { withoutSkill } from '../inputs/without-skill.ts'
import { remarkOnOverlay } from '../inputs/overlay-remarks.ts'
import { contentOf, foldersOf, targetOf, withTargets } from '../inputs/links.ts'
import { listProjectFiles, type ProjectFiles } from '../inputs/project-files.ts'
import { copyInto, linkInto } from './write-copy.ts'
import type { EvalCase, SkillUnderTest } from '../suites/suite.ts'

/** The contents of a workspace before anything is installed. */
export interface BaseRequest {
  /** Absolute path of the workspace. */
  readonly workspace: string
  readonly skill: SkillUnderTest
  readonly evalCase: Pick<EvalCase, 'arm' | 'overlays' | 'trigger'>
  /** Whether an artifact case gets a copy of its project. */
  readonly projectCopy: boolean
  /** Where the engine looks for skills, below the workspace; `null` when it looks for none. */
  readonly skillsFolder: string | null
  /** Absolute paths of folders of the project that hold answers, besides the skill's own evals. */
  readonly hidden: readonly string[]
}

/**
 * Lays the project and then the overlays out, each over the one before. A trigger query gets no project, and of the base
 * overlay only its skills. Whatever they hold of the skill under test stays out: that one always wins.
 */
export async function stageBase({
  workspace,
  skill,
  evalCase,
  projectCopy,
  skillsFolder,
  hidden,
}: BaseRequest): Promise<readonly string[]> {
  const warnings: string[] = []
  if (projectCopy && evalCase.trigger === undefined) {
    const project = await listProjectFiles(skill, hidden)
    const whole = unlinkTools(project)
    const files = evalCase.arm === undefined ? whole.files : withoutSkill(whole.files, skill, skill.projectRoot)
    const kept = withTargets(files.filter(({ path }) => !isOfSkill(path, skill.name)))
    await copyAll(workspace, kept)
    linkAll(workspace, kept, whole.links)
  }
  for (const overlay of evalCase.overlays ?? []) {
    const name = relative(skill.projectRoot, overlay).split(sep).join('/')
    const { files, links, skipped } = listTree(overlay, { exclude: (path) => basename(path) === '.git' })
    const shown = evalCase.trigger === undefined ? files : files.filter(({ path }) => SKILL_FILE.test(path))
    const twins = twinsOf(shown, skill.name)
    const place = skillsFolder === null ? '' : `${skillsFolder}/${skill.name}/`
    const inTheWay = shown.filter(({ path }) => place.startsWith(`${path}/`))
    const kept = shown.filter(
      (file) => !inTheWay.includes(file) && !twins.some((folder) => file.path.startsWith(`${folder}/`)),
    )
    await copyAll(workspace, [...kept, ...asSkills(kept, skillsFolder)])
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
    for (const { path, reason } of skipped) warnings.push(`${path} of the overlay ${name} ${reason} and was left out.`)
  }
  return warnings
}

// A link to something that stayed out would lead nowhere.
function linkAll(workspace: string, files: readonly TreeFile[], links: readonly FolderLink[]): void {
  const folders = foldersOf(files)
  for (const link of links) if (folders.has(targetOf(link))) linkInto(workspace, link.path, link.link)
}

// An engine installs below these folders: what it writes there must not land somewhere else.
function unlinkTools({ files, links }: Pick<ProjectFiles, 'files' | 'links'>): Pick<ProjectFiles, 'files' | 'links'> {
  const contents = links.filter(isOfTool).flatMap((link) => {
    const target = `${targetOf(link)}/`
    return files.flatMap((file) =>
      file.path.startsWith(target) ? [contentOf(file, `${link.path}/${file.path.slice(target.length)}`)] : [],
    )
  })
  return {
    files: [...files.map((file) => (isOfTool(file) ? contentOf(file, file.path) : file)), ...contents],
    links: links.filter((link) => !isOfTool(link)),
  }
}

function isOfTool({ path }: Pick<TreeFile, 'path'>): boolean {
  return TOOL_FOLDERS.has(path.split('/')[0] ?? '')
}

const TOOL_FOLDERS: ReadonlySet<string> = new Set(allOf('toolFolders'))

async function copyAll(workspace: string, files: readonly TreeFile[]): Promise<void> {
  for (const [index, file] of files.entries()) {
    copyInto(workspace, file.path, file)
    if (index % FILES_PER_TURN === FILES_PER_TURN - 1) await nextTurn()
  }
}

const FILES_PER_TURN = 64

const SKILLS = `^(?:${allOf('skillFolders')
  .map((folder) => folder.replaceAll('.', String.raw`\.`))
  .join('|')})`
const SKILLS_FOLDER = new RegExp(SKILLS)
const SKILL_FILE = new RegExp(`${SKILLS}/[^/]+/.`)

// An overlay is written once, for the engine that its author has.
function asSkills(files: readonly TreeFile[], skillsFolder: string | null): readonly TreeFile[] {
  if (skillsFolder === null) return []
  const inFolder = (path: string): string => path.replace(SKILLS_FOLDER, skillsFolder)
  const there = new Set(files.map(({ path }) => path.split('/').slice(0, 3).join('/')))
  return files
    .filter(({ path }) => SKILL_FILE.test(path) && !there.has(inFolder(path.split('/').slice(0, 3).join('/'))))
    .map((file) => ({ ...file, path: inFolder(file.path) }))
}

function isOfSkill(path: string, name: string): boolean {
  const [top = '', folder, skill, ...rest] = path.toLowerCase().split('/')
  return (
    (top === '.claude' || top === '.agents') && folder === 'skills' && skill === name.toLowerCase() && rest.length > 0
  )
}

/** Folders of skills that have the name of the one under test, as a folder or in what they say of themselves. */
function twinsOf(files: readonly TreeFile[], name: string): readonly string[] {
  const folders = files.flatMap(({ path, file }) => {
    if (!SKILL_FILE.test(path)) return []
    const folder = path.split('/').slice(0, 3).join('/')
    const saysSo = basename(path) === 'SKILL.md' && dirname(path) === folder && declaredName(file) === name
    return saysSo || isOfSkill(path, name) ? [folder] : []
  })
  return [...new Set(folders)]
}
