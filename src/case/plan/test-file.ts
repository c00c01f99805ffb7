import { join } from 'node:path'
import { TEST_FORMAT } from '../../suites/formats/typescript/name.ts'
import { packageRootOf } from '../../packages/package-root.ts'
import type { SuiteCache } from '../../suites/suite-cache.ts'
import type { Suite } from '../../suites/suite.ts'

/** The suite that a file of tests in TypeScript is: its cases are known by its tests alone. */
export async function describeTestFile(
  file: string,
  root: string,
  { configOf }: Pick<SuiteCache, 'configOf'>,
): Promise<Omit<Suite, 'cases'>> {
  const packageRoot = packageRootOf(file, root)
  const { config, issues } = await configOf(join(packageRoot, 'evals', 'eval-config.json'))
  return { format: TEST_FORMAT, file, packageRoot, config, issues }
}
