import { errorAt, noEffectAt } from '../../../documents/document.ts'
import { normalizeRelativePath } from '../../../documents/relative-path.ts'
import { whereIs } from './fields/entry-files.ts'
import { DISABLED_FIELDS, MATERIAL_FIELDS, PROMPT_FIELDS, REASON_FIELDS } from './fields/skill-fields.ts'
import type { ReadEntry } from './entry-case.ts'
import type { SkillEntry, SkillFile } from './skill-entry.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { EvalCase, FixtureFile, WorkspaceFile } from '../../suite.ts'

/** What evals and trigger queries have in common. */
export function commonPart(
  read: ReadEntry,
  promptField: (typeof PROMPT_FIELDS)[number] | null,
): Omit<EvalCase, 'at' | 'checks' | 'criteria' | 'id' | 'name'> {
  const { entry, document, shared, subject, owner } = read
  const skipped = whyDisabled(read)
  const mistake = read.mistake ?? entry.brought?.issues.find(({ severity }) => severity === 'error')
  const other = subject === null || subject.dir === owner.dir ? null : subject
  return {
    description: entry.description ?? null,
    target:
      subject === null
        ? null
        : { kind: 'skill', name: subject.name, ...(subject.alias !== undefined && { alias: subject.alias }) },
    prompt: promptField === null ? '' : withAll(entry, entry[promptField] ?? ''),
    files: [...namedFiles(read), ...(entry.brought?.files ?? [])],
    workspaceFiles: [...inlineFiles(read), ...(entry.brought?.workspaceFiles ?? [])],
    tags: read.tags,
    category: entry.category ?? null,
    timeout: entry.timeout ?? shared.timeout ?? null,
    promptAt: document.positionOf(promptField === null ? [] : [promptField]),
    ...(other === null ? {} : { skill: other }),
    ...(skipped === null ? {} : { skipped }),
    ...(mistake === undefined ? {} : { broken: describeMistake(mistake) }),
  }
}

/** The mistake of a case that alone is errored by it. */
export function describeMistake({ field, message, line }: Pick<Issue, 'field' | 'line' | 'message'>): string {
  return `${field} ${message} (line ${line}).`
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
  const reasons = DISABLING.filter((field) => typeof read.entry[field] === 'string')
  if (reasons.length === 0) return []
  const skipped = whyDisabled(read)
  const unused = reasons.filter((field) => read.entry[field] !== skipped)
  const message = `has no effect: ${skipped === null ? 'the case is not disabled' : 'another reason is shown'}`
  return unused.map((field) => noEffectAt(read.document, [field], message))
}

const DISABLING = [...DISABLED_FIELDS, ...REASON_FIELDS] as const

function isOff(field: string, value: boolean | string | undefined): boolean {
  if (field === 'enabled') return value === false
  return value === true || (typeof value === 'string' && value !== '')
}

/** The field that holds what the agent is asked. */
export function promptFieldOf(entry: SkillEntry): (typeof PROMPT_FIELDS)[number] | null {
  return PROMPT_FIELDS.find((field) => entry[field] !== undefined) ?? null
}

/** The mistake of an entry that asks nothing, which is its own alone. */
export function missingPrompt({ entry, document }: Pick<ReadEntry, 'document' | 'entry'>): Issue | null {
  if (promptFieldOf(entry) !== null) return null
  const message = 'missing; expected a string, the prompt of the agent'
  return { ...errorAt(document, ['prompt'], 'missing-field', message), skips: true }
}

/** Remarks on prompts that are never sent, since another field of the entry is. */
export function unsentPrompts({ entry, document }: Pick<ReadEntry, 'document' | 'entry'>): readonly Issue[] {
  const [sent, ...others] = PROMPT_FIELDS.filter((field) => entry[field] !== undefined)
  return others
    .filter((field) => sent !== undefined && entry[field] !== entry[sent])
    .map((field) => noEffectAt(document, [field], `has no effect, because there is "${sent}"`))
}

/** The prompt after a state that the conversation is in, and before the text that it speaks of. */
function withAll(entry: SkillEntry, prompt: string): string {
  const { before = [], below = [] } = entry.around ?? {}
  const asked = [...before, prompt].join(' ')
  const parts = [entry.state_prefix, asked, ...MATERIAL_FIELDS.map((field) => entry[field]), ...below]
  return parts.filter((part) => part !== undefined && part !== '').join('\n\n')
}

/** Fixtures as named; they are looked for later. */
function namedFiles({ entry, document }: ReadEntry): readonly FixtureFile[] {
  return listFiles(entry).flatMap(({ file, key }) => {
    if (typeof file !== 'string') return []
    const to = normalizeRelativePath(file)
    return [{ from: to, to, ...whereIs(document, ['files', key]) }]
  })
}

/** Files whose content is in the entry itself. */
function inlineFiles({ entry, document }: ReadEntry): readonly WorkspaceFile[] {
  return listFiles(entry).flatMap(({ file, key }) => {
    if (typeof file === 'string') return []
    return [
      { to: normalizeRelativePath(file.path), from: null, content: file.content, ...whereIs(document, ['files', key]) },
    ]
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
