import { execFileSync } from 'node:child_process'

/** Runs Git in a folder as somebody without a configuration, and returns what it prints. */
export function git(root: string, ...words: readonly string[]): string {
  const identity = ['user.name=A', 'user.email=a@example.com', 'protocol.file.allow=always', 'commit.gpgsign=false']
  return execFileSync('git', [...identity.flatMap((one) => ['-c', one]), ...words], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
  })
}

/** Commits all that is there. */
export function commit(root: string, message: string): void {
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message', message)
}

/** Makes the folder a repository whose first commit holds all that is there. */
export function initialize(root: string, message = 'Begin'): void {
  git(root, 'init', '--quiet', '--initial-branch=main')
  commit(root, message)
}
