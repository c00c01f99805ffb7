import type { FileChanges } from '../transcript/transcript.ts'
import type { CheckKind, Finding, TextFields } from './check.ts'
import { listOf, pathSchema } from './schemas.ts'
import { findNearestPath, isCreated, isListed, isPathBelow, isUnchanged, type Fact } from './file-facts.ts'

/** Checks that the run has left a file at a path: created, or changed where there was one. */
export const fileExists: CheckKind<TextFields> = {
  run({ value }, { run: { files } }) {
    const path = value.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '')
    const written = [...files.created, ...files.modified]
    const why = files.deleted.includes(path)
      ? 'it was deleted'
      : withNearest('it was neither created nor changed', path, written)
    return decide(isListed(path, written, files), `${value} to exist`, why, {
      expected: value,
      actual: listPaths(written) || '(no file was written)',
    })
  },
  describe: ({ value }) => `${value} exists.`,
  needsOutput: true,
}

/** Checks that the run created a file whose path matches a glob, or none. */
export const globCreated: CheckKind<TextFields & { readonly exists: boolean }> = {
  run({ value, exists }, { run: { files } }) {
    const fact = isCreated(value, files)
    const isRight: Fact = fact.is === 'unknown' ? fact : { is: (fact.is === 'yes') === exists ? 'yes' : 'no' }
    const expected = `${value} ${exists ? '' : 'not '}to be created`
    return decide(isRight, expected, exists ? 'it was not' : 'it was')
  },
  describe: ({ value, exists }) => `${value} is ${exists ? '' : 'not '}created.`,
  needsOutput: true,
}

/** Checks that a file that was there before, or all below a folder, is as it was. */
export const fileUnchanged: CheckKind<TextFields> = {
  run({ value }, { run: { files } }) {
    const modified = files.modified.find(({ path }) => isPathBelow(path, value))
    const deleted = files.deleted.find((path) => isPathBelow(path, value))
    const why = modified === undefined ? `${deleted} was deleted` : `${modified.path} was changed`
    return decide(isUnchanged(value, files), `the fixture ${value} to stay as it was`, why)
  },
  describe: ({ value }) => `${value} is unchanged.`,
}

/** Checks that the run created a regular file at a path, or any below it when the path is a folder. */
export const filesCreated: CheckKind<TextFields> = {
  schema: (zod) =>
    listOf(zod, pathSchema(zod)).describe('Files that the agent must create; a folder means any file below it.'),
  run({ value }, { run: { files } }) {
    const path = value
      .split('/')
      .filter((segment) => segment !== '' && segment !== '.')
      .join('/')
    const fitting = files.created.filter((file) => file.path !== path || !value.endsWith('/'))
    // A link is no file, and what may have changed was there before. What the walk did not see may be what was asked for.
    const unreadable = files.unreadable.filter(({ kind }) => kind === 'hidden')
    return decide(isListed(path, fitting, { unreadable }), `${value} to be created`, whyNotCreated(path, files), {
      expected: value,
      actual: listPaths(files.created) || '(no file was created)',
    })
  },
  describe: ({ value }) => `${value} is created.`,
  needsOutput: true,
}

function whyNotCreated(path: string, { created, modified, unreadable }: FileChanges): string {
  const isAt = (file: { readonly path: string }): boolean => file.path === path
  const other = unreadable.find((entry) => entry.kind !== 'unread' && isPathBelow(path, entry.path))
  if (other !== undefined)
    return `${isAt(other) ? 'it' : other.path} exists but is not a regular ${isAt(other) ? 'file' : 'folder'}: it ${other.reason}`
  if (created.some(isAt)) return 'it is a file, not a folder'
  if (modified.some(isAt)) return 'it existed before and was modified, not created'
  return created.length === 0 ? 'no file was created' : withNearest('it was not', path, created)
}

/** Turns a fact about files into a finding: not to know is no failure. */
function decide(fact: Fact, expected: string, why: string, diff: Pick<Finding, 'actual' | 'expected'> = {}): Finding {
  if (fact.is === 'yes') return { outcome: 'passed' }
  const isUnknown = fact.is === 'unknown'
  const message = `expected ${expected} but ${isUnknown ? `that is unknown: ${fact.because}` : why}`
  return { outcome: isUnknown ? 'errored' : 'failed', message, ...diff }
}

type Files = readonly { readonly path: string }[]

function withNearest(what: string, path: string, files: Files): string {
  const nearest = findNearestPath(
    path,
    files.map((file) => file.path),
  )
  return nearest === null ? what : `${what}; ${nearest} was`
}

function listPaths(files: Files): string {
  return files
    .slice(0, 50)
    .map(({ path }) => path)
    .join('\n')
}
