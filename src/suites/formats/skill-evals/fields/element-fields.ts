import { noEffectAt, valueAt, type ReadDocument } from '../../../../documents/document.ts'
import { UNKNOWN } from './unknown-field.ts'
import type { Issue } from '../../../../documents/issue.ts'

/** An expectation that is an object. */
export type ElementFields = Readonly<Record<string, unknown>>

/** A field of an element, and its text. */
export interface TextField {
  readonly field: string
  readonly value: string
}

/** Fields of an element that hold its sentence, in the order in which one is chosen. */
export const TEXT_FIELDS: readonly string[] = [
  'text',
  'assertion',
  'expectation',
  'description',
  'check',
  'criteria',
  'criterion',
  'statement',
  'requirement',
  'pass_if',
  'rubric',
  'question',
  'name',
]

/** The first of the fields that holds a text. */
export function fieldOf(element: ElementFields, fields: readonly string[]): TextField | null {
  for (const field of fields) {
    const value = valueAt(element, field)
    if (typeof value === 'string' && value.trim() !== '') return { field, value }
  }
  return null
}

/** The text of the first of the fields that holds one. */
export function textOf(element: ElementFields, fields: readonly string[]): string | null {
  return fieldOf(element, fields)?.value ?? null
}

/** Remarks on what of an element is neither asked nor checked. */
export function unreadIn(element: ElementFields, document: ReadDocument, read: readonly string[]): readonly Issue[] {
  const unread = Object.keys(element).filter((key) => !read.includes(key) && !key.startsWith('_'))
  return unread.map((key) => noEffectAt(document, [key], UNKNOWN))
}
