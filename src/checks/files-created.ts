import { isListed } from './file-facts.ts'
import { findNearestPath } from './nearest-path.ts'
import { listOf, pathSchema } from './schemas.ts'
import type { CheckKind, TextFields } from './check.ts'
import type { FileChanges } from '../transcript/agent-run.ts'

/** Whether the run created a regular file at a path, or any below it when the path is a folder. */
export const filesCreated: CheckKind<TextFields> = {
  schema: (zod) =>
    listOf(zod, pathSchema(zod)).describe('Files that the agent must create; a folder means any file below it.'),
  run({ value }, { run: { files } }) {
    const miss = describeMiss(value, files)
    if (miss === null) return { outcome: 'passed' }

    const unseen = describeUnseen(value, files)
    const created = files.created.map((file) => file.path)
    const actual = created.length === 0 ? '(no file was created)' : created.slice(0, 50).join('\n')
    const message = `expected ${value} to be created but ${unseen ?? miss}`
    return { outcome: unseen === null ? 'failed' : 'errored', message, expected: value, actual }
  },
  describe: ({ value }) => `${value} is created.`,
  needsOutput: true,
}

// What the walk could not read may be what was asked for: that is missing evidence, not a failure. A link is no file.
function describeUnseen(value: string, { created, unreadable }: FileChanges): string | null {
  const fact = isListed(normalise(value), created, { unreadable: unreadable.filter(({ kind }) => kind !== 'other') })
  return fact.is === 'unknown' ? `that is unknown: ${fact.because}` : null
}

function describeMiss(value: string, files: FileChanges): string | null {
  const asFolder = value.endsWith('/')
  const path = normalise(value)
  const created = files.created.map((file) => file.path)
  if (created.some((file) => (file === path && !asFolder) || isBelow(file, path))) return null

  const unreadable = files.unreadable.find((entry) => entry.path === path || isBelow(path, entry.path))
  if (unreadable !== undefined) {
    const [subject, what] = unreadable.path === path ? ['it', 'file'] : [unreadable.path, 'folder']
    return `${subject} exists but is not a regular ${what}: it ${unreadable.reason}`
  }
  if (created.includes(path)) return 'it is a file, not a folder'
  if (files.modified.some((file) => file.path === path)) return 'it existed before and was modified, not created'
  if (files.deleted.includes(path)) return 'it existed before and was deleted'
  const below = files.modified.find((file) => isBelow(file.path, path))
  if (below !== undefined) return `only existing files below it were modified, such as ${below.path}`

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
