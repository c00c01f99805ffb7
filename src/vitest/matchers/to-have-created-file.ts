import { noteCheck } from './note-check.ts'
import { expectation, listed, requireRun, type MatcherResult, type MatcherState } from './received.ts'

/** Passes when the run created a regular file at this path of its workspace. */
export function toHaveCreatedFile(this: MatcherState, received: unknown, path: string): MatcherResult {
  const { files } = requireRun(received, 'toHaveCreatedFile')
  const created = files.created.map((file) => file.path)
  return noteCheck(this, received, 'toHaveCreatedFile', path, {
    pass: created.includes(normalise(path)),
    message: () => expectation(this, `have created ${path}`) + listed('Created files', created),
  })
}

/** Passes when the run changed the content of a file that was there before. */
export function toHaveModifiedFile(this: MatcherState, received: unknown, path: string): MatcherResult {
  const { files } = requireRun(received, 'toHaveModifiedFile')
  const modified = files.modified.map((file) => file.path)
  return noteCheck(this, received, 'toHaveModifiedFile', path, {
    pass: modified.includes(normalise(path)),
    message: () => expectation(this, `have modified ${path}`) + listed('Modified files', modified),
  })
}

function normalise(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}
