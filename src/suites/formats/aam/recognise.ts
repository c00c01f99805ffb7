import { basename, dirname, extname, join } from 'node:path'
import { readDocument } from '../../../documents/read-document.ts'
import { openTrackedFs } from '../../../documents/tracked-fs.ts'
import { readText } from '../../../documents/read-text.ts'
import { looksLikeAamCase } from './aam-schema.ts'
import { MANIFEST_NAMES, PLUGIN_FILE } from '../../../packages/manifest-names.ts'
import { NEVER_SUITE_FOLDERS } from '../../skills/never-suite.ts'

/** Whether a path, relative to the Vitest root, is one at which a case may lie. */
export function isAamPlace(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  if (folders.some((folder) => NEVER_SUITE_FOLDERS.includes(folder))) return false
  return folders.at(-1) === 'cases' && folders.at(-2) === 'evals' && EXTENSIONS.has(extname(path))
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml'])

/**
 * Whether a file at a suite's place is a suite. Beside a file of the format it is one, mistakes included;
 * elsewhere only when it reads like one: other tools keep their own files in folders of these names.
 */
export async function isAamCase(file: string): Promise<boolean> {
  if (isBesideOurs(file)) return true
  const { text } = await readText(file)
  if (text === null) return false
  const document = readDocument(text, { kind: 'yaml', file })
  return looksLikeAamCase(document.value)
}

// Whether the folders around a file say that it is ours.
function isBesideOurs(file: string): boolean {
  const cases = dirname(file)
  const evals = dirname(cases)
  if (basename(cases) !== 'cases' || basename(evals) !== 'evals') return false
  const fs = openTrackedFs()
  const has = (folder: string, names: readonly string[]): boolean =>
    names.some((name) => fs.look(join(folder, name)) !== null)
  if (has(evals, ['eval-config.json'])) return true
  // Another tool's own file beside the folder: its cases are its own.
  if (has(evals, FOREIGN_CONFIGS)) return false
  return has(join(evals, '..'), [...MANIFEST_NAMES, PLUGIN_FILE, 'SKILL.md'])
}

const FOREIGN_CONFIGS: readonly string[] = ['eval.yaml', 'eval.yml', 'evals.yaml', 'evals.yml']
