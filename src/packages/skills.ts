import { basename, join } from 'node:path'
import { z } from 'zod'
import { errorAt, warningAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { validate } from '../lib/documents/validate.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import {
  fileFinding,
  findingsOf,
  hasError,
  joinLoaded,
  type PackageFinding,
  type Skill,
  type Loaded,
} from './package.ts'
import { readMarkdown } from './markdown-parts.ts'
import { PLUGIN_SIGNS, nameSkill } from './package-root.ts'

/** A skill with the name that its front matter declares. */
interface DeclaredSkill {
  readonly skill: Skill
  readonly declaredName: string | null
}

const skillSchema = z.looseObject({
  name: z.string().optional(),
  description: z.string().refine((text) => text.trim() !== '', 'must not be empty: an agent chooses a skill by it'),
  'disable-model-invocation': z.unknown().optional(),
  'user-invocable': z.unknown().optional(),
})
type SkillFields = z.infer<typeof skillSchema>

/** Reads every `<folder>/<name>/SKILL.md`, and those of categories: `<folder>/<category>/<name>/SKILL.md`. */
export async function loadSkills(folder: string, fs: TrackedFs): Promise<Loaded<Skill>> {
  const dirs = (await Promise.all((await foldersIn(folder, fs)).map((dir) => ofCategory(dir, fs)))).flat()
  const loaded = joinLoaded(await Promise.all(dirs.map((dir) => loadSkill(dir, basename(dir), fs))))
  return {
    parts: loaded.parts.map(({ skill }) => skill),
    findings: [...loaded.findings, ...findDuplicates(loaded.parts)],
  }
}

async function foldersIn(folder: string, fs: TrackedFs): Promise<readonly string[]> {
  const entries = await fs.list(folder)
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => join(folder, name))
}

// A folder without a SKILL.md that holds folders with one is a category of skills.
async function ofCategory(dir: string, fs: TrackedFs): Promise<readonly string[]> {
  const isSkill = (folder: string): boolean => fs.look(join(folder, 'SKILL.md')) !== null
  if (isSkill(dir) || fs.look(dir)?.isDirectory() !== true) return [dir]
  // Suites about several of its neighbours.
  if (basename(dir) === 'evals') return []
  const below = (await foldersIn(dir, fs)).filter(isSkill)
  return below.length > 0 ? below : [dir]
}

/** Joins the skills of several folders; of several with one name the first counts. */
export function joinSkills(loaded: readonly Loaded<Skill>[]): Loaded<Skill> {
  const { parts, findings } = joinLoaded(loaded)
  const first = new Map<string, Skill>()
  for (const skill of parts) if (!first.has(skill.name)) first.set(skill.name, skill)
  const others = parts.filter((skill) => first.get(skill.name) !== skill && first.get(skill.name)?.dir !== skill.dir)
  const twins = others.map((skill) => {
    const message = `is not used: the skill ${JSON.stringify(skill.name)} is also in ${first.get(skill.name)?.dir}`
    return fileFinding({ kind: 'skill', name: skill.name }, 'warning', skill.file, 'duplicate-skill', message)
  })
  return { parts: [...first.values()], findings: [...findings.filter((one) => !isLinkTo(one, first)), ...twins] }
}

// A link to a skill that is read elsewhere, such as `.claude/skills/pdf -> ../../skills/pdf`, loses nothing.
function isLinkTo({ code, part }: PackageFinding, skills: ReadonlyMap<string, Skill>): boolean {
  return code === 'not-a-folder' && part?.kind === 'skill' && skills.has(part.name)
}

/** Reads one skill's folder. */
export async function loadOneSkill(dir: string, name: string, fs: TrackedFs): Promise<Loaded<Skill>> {
  const { parts, findings } = await loadSkill(dir, name, fs)
  return { parts: parts.map(({ skill }) => skill), findings }
}

async function loadSkill(dir: string, folder: string, fs: TrackedFs): Promise<Loaded<DeclaredSkill>> {
  const part = { kind: 'skill', name: folder } as const
  const file = join(dir, 'SKILL.md')
  if (fs.look(dir)?.isDirectory() !== true) {
    const message = 'is not a folder; links are not followed, so put the skill itself here'
    return { parts: [], findings: [fileFinding(part, 'error', dir, 'not-a-folder', message)] }
  }

  const { markdown, issues } = await readMarkdown(file, fs)
  if (markdown === null) return { parts: [], findings: findingsOf(part, issues) }
  if (markdown.document === null || hasError(issues)) {
    const message = 'SKILL.md starts with no front matter; begin it with --- and name and description'
    const found =
      issues.length > 0 ? findingsOf(part, issues) : [fileFinding(part, 'error', file, 'front-matter', message)]
    return { parts: [], findings: found }
  }

  const checked = validate(markdown.document, skillSchema)
  const isPlugin = PLUGIN_SIGNS.some((sign) => fs.look(join(dir, sign)) !== null)
  const names = nameSkill(folder, checked.value?.name ?? null, isPlugin)
  const remarks = checked.value === null ? [] : checkFields(checked.value, names.name, markdown.document)
  const findings = findingsOf({ ...part, name: names.name }, [...issues, ...checked.issues, ...remarks])
  if (checked.value === null || hasError(findings)) return { parts: [], findings }

  const { description, name: declaredName = null } = checked.value
  const texts = { description: description.trim(), body: markdown.body }
  const skill = { ...names, dir, file, ...texts, ...hiding(checked.value) }
  return { parts: [{ skill, declaredName }], findings }
}

function hiding(fields: SkillFields): Pick<Skill, 'hiddenFrom'> {
  if (String(fields['disable-model-invocation']) === 'true') return { hiddenFrom: 'model' }
  return String(fields['user-invocable']) === 'false' ? { hiddenFrom: 'user' } : {}
}

function checkFields(fields: SkillFields, folderName: string, document: ReadDocument): readonly Issue[] {
  const issues: Issue[] = []
  if (fields.name === undefined) {
    issues.push(warningAt(document, [], 'missing-field', `name: missing; write \`name: ${folderName}\``))
  } else if (fields.name !== folderName) {
    const message = `differs from the folder's name ${JSON.stringify(folderName)}, which engines use`
    issues.push(warningAt(document, ['name'], 'name-differs', message))
  }

  if (fields.description.length > 1024) {
    issues.push(warningAt(document, ['description'], 'too-long', 'is longer than 1024 characters; engines truncate it'))
  }

  if (fields.name === '') issues.push(errorAt(document, ['name'], 'invalid-value', 'must not be empty'))
  return issues
}

// Two folders cannot have one name, but a front matter can claim another folder's.
function findDuplicates(skills: readonly DeclaredSkill[]): readonly PackageFinding[] {
  return skills.flatMap((one) => {
    const claimed = one.declaredName ?? one.skill.name
    const other = skills.find(
      ({ skill, declaredName }) => skill !== one.skill && (skill.name === claimed || declaredName === claimed),
    )
    if (other === undefined) return []
    const message = `two skills are called ${JSON.stringify(claimed)}; the other one is in the folder ${JSON.stringify(other.skill.name)}`
    return [...new Set([claimed, one.skill.name])].map((name) =>
      fileFinding({ kind: 'skill', name }, 'error', one.skill.file, 'duplicate-skill', message),
    )
  })
}
