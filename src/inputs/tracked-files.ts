import { readOutput } from '../process.ts'

/**
 * Paths below a folder, `/`-separated, that git tracks and that have a folder of one of these names above them. Empty
 * where there is no git.
 */
export function trackedBelow(root: string, names: readonly string[]): ReadonlySet<string> {
  const patterns = names.map((name) => `:(glob)**/${name}/**`)
  const listed = readOutput('git', ['ls-files', '-z', '--cached', '--', ...patterns], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', GIT_OPTIONAL_LOCKS: '0' },
  })
  return new Set(listed === null ? [] : listed.split('\0').filter((path) => path !== ''))
}
