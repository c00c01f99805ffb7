import type { z } from 'zod'
import { isError, type Issue, type ReadDocument } from '../../lib/documents/document.ts'
import { validate, type Validated } from '../../lib/documents/validate.ts'

/** Checks a document as Claude Code does, which refuses unknown fields where a schema is strict. */
export function validateStrictly<T>(document: ReadDocument, schema: z.ZodType<T>): Validated<T> {
  const { value, issues } = validate(document, schema)
  const strict = issues.map(({ noEffect, ...one }): Issue =>
    one.code === 'unknown-field' && noEffect === true
      ? { ...one, severity: 'error', message: 'unknown field. Claude Code refuses it; remove it' }
      : { ...one, ...(noEffect === undefined ? {} : { noEffect }) },
  )
  return { value: strict.some(isError) ? null : value, issues: strict }
}
