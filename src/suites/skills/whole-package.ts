import { dirname, join } from 'node:path'
import { valueAt } from '../../documents/document.ts'
import { foldersUpTo, tryReadText } from '../../files.ts'
import { tryParseJson } from '../../json.ts'
import { MANIFEST_NAMES, MARKETPLACE_FILE, PLUGIN_FOLDERS } from '../../packages/manifest-names.ts'
import { findLists } from '../formats/skill-evals/skill-lists.ts'
import { snakeCase } from '../formats/skill-evals/fields/snake-case.ts'
import { ELEMENT_FIELDS } from '../formats/skill-evals/fields/skill-fields.ts'
import { partsOf } from './skill-index.ts'
import type { CandidateFile } from './suite-files.ts'

/**
 * Whether the evals of a file are about all skills of a package: it names none, or the package itself, and lists what is
 * expected. A single answer to each question may be data for another program.
 */
export function isOfWholePackage({ file, value }: CandidateFile, names: readonly string[], root: string): boolean {
  if (!partsOf(root, dirname(file)).some((part) => part === 'evals' || part === 'eval')) return false
  const [name] = names
  return listsExpectations(value) && (name === undefined || packageNames(file, root).has(name))
}

function listsExpectations(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return findLists(value).some(({ list }) => Array.isArray(list) && list.some(hasExpectations))
}

function hasExpectations(entry: unknown): boolean {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    (isOfCreator(entry) ||
      Object.entries(entry).some(
        ([key, own]: readonly [string, unknown]) =>
          ELEMENTS.has(snakeCase(key)) && Array.isArray(own) && own.length > 0,
      ))
  )
}

// An entry as the skill creator makes them is no data of another program.
function isOfCreator(entry: object): boolean {
  return typeof valueAt(entry, 'expected_output') === 'string' && Array.isArray(valueAt(entry, 'files'))
}

const ELEMENTS: ReadonlySet<string> = new Set(ELEMENT_FIELDS)

function packageNames(file: string, root: string): ReadonlySet<string> {
  const names = new Set<string>()
  for (const folder of foldersUpTo(root, dirname(file))) {
    for (const manifest of MANIFESTS) {
      const text = tryReadText(join(folder, manifest))
      const name = text === null ? undefined : valueAt(tryParseJson(text), 'name')
      if (typeof name === 'string') names.add(name).add(name.slice(name.lastIndexOf('/') + 1))
    }
  }
  return names
}

const MANIFESTS = [
  ...PLUGIN_FOLDERS.map((folder) => join(folder, 'plugin.json')),
  MARKETPLACE_FILE,
  ...MANIFEST_NAMES,
  'package.json',
]
