import { existsSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { readDocument } from '../lib/documents/read-document.ts'
import { readText } from '../lib/documents/read-text.ts'
import { isJsonObject } from '../lib/json.ts'
import { MANIFEST_NAMES, PLUGIN_FILE, PROJECT_FOLDER } from '../packages/package-root.ts'
import type { TestFormat } from './free-tests/test-suite.ts'
import { NEVER_SUITE_FOLDERS } from './paths.ts'

/** Whether a path, relative to the Vitest root, is one at which a case may lie. */
export function isAamPlace(path: string): boolean {
  const folders = path.split('/').slice(0, -1)
  if (folders.some((folder) => NEVER_SUITE_FOLDERS.includes(folder))) return false
  return folders.at(-1) === 'cases' && folders.at(-2) === 'evals' && EXTENSIONS.has(extname(path))
}

const EXTENSIONS: ReadonlySet<string> = new Set(['.yaml', '.yml'])

/** The place of a file of free tests. */
export interface TestFolders {
  readonly format: TestFormat
  /** Absolute path of `tests/`. */
  readonly testsDir: string
  /** Absolute path of the part that is tested: the skill's folder, `hooks/` or `commands/`. */
  readonly partDir: string
  /** Absolute path of the package. */
  readonly packageRoot: string
}

/** Where free tests may lie below a Vitest root. */
export const TEST_GLOBS: readonly string[] = [
  '**/skills/*/tests/cases/*.{yaml,yml}',
  '**/hooks/tests/cases/*.{yaml,yml}',
  '**/commands/tests/cases/*.{yaml,yml}',
]

/** The place of a file of free tests by its path alone; `null` when no such file may be there. */
export function testFoldersOf(file: string): TestFolders | null {
  const path = file.replaceAll('\\', '/')
  if (!/\/tests\/cases\/[^/]+\.ya?ml$/.test(path)) return null
  const testsDir = dirname(dirname(path))
  const partDir = dirname(testsDir)
  // A skill may be called as it likes.
  if (
    dirname(partDir)
      .split('/')
      .some((folder) => NEVER_SUITE_FOLDERS.includes(folder))
  )
    return null
  if (basename(dirname(partDir)) === 'skills') {
    return { format: 'skill-test', testsDir, partDir, packageRoot: packageAround(dirname(partDir)) }
  }
  const format = FORMATS[basename(partDir)]
  return format === undefined ? null : { format, testsDir, partDir, packageRoot: packageAround(partDir) }
}

// What is below `.claude` is part of the project around it.
function packageAround(partsDir: string): string {
  const folder = dirname(partsDir)
  return basename(folder) === PROJECT_FOLDER ? dirname(folder) : folder
}

const FORMATS: Readonly<Record<string, TestFormat | undefined>> = { commands: 'command-test', hooks: 'hook-test' }

/**
 * Whether a file at such a place is one of free tests. Beside a file of the format it is one, mistakes included;
 * elsewhere only when it reads like one: other tools keep their own files in folders of these names.
 */
export async function isOurTest(file: string): Promise<boolean> {
  const folders = testFoldersOf(file)
  if (folders === null) return false
  if (markersOf(folders).some((marker) => existsSync(marker))) return true
  const { text } = await readText(file)
  if (text === null) return false
  return looksLikeTest(readDocument(text, { kind: 'yaml', file }).value, folders.format)
}

function markersOf({ format, testsDir, partDir, packageRoot }: TestFolders): readonly string[] {
  const marker = format === 'skill-test' ? 'SKILL.md' : format === 'hook-test' ? 'hooks.json' : null
  return [
    join(testsDir, 'test-config.json'),
    ...(marker === null ? [] : [join(partDir, marker)]),
    ...[...MANIFEST_NAMES, PLUGIN_FILE].map((name) => join(packageRoot, name)),
  ]
}

function looksLikeTest(value: unknown, format: TestFormat): boolean {
  if (!isJsonObject(value) || typeof value['name'] !== 'string') return false
  if (format === 'hook-test') return typeof value['event'] === 'string'
  return isJsonObject(value['input']) && typeof value['input']['command'] === 'string'
}
