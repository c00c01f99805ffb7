import { dirname, join } from 'node:path'
import { z } from 'zod'
import { documentAt, valueAt } from '../../../documents/document.ts'
import { readDocument } from '../../../documents/read-document.ts'
import { validate } from '../../../documents/validate.ts'
import { tryReadText } from '../../../files.ts'
import { packageRootOf } from '../../../packages/package-root.ts'
import { normalise, ROLE_NAMES, type FieldsOption, type SettledFields } from './vocabulary.ts'
import type { Issue } from '../../../documents/issue.ts'

/** `fields` of an eval-config.json and of the plugin's options. */
export const fieldsSchema: z.ZodType<FieldsOption> = z.record(z.string().min(1), z.enum(ROLE_NAMES))

/** The configurations that may settle names of a suite file: that of its package, and that of its own folder. */
export function fieldConfigs(file: string, root: string): readonly string[] {
  const folders = [join(packageRootOf(file, root), 'evals'), dirname(file)]
  return [...new Set(folders)].map((folder) => join(folder, 'eval-config.json'))
}

/** Roles that an author has settled for a suite file, and what is wrong with them. */
export interface Settled {
  readonly settled: SettledFields
  readonly issues: readonly Issue[]
}

/** Reads `fields` of configurations, the nearest last, over those of the plugin's options. */
export function readSettled(configs: readonly string[], option: FieldsOption = {}): Settled {
  const read = configs.map(readFieldsOf)
  const all = [option, ...read.map(({ fields }) => fields)].flatMap((fields) => Object.entries(fields))
  return {
    settled: new Map(all.map(([name, role]) => [normalise(name), role])),
    issues: read.flatMap(({ issues }) => issues),
  }
}

function readFieldsOf(file: string): { readonly fields: FieldsOption; readonly issues: readonly Issue[] } {
  const text = tryReadText(file)
  // Other tools have files of this name too.
  if (text?.includes('"fields"') !== true) return NONE
  const document = readDocument(text, { kind: 'json', file, what: 'configuration' })
  if (document.issues.length === 0 && valueAt(document.value, 'fields') === undefined) return NONE
  const { value, issues } = validate(documentAt(document, ['fields']), fieldsSchema)
  return { fields: value ?? {}, issues }
}

const NONE = { fields: {}, issues: [] }
