import { isPathBelow } from './nearest-path.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether a file that was there before, or all below a folder, is as it was. */
export function checkFileUnchanged(
  declared: Declared<'file-exists' | 'file-unchanged'>,
  { files }: AgentRun,
): CheckResult {
  const { kind, value, at } = declared
  const modified = files.modified.map((file) => file.path).find((file) => isPathBelow(file, value))
  const deleted = files.deleted.find((file) => isPathBelow(file, value))
  const unseen = files.unreadable.find(({ path }) => path === '.' || isPathBelow(path, value))
  if (modified === undefined && deleted === undefined) {
    if (unseen === undefined) return { kind, value, at, outcome: 'passed', message: '' }
    const message = `expected the fixture ${value} to stay as it was but that is unknown: it ${unseen.reason}`
    return { kind, value, at, outcome: 'errored', message }
  }
  const what = modified === undefined ? `${deleted} was deleted` : `${modified} was changed`
  return { kind, value, at, outcome: 'failed', message: `expected the fixture ${value} to stay as it was but ${what}` }
}
