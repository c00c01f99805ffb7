import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withMembers } from '../../documents/edit-json.ts'
import { refuseLinks, tryReadText } from '../../files.ts'
import { formatJson } from '../../json.ts'
import { groupBy } from '../../lists.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import { normalise } from '../../suites/formats/skill-evals/vocabulary.ts'
import { replaceFile } from '../../write-atomically.ts'
import type { Issue } from '../../documents/issue.ts'

/** What was written to the configuration of a package, or that it could not be. */
export interface SettledConfig {
  readonly file: string
  /** Roles by the names of fields; `null` where the file is no object of JSON. */
  readonly fields: Readonly<Record<string, string>> | null
}

/** Writes the roles that notes propose to `fields` of each package's eval-config.json, whose other text stays as it is. */
export function settleFields(issues: readonly Issue[], root: string): readonly SettledConfig[] {
  const proposed = issues.flatMap(({ file, proposes }) => (proposes === undefined ? [] : [{ file, ...proposes }]))
  const configs = groupBy(proposed, ({ file }) => join(packageRootOf(file, root), 'evals', 'eval-config.json'))
  return [...configs].map(([file, all]): SettledConfig => {
    const first = new Map<string, readonly [string, string]>()
    for (const { field, role } of all) first.set(normalise(field), first.get(normalise(field)) ?? [field, role])
    const fields = Object.fromEntries(first.values())
    const text = tryReadText(file)
    const edited = text === null ? formatJson({ fields }) : withMembers(text, 'fields', fields)
    if (edited === null) return { file, fields: null }
    refuseLinks(dirname(dirname(file)), file)
    mkdirSync(dirname(file), { recursive: true })
    replaceFile(file, edited)
    return { file, fields }
  })
}
