import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { readDocument } from '../documents/read-document.ts'
import { readText } from '../documents/read-text.ts'
import { looksLikeAamCase } from './formats/aam-schema.ts'
import { MANIFEST_NAMES, PLUGIN_FILE } from '../packages/manifest-names.ts'

/** Folders that never hold a suite, wherever they are. */
export const NEVER_SUITE_FOLDERS: readonly string[] = [
  '.git',
  'baselines',
  'node_modules',
  'recordings',
  'reports',
  'results',
  'runs',
  'scenarios',
]

/** Folders below a folder of evals that never hold a suite, though what is in them may look like one. */
export const NEVER_BELOW_EVALS: readonly string[] = ['benchmark', 'fixtures', 'mocks', 'schemas', 'workspace']

/** Whether a path, relative to the Vitest root, is one at which a suite may lie. */
export function isSuitePlace(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  if (folders.some((folder) => NEVER_SUITE_FOLDERS.includes(folder))) return false
  return folders.at(-1) === 'cases' && folders.at(-2) === 'evals' && EXTENSIONS.has(extname(path))
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml'])

/**
 * Whether a file at a suite's place is a suite. Beside a file of the format it is one, mistakes included;
 * elsewhere only when it reads like one: other tools keep their own files in folders of these names.
 */
export async function isOurs(file: string): Promise<boolean> {
  if (isBesideOurs(file)) return true
  const { text } = await readText(file)
  if (text === null) return false
  const document = readDocument(text, { kind: 'yaml', file })
  return looksLikeAamCase(document.value)
}

/** Whether the folders around a file say that it is ours. */
export function isBesideOurs(file: string): boolean {
  const cases = dirname(file)
  const evals = dirname(cases)
  if (basename(cases) !== 'cases' || basename(evals) !== 'evals') return false
  const markers = [
    join(evals, 'eval-config.json'),
    ...[...MANIFEST_NAMES, PLUGIN_FILE, 'SKILL.md'].map((name) => join(evals, '..', name)),
  ]
  return markers.some((marker) => existsSync(marker))
}
