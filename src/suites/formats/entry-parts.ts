import type { ReadEntry } from './read-entry.ts'
import { errorAt, formatField, warningAt } from '../../documents/document.ts'
import { PROMPT_FIELDS } from './skill-entry.ts'
import type { ReadDocument } from '../../documents/document.ts'
import type { SkillEntry } from './skill-entry.ts'
import type { Issue, Position } from '../../documents/issue.ts'
import { normalizeRelativePath } from '../../documents/relative-path.ts'
import type { FixtureFile, WorkspaceFile } from '../suite.ts'

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

export function placeOf(document: ReadDocument, index: number): { readonly at: Position; readonly field: string } {
  const path = ['files', index]
  return { at: document.positionOf(path), field: formatField([...document.path, ...path]) }
}
