import type { Issue } from '../../documents/issue.ts'
import type { TestSuite } from '../../suites/tests/test-suite.ts'

/** Warnings for free tests that expect nothing: they pass whatever is printed. The format of hooks has its own. */
export function findEmptyTests({ cases, file }: TestSuite): readonly Issue[] {
  return cases
    .filter(({ assertions, kind }) => assertions.length === 0 && kind !== 'hook')
    .map(({ at }) => {
      const message = 'no expectations: any output passes'
      return { code: 'no-expectations', severity: 'warning', file, field: 'expected', message, ...at }
    })
}
