import { NOTHING_ASKED, planCase } from './plan-case.ts'
import { nameOnEngine } from '../../suites/expand-engines.ts'
import { TEST_FORMAT } from '../../suites/formats/typescript/name.ts'
import { toPathSegment } from '../../suites/path-segment.ts'
import { nearest } from '../../settings.ts'
import type { PlannedCase } from '../../results/result.ts'
import type { RunSettings } from '../../settings.ts'
import type { Position } from '../../documents/issue.ts'
import type { Suite } from '../../suites/suite.ts'

/** A file of tests in TypeScript: all that is known of it before it has run. */
export type TestFile = Omit<Suite, 'cases'>

/** A test of such a file. */
export interface NamedTest {
  /** With the names of its describe blocks. */
  readonly name: string
  readonly at: Position
}

/** What is planned for a test in TypeScript: its file says nothing more before it runs. */
export function planTest(
  { config, file, packageRoot }: Pick<TestFile, 'config' | 'file' | 'packageRoot'>,
  { name, at }: NamedTest,
  settings: Pick<RunSettings, 'engine' | 'engineMatrix' | 'root'>,
): PlannedCase {
  const suite = { config, file, packageRoot, format: TEST_FORMAT }
  const engine = enginesOf({ config }, settings).find((one) => name.endsWith(nameOnEngine('', one)))
  const ofEngine = engine === undefined ? {} : { engine, tags: [engine] }
  const bare = engine === undefined ? name : name.slice(0, -nameOnEngine('', engine).length)
  const asked = { ...NOTHING_ASKED, id: toPathSegment(bare), name, at, ...ofEngine }
  return { ...planCase(suite, asked, settings), asked: [] }
}

/** Engines of which each test of a file is run on every one; none where there is only one. */
export function enginesOf(
  { config }: Pick<TestFile, 'config'>,
  { engineMatrix }: Pick<RunSettings, 'engineMatrix'>,
): readonly string[] {
  const engines = nearest(engineMatrix, config.engine === null ? null : [config.engine], [])
  return engines.length < 2 ? [] : engines
}
