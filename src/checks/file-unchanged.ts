import { isUnchanged } from './file-facts.ts'
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
  const fact = isUnchanged(value, files)
  if (fact.is === 'yes') return { kind, value, at, outcome: 'passed', message: '' }
  const expected = `expected the fixture ${value} to stay as it was but`
  if (fact.is === 'unknown')
    return { kind, value, at, outcome: 'errored', message: `${expected} that is unknown: ${fact.because}` }
  const modified = files.modified.map((file) => file.path).find((file) => isPathBelow(file, value))
  const deleted = files.deleted.find((file) => isPathBelow(file, value))
  const what = modified === undefined ? `${deleted} was deleted` : `${modified} was changed`
  return { kind, value, at, outcome: 'failed', message: `${expected} ${what}` }
}
