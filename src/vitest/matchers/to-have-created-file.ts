import { AgentEvalsError } from '../../errors.ts'
import { isListed } from '../../checks/file-facts.ts'
import { noteCheck } from './note-check.ts'
import { expectation, listed, requireRun, type MatcherResult, type MatcherState } from './received.ts'
import type { FileChanges } from '../../transcript/agent-run.ts'

/** Passes when the run created a regular file at this path of its workspace. */
export function toHaveCreatedFile(this: MatcherState, received: unknown, path: string): MatcherResult {
  const { files } = requireRun(received, 'toHaveCreatedFile')
  const created = files.created.map((file) => file.path)
  return noteCheck(this, received, 'toHaveCreatedFile', path, {
    pass: isThere(files.created, files, path, this),
    message: () => expectation(this, `have created ${path}`) + listed('Created files', created),
  })
}

/** Passes when the run changed the content of a file that was there before. */
export function toHaveModifiedFile(this: MatcherState, received: unknown, path: string): MatcherResult {
  const { files } = requireRun(received, 'toHaveModifiedFile')
  const modified = files.modified.map((file) => file.path)
  return noteCheck(this, received, 'toHaveModifiedFile', path, {
    pass: isThere(files.modified, files, path, this),
    message: () => expectation(this, `have modified ${path}`) + listed('Modified files', modified),
  })
}

// A link is no regular file: what was asked for is not there, and what was forbidden may be.
function isThere(
  candidates: FileChanges['created'],
  files: FileChanges,
  path: string,
  { isNot }: MatcherState,
): boolean {
  const wanted = normalise(path)
  if (candidates.some((file) => file.path === wanted)) return true
  const unreadable = files.unreadable.filter(({ kind }) => kind !== 'other' || isNot === true)
  const fact = isListed(wanted, [], { unreadable })
  if (fact.is === 'unknown')
    throw new AgentEvalsError('workspace-failed', `It is unknown whether the run wrote ${path}: ${fact.because}.`)
  return false
}

function normalise(path: string): string {
  return path.replaceAll('\\', '/').replace(/^(?:\.\/)+/, '')
}
