import { errorAt, type ReadDocument } from '../../../documents/document.ts'
import type { Issue } from '../../../documents/issue.ts'
import type { EvalCase } from '../../suite.ts'
import type { EntryCase } from './entry-case.ts'
import type { EntryPlace } from './skill-container.ts'

/** Numbers the cases of one name, which would look alike in a terminal. */
export function withOwnNames(cases: readonly EvalCase[]): readonly EvalCase[] {
  const seen = new Map<string, number>()
  return cases.map((evalCase) => {
    const count = (seen.get(evalCase.name) ?? 0) + 1
    seen.set(evalCase.name, count)
    return count === 1 ? evalCase : { ...evalCase, name: `${evalCase.name} (${count})` }
  })
}

/** Errors for cases of one id. Ids name folders, and some disks ignore case. */
export function findDuplicates(
  read: readonly EntryCase[],
  places: readonly EntryPlace[],
  document: ReadDocument,
): readonly Issue[] {
  const first = new Map<string, EvalCase>()
  return read.flatMap(({ evalCase }, index) => {
    if (evalCase === null) return []
    const key = evalCase.id.toLowerCase()
    const other = first.get(key)
    first.set(key, other ?? evalCase)
    if (other === undefined) return []
    const what = evalCase.trigger === undefined ? `the id ${JSON.stringify(evalCase.id)}` : 'this query'
    const message = `${what} is also at line ${other.at.line}; ${evalCase.trigger === undefined ? 'rename' : 'remove'} one`
    const path = [...(places[index]?.path ?? []), evalCase.trigger === undefined ? 'id' : 'query']
    return [{ ...errorAt(document, path, 'duplicate-name', message), ...evalCase.at }]
  })
}
