import { spawnSync } from 'node:child_process'

/**
 * Paths below a folder, `/`-separated, that git tracks and that have a folder of one of these names above them. Empty
 * where there is no git.
 */
export function trackedBelow(root: string, names: readonly string[]): ReadonlySet<string> {
  const patterns = names.map((name) => `:(glob)**/${name}/**`)
  const { status, stdout } = spawnSync('git', ['ls-files', '-z', '--cached', '--', ...patterns], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '', GIT_OPTIONAL_LOCKS: '0' },
    encoding: 'utf8',
    maxBuffer: MOST_BYTES,
    timeout: 60_000,
  })
  return new Set(status === 0 ? stdout.split('\0').filter((path) => path !== '') : [])
}

const MOST_BYTES = 67_108_864
