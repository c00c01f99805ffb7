import { findNearestPath } from './nearest-path.ts'
import type { AgentRun, FileChanges } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether the run created a regular file at a path, or any below it when the path is a folder. */
export function checkFilesCreated(declared: Declared<'files-created'>, run: AgentRun): CheckResult {
  const { kind, value, at } = declared
  const miss = describeMiss(value, run.files)
  if (miss === null) return { kind, value, at, outcome: 'passed', message: '' }

  const created = run.files.created.map((file) => file.path)
  const actual = created.length === 0 ? '(no file was created)' : created.slice(0, 50).join('\n')
  return { kind, value, at, outcome: 'failed', message: `expected ${value} to be created but ${miss}`, expected: value, actual }
}

function describeMiss(value: string, files: FileChanges): string | null {
  const asFolder = value.endsWith('/')
  const path = normalise(value)
  const created = files.created.map((file) => file.path)
  if (created.some((file) => (file === path && !asFolder) || isBelow(file, path))) return null

  const unreadable = files.unreadable.find((entry) => entry.path === path || isBelow(path, entry.path))
  if (unreadable !== undefined) {
    const subject = unreadable.path === path ? 'it' : unreadable.path
    const what = unreadable.path === path ? 'file' : 'folder'
    return `${subject} exists but is not a regular ${what} (${unreadable.reason})`
  }
  if (created.includes(path)) return 'it is a file, not a folder'
  if (files.modified.some((file) => file.path === path)) return 'it existed before and was modified, not created'
  if (files.deleted.includes(path)) return 'it existed before and was deleted'
  const below = files.modified.find((file) => isBelow(file.path, path))
  if (below !== undefined) return `below it only files that existed before were modified, such as ${below.path}`

  if (created.length === 0) return 'no file was created'
  const nearest = findNearestPath(path, created)
  return nearest === null ? 'it was not' : `it was not; ${nearest} was`
}

function isBelow(file: string, folder: string): boolean {
  return folder === '' || file.startsWith(`${folder}/`)
}

function normalise(path: string): string {
  return path
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.')
    .join('/')
}
