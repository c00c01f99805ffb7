import { findNearestPath } from './nearest-path.ts'
import type { AgentRun } from '../transcript/agent-run.ts'
import type { CheckResult } from './check.ts'
import type { Declared } from './declared.ts'

/** Whether the run has left a file at a path: created, or changed where there was one. */
export function checkFileExists(
  declared: Declared<'file-exists' | 'file-unchanged'>,
  { files }: AgentRun,
): CheckResult {
  const { kind, value, at } = declared
  const path = value.replace(/^(?:\.\/)+/, '').replace(/\/+$/, '')
  const written = [...files.created, ...files.modified].map((file) => file.path)
  const isThere = written.some((file) => file === path || file.startsWith(`${path}/`))
  if (isThere) return { kind, value, at, outcome: 'passed', message: '' }

  const unseen = files.unreadable.find((file) => file.path === '.' || file.path === path)
  const nearest = findNearestPath(path, written)
  const instead = nearest === null ? '' : `; ${nearest} was`
  const what = files.deleted.includes(path) ? 'it was deleted' : `it was neither created nor changed${instead}`
  const message = `expected ${value} to exist but ${unseen === undefined ? what : `that is unknown: it ${unseen.reason}`}`
  const actual = written.length === 0 ? '(no file was written)' : written.slice(0, 50).join('\n')
  return { kind, value, at, outcome: unseen === undefined ? 'failed' : 'errored', message, expected: value, actual }
}
