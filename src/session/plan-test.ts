import { NOTHING_ASKED, planCase } from './plan-case.ts'
import { toPathSegment } from '../suites/path-segment.ts'
import type { PlannedCase } from '../report/result.ts'
import type { RunSettings } from '../run-settings.ts'
import type { Position } from '../suites/issue.ts'
import type { Suite } from '../suites/suite.ts'

/** A file of tests in TypeScript: all that is known of it before it has run. */
export type TestFile = Pick<Suite, 'config' | 'file' | 'packageRoot'>

/** A test of such a file. */
export interface NamedTest {
  /** With the names of its describe blocks. */
  readonly name: string
  readonly at: Position
}

/** What is planned for a test in TypeScript: its file says nothing more before it runs. */
export function planTest(
  { config, file, packageRoot }: TestFile,
  { name, at }: NamedTest,
  settings: Pick<RunSettings, 'engine' | 'root'>,
): PlannedCase {
  const suite = { config, file, packageRoot, format: 'typescript' } as const
  return { ...planCase(suite, { ...NOTHING_ASKED, id: toPathSegment(name), name, at }, settings), asked: [] }
}
