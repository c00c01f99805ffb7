import { basename, dirname, join } from 'node:path'
import { readDocument } from '../../lib/documents/read-document.ts'
import { openTrackedFs, readText } from '../../lib/documents/read-text.ts'
import { MANIFEST_NAMES, PLUGIN_FILE } from '../../packages/package-root.ts'
import { findLists, readsLikeEntry } from '../skill-evals/container.ts'
import { NOTHING_SETTLED, type SettledFields } from '../skill-evals/vocabulary.ts'
import { looksLikeAamCase } from './aam-schema.ts'

/**
 * Whether a file at a suite's place is a suite. Beside a file of the format it is one, mistakes included, but for a list
 * of evals; elsewhere only when it reads like one: other tools keep their own files in folders of these names.
 */
export async function isAamCase(file: string): Promise<boolean> {
  const { text } = await readText(file)
  const value = text === null ? undefined : readDocument(text, { kind: 'yaml', file }).value
  return isBesideOurs(file) ? !isEvalList(value, NOTHING_SETTLED) : looksLikeAamCase(value)
}

/** Whether a file in a folder of cases is a list of evals of skills instead. */
export function isEvalList(value: unknown, settled: SettledFields): boolean {
  if (typeof value !== 'object' || value === null) return false
  const isEval = (entry: unknown): boolean => readsLikeEntry(entry, settled) && !looksLikeAamCase(entry)
  return findLists(value, settled).some(({ list }) => list.some(isEval))
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
