import { noEffectAt, valueAt, type ReadDocument } from '../../../documents/document.ts'
import { knownFields } from '../../../documents/known-fields.ts'
import { isJsonObject } from '../../../json.ts'
import { caseSchema, type WrittenCase } from './schema.ts'
import type { CaseFiles } from './read-case-files.ts'
import type { Issue } from '../../../documents/issue.ts'

/** Remarks on fields that have no effect: those that Claude Code ignores too, and those that need its own account. */
export function unusedFields({ execution }: WrittenCase, { yaml, prompt }: CaseFiles): readonly Issue[] {
  const documents = [yaml, prompt?.front ?? null].filter((one) => one !== null)
  return [
    ...(yaml === null ? [] : [[], ['context'], ['execution']].flatMap((path) => unknownAt(yaml, path))),
    ...ACCOUNT_FIELDS.filter((name) => execution[name] !== undefined).flatMap((name) =>
      documents.flatMap((document) => accountField(document, name)),
    ),
  ]
}

const ACCOUNT_FIELDS = ['artifact_publish', 'growthbook_overrides'] as const

function accountField(document: ReadDocument, name: string): readonly Issue[] {
  const path = [[name], ['execution', name]].find((one) => one.reduce<unknown>(valueAt, document.value) !== undefined)
  return path === undefined
    ? []
    : [noEffectAt(document, path, 'publishing needs an account of claude.ai; it is not done')]
}

function unknownAt(document: ReadDocument, path: readonly string[]): readonly Issue[] {
  const value = path.reduce<unknown>(valueAt, document.value)
  const known = knownFields(caseSchema, path)
  return Object.keys(isJsonObject(value) ? value : {})
    .filter((key) => !known.includes(key))
    .map((key) => noEffectAt(document, [...path, key], 'unknown field. Claude Code ignores it'))
}
