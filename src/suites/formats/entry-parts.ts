import { errorAt, fieldAt, noEffectAt, type ReadDocument } from '../../documents/document.ts'
import { normalizeRelativePath } from '../../documents/relative-path.ts'
import { DISABLED_FIELDS, PROMPT_FIELDS, REASON_FIELDS } from './skill-fields.ts'
import type { ReadEntry } from './read-entry.ts'
import type { SkillEntry, SkillFile } from './skill-entry.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import type { EvalCase, FixtureFile, WorkspaceFile } from '../suite.ts'

/** What evals and trigger queries have in common. */
export function commonPart(
  read: ReadEntry,
  promptField: (typeof PROMPT_FIELDS)[number],
): Omit<EvalCase, 'at' | 'checks' | 'criteria' | 'id' | 'name'> {
  const { entry, document, shared, subject, owner } = read
  const skipped = whyDisabled(read)
  const other = subject === null || subject.dir === owner.dir ? null : subject
  return {
    description: entry.description ?? null,
    target:
      subject === null
        ? null
        : { kind: 'skill', name: subject.name, ...(subject.alias !== undefined && { alias: subject.alias }) },
    prompt: withPrefix(entry, entry[promptField] ?? ''),
    files: namedFiles(read),
    workspaceFiles: inlineFiles(read),
    tags: read.tags,
    category: entry.category ?? null,
    timeout: entry.timeout ?? shared.timeout ?? null,
    promptAt: document.positionOf([promptField]),
    ...(other === null ? {} : { skill: other }),
    ...(skipped === null ? {} : { skipped }),
    ...(read.contradiction === null
      ? {}
      : { broken: `${read.contradiction.field} ${read.contradiction.message} (line ${read.contradiction.line}).` }),
  }
}

function whyDisabled({ entry, shared }: ReadEntry): string | null {
  const reason = REASON_FIELDS.map((field) => entry[field]).find((text) => text !== undefined)
  const field = DISABLED_FIELDS.find((name) => isOff(name, entry[name]))
  const value = field === undefined ? shared.disabled : entry[field]
  if (field === undefined && (value === undefined || value === false || value === ''))
    return entry.turns?.reason ?? null
  return reason ?? (typeof value === 'string' ? value : `"${field ?? 'disabled'}" is ${String(value)} in the file`)
}

/** Remarks on reasons of a case that is not disabled, and on a second reason. */
export function unusedReasons(read: ReadEntry): readonly Issue[] {
  const skipped = whyDisabled(read)
  const unused = [...DISABLED_FIELDS, ...REASON_FIELDS].filter((field) => {
    const text = read.entry[field]
    return typeof text === 'string' && text !== skipped
  })
  const message = `has no effect: ${skipped === null ? 'the case is not disabled' : 'another reason is shown'}`
  return unused.map((field) => noEffectAt(read.document, [field], message))
}

function isOff(field: string, value: boolean | string | undefined): boolean {
  if (field === 'enabled') return value === false
  return value === true || (typeof value === 'string' && value !== '')
}

/** The field that holds what the agent is asked. */
export function promptFieldOf(entry: SkillEntry): (typeof PROMPT_FIELDS)[number] | null {
  return PROMPT_FIELDS.find((field) => entry[field] !== undefined) ?? null
}

/** The mistake of an entry that asks nothing; `field` is the one that its format calls it by. */
export function missingPrompt({ document }: Pick<ReadEntry, 'document'>, field: 'prompt' | 'query'): Issue {
  return errorAt(document, [field], 'missing-field', 'missing; expected a string, the prompt of the agent')
}

/** Remarks on prompts that are never sent, since another field of the entry is. */
export function unsentPrompts({ entry, document }: Pick<ReadEntry, 'document' | 'entry'>): readonly Issue[] {
  const [sent, ...others] = PROMPT_FIELDS.filter((field) => entry[field] !== undefined)
  return others
    .filter((field) => sent !== undefined && entry[field] !== entry[sent])
    .map((field) => noEffectAt(document, [field], `has no effect, because there is "${sent}"`))
}

/** A state that the conversation is in, before the prompt. */
function withPrefix({ state_prefix: prefix }: SkillEntry, prompt: string): string {
  return prefix === undefined || prefix === '' ? prompt : `${prefix}\n\n${prompt}`
}

/** Fixtures as named; they are looked for later. */
function namedFiles({ entry, document }: ReadEntry): readonly FixtureFile[] {
  return listFiles(entry).flatMap(({ file, key }) => {
    if (typeof file !== 'string') return []
    const to = normalizeRelativePath(file)
    return [{ from: to, to, ...placeOf(document, key) }]
  })
}

/** Files whose content is in the entry itself. */
function inlineFiles({ entry, document }: ReadEntry): readonly WorkspaceFile[] {
  return listFiles(entry).flatMap(({ file, key }) => {
    if (typeof file === 'string') return []
    return [{ to: normalizeRelativePath(file.path), from: null, content: file.content, ...placeOf(document, key) }]
  })
}

interface ListedFile {
  readonly file: SkillFile
  readonly key: number | string
}

function listFiles({ files = [] }: SkillEntry): readonly ListedFile[] {
  if (Array.isArray(files)) return (files as readonly SkillFile[]).map((file, key) => ({ file, key }))
  return Object.entries(files as Readonly<Record<string, string>>).map(([path, content]) => {
    return { file: { path, content }, key: path }
  })
}

function placeOf(document: ReadDocument, key: number | string): { readonly at: Position; readonly field: string } {
  const path = ['files', key]
  return { at: document.positionOf(path), field: fieldAt(document, path) }
}
