import { glob } from 'tinyglobby'
import { pathBelow } from './package-root.ts'
import { isOurs, isSuitePlace, NEVER_SUITE_FOLDERS } from './recognise.ts'

/** Where suites may lie below a Vitest root. */
export const SUITE_GLOBS: readonly string[] = ['**/evals/cases/*.{yaml,yml}']

/** Where they never do. */
export const NEVER_SUITE_GLOBS: readonly string[] = NEVER_SUITE_FOLDERS.map((folder) => `**/${folder}/**`)

/** Finds the suite files below a Vitest root: absolute paths, sorted. Links are not followed. */
export async function discoverSuites(root: string): Promise<readonly string[]> {
  const found = await glob([...SUITE_GLOBS], {
    cwd: root,
    ignore: [...NEVER_SUITE_GLOBS],
    absolute: true,
    dot: true,
    followSymbolicLinks: false,
    expandDirectories: false,
  })
  const owned: string[] = []
  // In portions: each may open a file, and a process may not open thousands at once.
  for (let start = 0; start < found.length; start += 64) {
    const portion = found.slice(start, start + 64)
    const answers = await Promise.all(portion.map(isOurs))
    owned.push(...portion.filter((_, index) => answers[index]))
  }

  return owned.toSorted()
}

/** Whether a file lies where a suite may; without a root every folder of its path counts. */
export function isSuitePath(file: string, root?: string): boolean {
  const path = root === undefined ? file : pathBelow(root, file)
  return path !== null && isSuitePlace(path.replaceAll('\\', '/'))
}
