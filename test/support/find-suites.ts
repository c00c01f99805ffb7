import { formatOf } from '../../src/formats/registry.ts'
import { createSuiteCache } from '../../src/formats/load-suite.ts'

/** Files of one format below a root: absolute paths. */
export async function findSuitesOf(format: string, root: string): Promise<readonly string[]> {
  const { files } = formatOf(format)
  return (await files?.find({ root, agentsRoot: root, cache: createSuiteCache() })) ?? []
}
