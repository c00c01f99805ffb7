import { existsSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { isPackage, pathBelow } from '../../packages/package-root.ts'
import { toPrintableLine } from '../../results/printable.ts'

/**
 * Words that Vitest was started in a subfolder of its configuration and took it as the root, as Vitest 4 does; `null`
 * where the root is a project of its own, or was named.
 */
export function describeInnerRoot(root: string, configFile: string | undefined, cwd: string): string | null {
  if (configFile === undefined || root !== cwd) return null
  const home = dirname(configFile)
  const folder = pathBelow(home, root)
  if (folder === null || folder === '' || isPackage(root) || existsSync(join(root, 'package.json'))) return null
  const up = relative(root, home)
  return `Vitest takes ${toPrintableLine(folder)} as its root. It does not use recordings and scenarios of ${up}, and writes the report here. Start it in ${up}, or run npx vitest-agent-evals run here.`
}
