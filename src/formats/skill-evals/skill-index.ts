import { existsSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { openTrackedFs } from '../../lib/documents/read-text.ts'
import { checkRelativePath } from '../../lib/documents/relative-path.ts'
import { checkoutAround, foldersUpTo, isFolder } from '../../lib/files.ts'
import { isBelow } from '../../lib/links.ts'
import { mapInPortions } from '../../lib/lists.ts'
import { compareTexts } from '../../lib/text.ts'
import { readMarkdown, textField } from '../../packages/front-matter.ts'
import { PLUGIN_SIGNS, nameSkill } from '../../packages/package-root.ts'
import { findFiles } from '../discover.ts'
import type { KnownSkill, SkillUnderTest } from '../suite.ts'

/** A skill and where it is. */
export interface FoundSkill extends KnownSkill {
  /** 0: worked on; 1: an installed copy, or one among tests and examples. */
  readonly tier: 0 | 1
}

/** Reads the names of skills, those that are worked on first, then the plainest path. */
export async function indexSkills(files: readonly string[], root: string): Promise<readonly FoundSkill[]> {
  const listed = files.filter((file) => !isOfOverlay(file, root))
  return readAll(listed, root)
}

/** Reads the names of the skills of overlays: a query may expect them, and they own no evals. */
export function indexOverlaySkills(files: readonly string[], root: string): Promise<readonly FoundSkill[]> {
  const listed = files.filter((file) => isOfOverlay(file, root) && partsOf(root, dirname(file)).includes('setup'))
  return readAll(listed, root)
}

function isOfOverlay(file: string, root: string): boolean {
  return partsOf(root, dirname(dirname(file))).includes('evals')
}

async function readAll(files: readonly string[], root: string): Promise<readonly FoundSkill[]> {
  const skills = await mapInPortions(files, (file) => readSkill(file, root))
  const depth = ({ dir }: FoundSkill): number => partsOf(root, dir).length
  return skills.toSorted((a, b) => a.tier - b.tier || depth(a) - depth(b) || compareTexts(a.dir, b.dir))
}

async function readSkill(file: string, root: string): Promise<FoundSkill> {
  const dir = dirname(file)
  const declared = await declaredName(file)
  const isCalledAnything = isCheckoutRoot(dir, root) || PLUGIN_SIGNS.some((sign) => existsSync(join(dir, sign)))
  const names = nameSkill(basename(dir), declared, isCalledAnything)
  const above = partsOf(root, dir).slice(0, -1)
  const isCopy = above.some((part) => part.startsWith('.') || COPIES.has(part))
  return { ...names, dir, projectRoot: projectRootOf(dir, root), tier: isCopy ? 1 : 0 }
}

const COPIES: ReadonlySet<string> = new Set(['dist', 'examples', 'fixtures', 'mocks', 'templates', 'test', 'tests'])

async function declaredName(file: string): Promise<string | null> {
  const { markdown } = await readMarkdown(file, openTrackedFs())
  const name = markdown === null ? null : textField(markdown, 'name')
  return name === null || name.includes('/') || checkRelativePath(name) !== null ? null : name
}

// A checkout may be called anything, so the name of its folder says nothing about the skill.
function isCheckoutRoot(dir: string, root: string): boolean {
  return existsSync(join(dir, '.git')) || (dir === root && checkoutAround(dirname(dir)) === null)
}

/** The nearest folder upwards that is a project, never above the Vitest root. */
function projectRootOf(dir: string, root: string): string {
  return foldersUpTo(root, dir).find((folder) => folder === root || isProject(folder)) ?? root
}

function isProject(folder: string): boolean {
  return isFolder(join(folder, '_bmad')) || existsSync(join(folder, '.git'))
}

/**
 * The one skill of a name that is nearest to a folder: of the first folder upwards with such a skill below it. `null`
 * where it has none, or two.
 */
export function nearestSkill(
  written: string,
  folder: string,
  root: string,
  skills: readonly FoundSkill[],
): FoundSkill | null {
  const named = calledSo(written, skills)
  for (const above of foldersUpTo(root, folder)) {
    const below = named.filter(({ dir }) => isBelow(dir, above))
    const best = below.filter(({ tier }) => tier === below[0]?.tier)
    if (best.length > 0) return best.length === 1 ? (best[0] ?? null) : null
  }
  return null
}

/** The folders of a path below a root. */
export function partsOf(root: string, path: string): readonly string[] {
  return relative(root, path)
    .split(sep)
    .filter((part) => part !== '')
}

/** The names that a skill goes by, the one that it is installed under first. */
export function namesOf({ name, alias }: Pick<KnownSkill, 'alias' | 'name'>): readonly string[] {
  return alias === undefined ? [name] : [name, alias]
}

/**
 * The skill of a name as people write it: `pdf`, `/pdf`, `plugin:pdf`, `pdf/SKILL.md`. A name under which a skill is
 * installed comes before another one's front matter.
 */
export function findSkill(written: string, skills: readonly KnownSkill[]): KnownSkill | null {
  const named = calledSo(written, skills)
  return named.find(({ name }) => name === plainSkillName(written)) ?? named[0] ?? null
}

// Where several have a name, `plugin:name` means the one in the plugin's folder.
function calledSo<Known extends KnownSkill>(written: string, skills: readonly Known[]): readonly Known[] {
  const name = plainSkillName(written)
  const named = skills.filter((skill) => namesOf(skill).includes(name))
  const before = written.slice(0, Math.max(0, written.lastIndexOf(':')))
  const plugin =
    before
      .split(/[/:@$]/)
      .at(-1)
      ?.trim() ?? ''
  const inPlugin = named.filter(({ dir }) => plugin !== '' && dir.split(sep).includes(plugin))
  return inPlugin.length > 0 ? inPlugin : named
}

/** A skill's name without what people write around it. */
function plainSkillName(written: string): string {
  const path = written
    .trim()
    .replace(/^[/@$]/, '')
    .replace(/\/?SKILL\.md$/i, '')
  const afterColon = path.slice(path.lastIndexOf(':') + 1)
  return afterColon.slice(afterColon.lastIndexOf('/') + 1)
}

/** A skill as the cases of a folder of evals are about it. */
export function underTest({ name, alias, dir, projectRoot }: KnownSkill, evalsDir: string): SkillUnderTest {
  return { name, ...(alias === undefined ? {} : { alias }), dir, projectRoot, evalsDir }
}

/** The skills of a repository that can be installed together. */
interface InstallableSkills {
  /** One of each name, sorted. */
  readonly skills: readonly KnownSkill[]
  /** Those whose name one of them has. */
  readonly others: readonly KnownSkill[]
}

/** Finds the skills below a root that are worked on; of several with one name the first counts. */
export async function findSkills(root: string): Promise<InstallableSkills> {
  const all = await indexSkills(await findFiles(root, ['**/SKILL.md'], NOT_SKILLS), root)
  const workedOn = all.filter(({ tier }) => tier === 0)
  const first = new Map<string, KnownSkill>()
  for (const skill of workedOn) if (!first.has(skill.name)) first.set(skill.name, skill)
  const skills = [...first.values()].toSorted((a, b) => compareTexts(a.name, b.name))
  return { skills, others: workedOn.filter((skill) => first.get(skill.name) !== skill) }
}

/** Folders that hold no skill of a repository. */
export const NOT_SKILLS: readonly string[] = ['.git', '.vitest', '.venv', 'node_modules'].map(
  (folder) => `**/${folder}/**`,
)
