import { resolve } from 'node:path'
import type { Vitest } from 'vitest/node'

/**
 * Makes `vitest related` and `--changed` select test files that depend on the changed files without importing them: they
 * are added to those that Vitest takes for changed itself.
 */
export async function selectBySource(
  { config, vcs }: Vitest,
  find: (files: readonly string[]) => Promise<readonly string[]>,
): Promise<void> {
  const expand = async (files: readonly string[]): Promise<string[]> => {
    const paths = files.map((file) => resolve(config.root, file).replaceAll('\\', '/'))
    return [...new Set([...paths, ...(await find(paths))])]
  }
  if (config.related !== undefined) config.related = await expand(config.related)
  else if (config.changed !== undefined && config.changed !== false) {
    const findChangedFiles = vcs.findChangedFiles.bind(vcs)
    vcs.findChangedFiles = async (options) => expand(await findChangedFiles(options))
  }
}
