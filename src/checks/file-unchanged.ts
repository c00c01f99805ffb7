import { isUnchanged } from './file-facts.ts'
import { isPathBelow } from './nearest-path.ts'
import type { CheckKind, TextFields } from './check.ts'

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
