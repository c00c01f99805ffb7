import { errorAt, formatField, warningAt, type ReadDocument } from '../../documents/document.ts'
import { normalizeRelativePath } from '../../documents/relative-path.ts'
import { readCommonExpectations, readExpectations } from './expectations.ts'
import { PROMPT_FIELDS, type SkillEntry } from './skill-entry.ts'
import { oneLine } from './one-line.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import type { Criteria, FixtureFile, Statement, WorkspaceFile } from '../suite.ts'
import type { EntryCase, ReadEntry } from './skill-suite.ts'

/** Reads an artifact eval: a prompt, and what has to hold once it is done. */
export function readSkillEval(read: ReadEntry): EntryCase {
  const { entry, document, shared, skill } = read
  const promptField = promptFieldOf(entry)
  if (promptField === null) return { evalCase: null, issues: [missingPrompt(read, 'prompt')] }

  const { id, issues } = idOf(read)
  const own = readExpectations(entry, document)
  const common = readCommonExpectations(shared.common_assertions, read.common)
  const statements = [...own.statements, ...common.statements]
  const checks = [...own.checks, ...common.checks]
  const at = document.positionOf([idField(entry) ?? promptField])
  const isSilent = statements.length + checks.length + own.issues.length + common.issues.length === 0
  const none = isSilent ? [noExpectations(read)] : []
  const title = entry.eval_name ?? entry.name ?? entry.title
  const name = title === undefined || oneLine(title) === id ? id : `${id} ${oneLine(title)}`
  return {
    issues: [...issues, ...unsentPrompts(read), ...own.issues, ...common.issues, ...none],
    evalCase: {
      id,
      name: oneLine(name),
      description: entry.description ?? null,
      target: { kind: 'skill', name: skill.name },
      prompt: withPrefix(entry, entry[promptField] ?? ''),
      files: namedFiles(read),
      workspaceFiles: inlineFiles(read),
      checks,
      criteria: criteriaOf(statements, entry),
      tags: read.tags,
      category: entry.category ?? null,
      timeout: entry.timeout ?? shared.timeout ?? null,
      runs: entry.runs ?? shared.runs ?? null,
      passThreshold: entry.pass_threshold ?? shared.pass_threshold ?? null,
      at,
      promptAt: document.positionOf([promptField]),
    },
  }
}

/** The field that holds what the agent is asked. */
export function promptFieldOf(entry: SkillEntry): (typeof PROMPT_FIELDS)[number] | null {
  return PROMPT_FIELDS.find((field) => entry[field] !== undefined) ?? null
}

/** The mistake of an entry that asks nothing; `field` is the one that its format calls it by. */
export function missingPrompt({ document }: Pick<ReadEntry, 'document'>, field: 'prompt' | 'query'): Issue {
  return errorAt(document, [field], 'missing-field', 'missing; expected a string: it is what the agent is asked')
}

/** Remarks on prompts that are never sent, since another field of the entry is. */
export function unsentPrompts({ entry, document }: Pick<ReadEntry, 'document' | 'entry'>): readonly Issue[] {
  const [sent, ...others] = PROMPT_FIELDS.filter((field) => entry[field] !== undefined)
  return others
    .filter((field) => sent !== undefined && entry[field] !== entry[sent])
    .map((field) =>
      warningAt(document, [field], 'unsent-prompt', `is not sent, since there is "${sent}"; keep one of them`),
    )
}

/** A state that the conversation is in, before the prompt. */
export function withPrefix({ state_prefix: prefix }: SkillEntry, prompt: string): string {
  return prefix === undefined || prefix === '' ? prompt : `${prefix}\n\n${prompt}`
}

/** Fixtures as named; where they lie is looked for later. */
export function namedFiles({ entry, document }: ReadEntry): readonly FixtureFile[] {
  return (entry.files ?? []).flatMap((file, index) => {
    if (typeof file !== 'string') return []
    const to = normalizeRelativePath(file)
    return [{ from: to, to, ...placeOf(document, index) }]
  })
}

/** Files whose content stands in the entry itself. */
export function inlineFiles({ entry, document }: ReadEntry): readonly WorkspaceFile[] {
  return (entry.files ?? []).flatMap((file, index) => {
    if (typeof file === 'string') return []
    return [{ to: normalizeRelativePath(file.path), from: null, content: file.content, ...placeOf(document, index) }]
  })
}

function placeOf(document: ReadDocument, index: number): { readonly at: Position; readonly field: string } {
  const path = ['files', index]
  return { at: document.positionOf(path), field: formatField([...document.path, ...path]) }
}

/** The id as written; without one its number, with a remark. */
function idOf({ entry, document, number }: ReadEntry): { readonly id: string; readonly issues: readonly Issue[] } {
  const written = entry.id ?? entry.eval_id ?? entry.slug ?? entry.eval_name
  if (written !== undefined) return { id: oneLine(String(written)), issues: [] }
  const message = `missing; it is number ${number} of the file until somebody inserts another. Give it a stable id`
  return { id: `eval-${number}`, issues: [warningAt(document, ['id'], 'missing-field', message)] }
}

function idField(entry: SkillEntry): 'eval_id' | 'eval_name' | 'id' | 'slug' | null {
  return (['id', 'eval_id', 'slug', 'eval_name'] as const).find((field) => entry[field] !== undefined) ?? null
}

function criteriaOf(statements: readonly Statement[], entry: SkillEntry): Criteria | null {
  const [first] = statements
  if (first === undefined) return null
  const text = statements.map((statement) => `- ${statement.text}`).join('\n')
  const expectedOutput = entry.expected_output
  return { text, at: first.at, statements, ...(expectedOutput === undefined ? {} : { expectedOutput }) }
}

function noExpectations({ document }: ReadEntry): Issue {
  const message = 'no expectations: nothing says what would be right, so the eval is skipped'
  return warningAt(document, ['expectations'], 'no-expectations', message)
}
