import {
  fieldAt,
  noEffectAt,
  valueAt,
  warningAt,
  type FieldPath,
  type Issue,
  type Position,
  type ReadDocument,
} from '../../lib/documents/document.ts'
import { normalizeRelativePath } from '../../lib/documents/relative-path.ts'
import { oneLine } from '../../lib/text.ts'
import type { CaseBase, CaseTurn, EvalCase, FixtureFile, WorkspaceFile } from '../suite.ts'
import type { Entry } from './entry.ts'
import { fieldsAs, type Field } from './fields.ts'
import { underTest } from './skill-index.ts'
import { TURN_FIELDS, type Role } from './vocabulary.ts'

type LabelOf = Extract<Role, { readonly as: 'label' }>['of']
type SettingOf = Extract<Role, { readonly as: 'setting' }>['of']

/** A part of an entry, and remarks on what of it does not count. */
interface Label {
  readonly text: string | null
  readonly at: Position | null
  readonly issues: readonly Issue[]
}

/** A label of an entry; of several the first counts. */
export function labelOf({ fields, document }: Pick<Entry, 'document' | 'fields'>, of: LabelOf): Label {
  const [first, ...others] = fieldsAs(fields, 'label').filter(({ role }) => role.of === of)
  if (first === undefined) return { text: null, at: null, issues: [] }
  const issues = others
    .filter(({ value }) => value !== first.value)
    .map(({ name }) => noEffectAt(document, [name], `has no effect: ${JSON.stringify(first.name)} is the ${of}`))
  return { text: oneLine(String(first.value)), at: document.positionOf([first.name]), issues }
}

/** The id of an eval; without one a name that may stand for it, else its number, with a remark. */
export function idOf(entry: Entry): Label & { readonly text: string } {
  const { fields, document, number } = entry
  const id = labelOf(entry, 'id')
  if (id.text !== null) return { ...id, text: id.text }
  const title = fieldsAs(fields, 'label').find(({ role }) => role.isId === true)
  if (title !== undefined)
    return { text: oneLine(String(title.value)), at: document.positionOf([title.name]), issues: [] }
  const message = "missing; the entry's number is its id until another is inserted before it. Add a stable id"
  const issue = { ...warningAt(document, ['id'], 'missing-field', message), noEffect: true as const }
  return { text: `eval-${number}`, at: null, issues: [issue] }
}

/** A setting of an entry, else of its file. One that names the kind of case counts before one for all. */
export function settingOf(
  { fields, shared, document }: Pick<Entry, 'document' | 'fields' | 'shared'>,
  of: SettingOf,
  kind: 'eval' | 'query',
): { readonly value: number | null; readonly issues: readonly Issue[] } {
  const ownSettings = settingsIn(fields, of)
  const [first, ...others] = forKind(ownSettings, kind)
  const [common] = forKind(settingsIn(shared, of), kind)
  const unfit = ownSettings.filter(({ role }) => role.kind !== undefined && role.kind !== kind)
  return {
    value: (first?.value ?? common?.value ?? null) as number | null,
    issues: [
      ...others.map(({ name }) =>
        noEffectAt(document, [name], `has no effect, because there is ${JSON.stringify(first?.name)}`),
      ),
      ...unfit.map(({ name }) =>
        noEffectAt(document, [name], `has no effect on ${kind === 'eval' ? 'an eval' : 'a trigger query'}`),
      ),
    ],
  }
}

type Setting = Field & { readonly role: Extract<Role, { readonly as: 'setting' }> }

function settingsIn(fields: readonly Field[], of: SettingOf): readonly Setting[] {
  return fieldsAs(fields, 'setting').filter(({ role }) => role.of === of)
}

/** The settings that count for cases of a kind, the one that names it first. */
export function forKind(settings: readonly Setting[], kind: 'eval' | 'query'): readonly Setting[] {
  return [
    ...settings.filter(({ role }) => role.kind === kind),
    ...settings.filter(({ role }) => role.kind === undefined),
  ]
}

/** What evals and trigger queries have in common. */
export function commonPart(entry: Entry): {
  readonly part: Omit<CaseBase, 'at' | 'checks' | 'criteria' | 'id' | 'name'>
  readonly issues: readonly Issue[]
} {
  const { fields, document, subject, owners, prompt, turns, mistake } = entry
  const [description, category] = [labelOf(entry, 'description'), labelOf(entry, 'category')]
  const timeout = settingOf(entry, 'timeout', 'eval')
  const skipped = whySkipped(entry)
  // Fixtures and overlays are those of the file, whichever skill the entry is about.
  const about = subject === null ? null : underTest(subject, owners.skill.evalsDir)
  const part = {
    description: description.text,
    target:
      about === null
        ? null
        : { kind: 'skill' as const, name: about.name, ...(about.alias !== undefined && { alias: about.alias }) },
    prompt: prompt?.text ?? '',
    ...(turns.length < 2 ? {} : { turns: turns.map((turn) => ({ prompt: turn.prompt, at: turn.at })) }),
    ...filesOf(fields, document),
    tags: tagsOf(fields),
    category: category.text,
    timeout: timeout.value,
    promptAt: prompt?.at ?? document.positionOf([]),
    start: document.positionOf([]),
    ...(about === null || about.dir === owners.skill.dir ? {} : { skill: about }),
    ...(skipped === null ? {} : { skipped }),
    ...(mistake === null ? {} : { broken: describeMistake(mistake) }),
  }
  return { part, issues: [...description.issues, ...category.issues, ...timeout.issues] }
}

/** The mistake of a case that alone is errored by it. */
export function describeMistake({ field, message, line }: Pick<Issue, 'field' | 'line' | 'message'>): string {
  return `${field} ${message} (line ${line}).`
}

function whySkipped({ fields, shared }: Entry): string | null {
  const [ofEntry] = fieldsAs(fields, 'skip')
  const field = ofEntry ?? fieldsAs(shared, 'skip')[0]
  if (field === undefined || field.value === false || field.value === '') return null
  return typeof field.value === 'string' ? field.value : `"${field.name}" is true in the file`
}

function tagsOf(fields: readonly Field[]): readonly string[] {
  const labels = fieldsAs(fields, 'label').filter(({ role }) => role.of === 'tags')
  return labels
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
function filesOf(fields: readonly Field[], document: ReadDocument): Pick<EvalCase, 'files' | 'workspaceFiles'> {
  const listed = fieldsAs(fields, 'files').flatMap(({ name, value }): readonly (readonly [FieldPath, SkillFile])[] =>
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

/** A message of the user; `path` is that of the object that holds it, where it has further fields. */
export interface Turn extends CaseTurn {
  readonly holder: FieldPath | null
}

/** Reads what an entry asks: its prompt, and messages beside it, in order. What is not sent is said. */
export function readTurns(
  prompt: Field | undefined,
  listed: readonly Field[],
  document: ReadDocument,
): { readonly turns: readonly Turn[]; readonly issues: readonly Issue[] } {
  const said = listed.flatMap(({ name, value }) => turnsIn(value, [name]))
  const spoken = said.flatMap(({ text, path, holder }): readonly Turn[] =>
    text === null ? [] : [{ prompt: text, at: document.positionOf(path), holder }],
  )
  const issues = said.flatMap(({ text, path }) =>
    text === null ? [noEffectAt(document, path, 'is not sent: it is no message of the user with a text')] : [],
  )
  if (prompt === undefined) return { turns: spoken, issues }
  const first = { prompt: String(prompt.value), at: document.positionOf([prompt.name]), holder: null }
  // A conversation may begin with the prompt.
  return { turns: spoken[0]?.prompt === first.prompt ? spoken : [first, ...spoken], issues }
}

interface Said {
  /** `null` for what is not sent. */
  readonly text: string | null
  readonly path: FieldPath
  readonly holder: FieldPath | null
}

// What an assistant answers in a script is no message of the user.
function turnsIn(value: unknown, path: FieldPath): readonly Said[] {
  if (typeof value === 'string') return [{ text: value.trim() === '' ? null : value, path, holder: null }]
  if (Array.isArray(value)) return value.flatMap((one: unknown, index) => turnsIn(one, [...path, index]))
  const role = valueAt(value, TURN_FIELDS.role) ?? 'user'
  const field = TURN_FIELDS.text.find((name) => typeof valueAt(value, name) === 'string')
  if (role !== 'user' || field === undefined) return [{ text: null, path, holder: null }]
  return [{ text: String(valueAt(value, field)), path: [...path, field], holder: path }]
}
