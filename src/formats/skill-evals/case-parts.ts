import { fieldAt, type FieldPath, type Issue, type Position } from '../../lib/documents/document.ts'
import { normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { oneLine } from '../../lib/text.ts'
import type { CaseBase, EvalCase, FixtureFile, KnownSkill, WorkspaceFile } from '../suite.ts'
import { take, takeFirst, type Fields } from './fields.ts'
import type { Routing } from './routing.ts'
import { underTest } from './skill-index.ts'
import type { SkillSuite } from './skill-suites.ts'
import type { Role } from './vocabulary.ts'

/** Whose entries a file holds. */
export type EntryOwners = Omit<SkillSuite, 'notes'>

/** An entry on the way to its case. */
export interface Entry {
  /** From 1. */
  readonly number: number
  /** What the file says for all its entries. */
  readonly shared: Fields
  readonly owners: EntryOwners
  readonly fields: Fields
  readonly prompt: { readonly text: string; readonly at: Position; readonly isQuery: boolean } | null
  readonly subject: KnownSkill | null
  readonly routing: Routing | null
}

type LabelOf = Extract<Role, { readonly as: 'label' }>['of']
type SettingOf = Extract<Role, { readonly as: 'setting' }>['of']

/** A label of an entry and its place; of several the first counts. */
export function takeLabel(fields: Fields, of: LabelOf): { readonly text: string; readonly at: Position } | null {
  const label = takeFirst(fields, 'label', (role) => role.of === of)
  return label && { text: oneLine(String(label.value)), at: fields.document.positionOf([label.name]) }
}

/** A setting of an entry, else of its file. One that names the kind of case counts before one for all. */
export function takeSetting(
  { fields, shared }: Pick<Entry, 'fields' | 'shared'>,
  of: SettingOf,
  kind: 'eval' | 'query',
): number | null {
  for (const holder of [fields, shared])
    for (const wanted of [kind, undefined]) {
      const setting = takeFirst(holder, 'setting', (role) => role.of === of && role.kind === wanted)
      if (setting !== null) return setting.value as number
    }
  return null
}

/** What evals and trigger queries have in common. */
export function commonPart(entry: Entry): Omit<CaseBase, 'at' | 'checks' | 'criteria' | 'id' | 'name'> {
  const { fields, subject, owners, prompt } = entry
  const start = fields.document.positionOf([])
  const skipped = whySkipped(entry)
  // Fixtures and overlays are those of the file, whichever skill the entry is about.
  const about = subject === null ? null : underTest(subject, owners.skill.evalsDir)
  return {
    description: takeLabel(fields, 'description')?.text ?? null,
    target:
      about === null
        ? null
        : { kind: 'skill', name: about.name, ...(about.alias !== undefined && { alias: about.alias }) },
    prompt: prompt?.text ?? '',
    ...takeFiles(fields),
    tags: takeTags(fields),
    category: takeLabel(fields, 'category')?.text ?? null,
    timeout: takeSetting(entry, 'timeout', 'eval'),
    promptAt: prompt?.at ?? start,
    start,
    ...(about === null || about.dir === owners.skill.dir ? {} : { skill: about }),
    ...(skipped === null ? {} : { skipped }),
  }
}

/** The mistake of a case that alone is errored by it. */
export function describeMistake({ field, message, line }: Pick<Issue, 'field' | 'line' | 'message'>): string {
  return `${field} ${message} (line ${line}).`
}

function whySkipped({ fields, shared }: Entry): string | null {
  const field = takeFirst(fields, 'skip') ?? takeFirst(shared, 'skip')
  if (field === null || field.value === false || field.value === '') return null
  return typeof field.value === 'string' ? field.value : `"${field.name}" is true in the file`
}

function takeTags(fields: Fields): readonly string[] {
  return take(fields, 'label', ({ of }) => of === 'tags')
    .flatMap(({ value }) => value as string | readonly string[])
    .map(toTag)
    .filter((tag) => tag !== '')
}

// Vitest's tag expressions know words such as `and`, and blanks and brackets between them.
function toTag(label: string): string {
  const tag = label.trim().replaceAll(/[^\w./-]+/g, '-')
  return /^(?:and|or|not)$/i.test(tag) ? `${tag}-` : tag
}

type SkillFile = string | { readonly path: string; readonly content: string }

// Fixtures as named, which are looked for later, and files whose content is in the entry itself.
function takeFiles(fields: Fields): Pick<EvalCase, 'files' | 'workspaceFiles'> {
  const { document } = fields
  const listed = take(fields, 'files').flatMap(({ name, value }): readonly (readonly [FieldPath, SkillFile])[] =>
    Array.isArray(value)
      ? (value as readonly SkillFile[]).map((file, index) => [[name, index], file] as const)
      : Object.entries(value as Readonly<Record<string, string>>).map(
          ([path, content]) => [[name, path], { path, content }] as const,
        ),
  )
  const place = (path: FieldPath): Pick<FixtureFile, 'at' | 'field'> => ({
    at: document.positionOf(path),
    field: fieldAt(document, path),
  })
  return {
    files: listed.flatMap(([path, file]): readonly FixtureFile[] => {
      if (typeof file !== 'string') return []
      const to = normalizeRelativePath(file)
      return [{ from: to, to, ...place(path) }]
    }),
    workspaceFiles: listed.flatMap(([path, file]): readonly WorkspaceFile[] =>
      typeof file === 'string'
        ? []
        : [{ to: normalizeRelativePath(file.path), from: null, content: file.content, ...place(path) }],
    ),
  }
}
