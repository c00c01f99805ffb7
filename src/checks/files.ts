import type { FileChanges } from '../transcript/transcript.ts'
import type { CheckKind, TextFields } from './check.ts'
import { listOf, pathSchema } from './schemas.ts'
import { findNearestPath, isListed, isPathBelow, isUnchanged } from './file-facts.ts'

/** Whether the run has left a file at a path: created, or changed where there was one. */
export const fileExists: CheckKind<TextFields> = {
  run({ value }, { run: { files } }) {
    const path = value.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '')
    const written = [...files.created, ...files.modified].map((file) => file.path)
    const fact = isListed(path, [...files.created, ...files.modified], files)
    if (fact.is === 'yes') return { outcome: 'passed' }

    const nearest = findNearestPath(path, written)
    const instead = nearest === null ? '' : `; ${nearest} was`
    const what = files.deleted.includes(path) ? 'it was deleted' : `it was neither created nor changed${instead}`
    const message = `expected ${value} to exist but ${fact.is === 'no' ? what : `that is unknown: ${fact.because}`}`
    const actual = written.length === 0 ? '(no file was written)' : written.slice(0, 50).join('\n')
    return { outcome: fact.is === 'no' ? 'failed' : 'errored', message, expected: value, actual }
  },
  describe: ({ value }) => `${value} exists.`,
  needsOutput: true,
}

/** Whether a file that was there before, or all below a folder, is as it was. */
export const fileUnchanged: CheckKind<TextFields> = {
  run({ value }, { run: { files } }) {
    const fact = isUnchanged(value, files)
    if (fact.is === 'yes') return { outcome: 'passed' }
    const expected = `expected the fixture ${value} to stay as it was but`
    if (fact.is === 'unknown') return { outcome: 'errored', message: `${expected} that is unknown: ${fact.because}` }
    const modified = files.modified.map((file) => file.path).find((file) => isPathBelow(file, value))
    const deleted = files.deleted.find((file) => isPathBelow(file, value))
    const what = modified === undefined ? `${deleted} was deleted` : `${modified} was changed`
    return { outcome: 'failed', message: `${expected} ${what}` }
  },
  describe: ({ value }) => `${value} is unchanged.`,
}

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
