import { isListed } from './file-facts.ts'
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
  const path = value.replace(/^(?:\.\/)+/, '').replace(/(?<!\/)\/+$/, '')
  const written = [...files.created, ...files.modified].map((file) => file.path)
  const fact = isListed(path, [...files.created, ...files.modified], files)
  if (fact.is === 'yes') return { kind, value, at, outcome: 'passed', message: '' }

  const nearest = findNearestPath(path, written)
  const instead = nearest === null ? '' : `; ${nearest} was`
  const what = files.deleted.includes(path) ? 'it was deleted' : `it was neither created nor changed${instead}`
  const message = `expected ${value} to exist but ${fact.is === 'no' ? what : `that is unknown: ${fact.because}`}`
  const actual = written.length === 0 ? '(no file was written)' : written.slice(0, 50).join('\n')
  return { kind, value, at, outcome: fact.is === 'no' ? 'failed' : 'errored', message, expected: value, actual }
}
