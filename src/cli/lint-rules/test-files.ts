import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { Issue } from '../../documents/issue.ts'
import type { TestSuite } from '../../suites/tests/test-suite.ts'

/** Errors for files that a skill's free test needs and that are not there. */
export function findMissingTestFiles({ cases, file, partDir }: TestSuite): readonly Issue[] {
  const isThere = (path: string): boolean => lstatSync(join(partDir, path), { throwIfNoEntry: false }) !== undefined
  return cases.flatMap((test) => {
    if (test.kind !== 'skill') return []
    return test.files.flatMap(({ path, at }, index): readonly Issue[] => {
      if (isThere(path)) return []
      const hint = isThere(`tests/${path}`) ? `; write "tests/${path}"` : ''
      const message = `${path} does not exist below the skill's folder${hint}`
      return [{ code: 'file-missing', severity: 'error', file, field: `input.files.${index}`, message, ...at }]
    })
  })
}
