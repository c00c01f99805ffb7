import { isListed } from './file-facts.ts'
import { findNearestPath } from './nearest-path.ts'
import type { CheckKind, TextFields } from './check.ts'

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
