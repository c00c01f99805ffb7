import { basename, join } from 'node:path'
import { errorIn, warningAt, warningIn, type Issue } from '../lib/documents/document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { describeMarkdown, flagField, readMarkdown, textField, type Markdown } from './front-matter.ts'
import type { Source } from './layouts.ts'
import { PLUGIN_SIGNS, isCreatorWorkspace, nameSkill } from './package-root.ts'
import {
  findingsOf,
  joinLoaded,
  noParts,
  type AgentPackage,
  type Loaded,
  type PackageFinding,
  type Skill,
} from './package.ts'

/**
 * Reads every `<folder>/<name>/SKILL.md`. The package format also has categories: `<folder>/<category>/<name>/SKILL.md`.
 * Claude Code has none, and takes a folder without a SKILL.md for no skill.
 */
export async function loadSkills(
  folder: string,
  layout: AgentPackage['layout'],
  fs: TrackedFs,
): Promise<Loaded<Skill>> {
  const dirs =
    layout === undefined
      ? (await Promise.all((await foldersIn(folder, fs)).map((dir) => ofCategory(dir, fs)))).flat()
      : (await fs.list(folder)).map(({ name }) => join(folder, name)).filter((dir) => isSkill(dir, fs))
  const { parts, findings } = joinLoaded(await Promise.all(dirs.map((dir) => loadOneSkill(dir, basename(dir), fs))))
  return { parts, findings: [...findings, ...findDuplicates(parts)] }
}

/** Reads the skills of a place: a folder of skills, or of Claude Code's layouts also a skill's own folder. */
export function loadSkillsAt({ path, layout }: Source, fs: TrackedFs): Promise<Loaded<Skill>> {
  if (layout === 'package') return loadSkills(path, undefined, fs)
  return isSkill(path, fs) ? loadOneSkill(path, basename(path), fs) : loadSkills(path, layout, fs)
}

async function foldersIn(folder: string, fs: TrackedFs): Promise<readonly string[]> {
  const entries = await fs.list(folder)
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => join(folder, name))
}

function isSkill(dir: string, fs: TrackedFs): boolean {
  return fs.look(join(dir, 'SKILL.md')) !== null
}

// A folder without a SKILL.md that holds folders with one is a category of skills.
async function ofCategory(dir: string, fs: TrackedFs): Promise<readonly string[]> {
  if (isSkill(dir, fs) || fs.look(dir)?.isDirectory() !== true) return [dir]
  // Suites about several of its neighbours, and what skill-creator keeps.
  if (basename(dir) === 'evals' || isCreatorWorkspace(dir)) return []
  const below = (await foldersIn(dir, fs)).filter((inner) => isSkill(inner, fs))
  return below.length > 0 ? below : [dir]
}

/** Joins the skills of several folders; of several with one name the first counts. */
export function joinSkills(loaded: readonly Loaded<Skill>[]): Loaded<Skill> {
  const { parts, findings } = joinLoaded(loaded)
  const first = new Map<string, Skill>()
  for (const skill of parts) if (!first.has(skill.name)) first.set(skill.name, skill)
  const twins = parts.flatMap((skill) => {
    const used = first.get(skill.name) ?? skill
    if ((used.source ?? used.dir) === (skill.source ?? skill.dir)) return []
    const message = `is not used: the skill ${JSON.stringify(skill.name)} is also in ${used.dir}`
    return findingsOf({ kind: 'skill', name: skill.name }, [warningIn(skill.file, 'duplicate-skill', message)])
  })
  return { parts: [...first.values()], findings: [...findings, ...twins] }
}

/** Reads one skill's folder. */
export async function loadOneSkill(dir: string, folder: string, fs: TrackedFs): Promise<Loaded<Skill>> {
  const part = { kind: 'skill', name: folder } as const
  const file = join(dir, 'SKILL.md')
  if (fs.look(dir)?.isDirectory() !== true) {
    const message = 'is not a folder, nor a link to one of this repository; put the skill itself here'
    return noParts(part, [errorIn(dir, 'not-a-folder', message)])
  }

  const { markdown, issues } = await readMarkdown(file, fs)
  if (markdown === null) return noParts(part, issues)
  const isPlugin = PLUGIN_SIGNS.some((sign) => fs.look(join(dir, sign)) !== null)
  const names = nameSkill(folder, textField(markdown, 'name'), isPlugin)
  const source = fs.realOf(dir)
  const skill = {
    ...names,
    dir,
    ...(source === dir ? {} : { source }),
    file,
    description: describeMarkdown(markdown),
    body: markdown.body,
    ...hiding(markdown),
  }
  const remarks = [...issues, ...checkFields(markdown, names.name, file)]
  return { parts: [skill], findings: findingsOf({ ...part, name: names.name }, remarks) }
}

function hiding(markdown: Markdown): Pick<Skill, 'hiddenFrom'> {
  if (flagField(markdown, 'disable-model-invocation') === true) return { hiddenFrom: 'model' }
  return flagField(markdown, 'user-invocable') === false ? { hiddenFrom: 'user' } : {}
}

function checkFields(markdown: Markdown, folderName: string, file: string): readonly Issue[] {
  const { fields } = markdown
  if (fields === null) return markdown.issues.length > 0 ? [] : [warningIn(file, 'front-matter', NO_FRONT_MATTER)]
  const issues: Issue[] = []
  const warn = (field: string, code: string, message: string): void => {
    issues.push(warningAt(fields, [field], code, message))
  }
  const name = textField(markdown, 'name')
  if (name === null) warn('name', 'missing-field', `missing; write \`name: ${folderName}\``)
  else if (name !== folderName)
    warn('name', 'name-differs', `differs from the folder's name ${JSON.stringify(folderName)}, which engines use`)

  const description = textField(markdown, 'description')
  if (description === null) warn('description', 'missing-field', NO_DESCRIPTION)
  else if (description.length > 1024)
    warn('description', 'too-long', 'is longer than 1024 characters; engines truncate it')
  return issues
}

const NO_FRONT_MATTER = 'SKILL.md has no front matter; begin it with ---, name and description, and end it with ---'
const NO_DESCRIPTION =
  'missing; an agent chooses a skill by it, and Claude Code shows the first line of the body in its place'

// Two folders cannot have one name, but a front matter can claim another folder's.
function findDuplicates(skills: readonly Skill[]): readonly PackageFinding[] {
  return skills.flatMap((skill) => {
    const claimed = skill.alias ?? skill.name
    const other = skills.find((one) => one !== skill && (one.name === claimed || one.alias === claimed))
    if (other === undefined) return []
    const message = `two skills are called ${JSON.stringify(claimed)}; the other one is in the folder ${JSON.stringify(other.name)}`
    return [...new Set([claimed, skill.name])].flatMap((name) =>
      findingsOf({ kind: 'skill', name }, [errorIn(skill.file, 'duplicate-skill', message)]),
    )
  })
}
