import { existsSync } from 'node:fs'
import { basename, join, sep } from 'node:path'
import { valueAt } from '../../lib/documents/document.ts'
import { readFrontMatter } from '../../lib/documents/read-document.ts'
import { readText } from '../../lib/documents/read-text.ts'
import { pathBelow } from '../../packages/package-root.ts'
import { discover, type Discovered } from '../discover.ts'

/** Finds the golden tests of agents below a folder. Links are not followed; an agent among other evals is a fixture. */
export function discoverGolden(root: string): Promise<Discovered> {
  const isOwn = (file: string): boolean => pathBelow(root, file)?.match(/(?:^|\/)evals\//g)?.length === 1
  return discover(root, GOLDEN_GLOBS, async (file) => isOwn(file) && isGoldenTest(file))
}

/** Where golden tests may lie. */
export const GOLDEN_GLOBS: readonly string[] = ['golden', 'regressions'].map((folder) => `**/evals/${folder}/**/*.md`)

/** The folder `evals` of the agent that owns a file at the place of a golden test; `null` for other places. */
export function evalsDirOf(file: string): string | null {
  const parts = file.split(sep)
  const at = parts.findLastIndex((name, index) => name === 'evals' && FOLDERS.has(parts[index + 1] ?? ''))
  const isTest = at > 0 && parts.length > at + 2 && file.endsWith('.md') && basename(file) !== 'README.md'
  return isTest ? parts.slice(0, at + 1).join(sep) : null
}

const FOLDERS: ReadonlySet<string> = new Set(['golden', 'regressions'])

/** Whether a file at such a place is a golden test: beside a rubric or a judge it is, else when it reads like one. */
export async function isGoldenTest(file: string): Promise<boolean> {
  const evalsDir = evalsDirOf(file)
  if (evalsDir === null) return false
  if (['rubric.md', 'judge.md'].some((name) => existsSync(join(evalsDir, name)))) return true
  const { text } = await readText(file)
  const value = text === null ? undefined : readFrontMatter(text, file).document?.value
  return valueAt(value, 'test_id') !== undefined && valueAt(value, 'category') !== undefined
}
