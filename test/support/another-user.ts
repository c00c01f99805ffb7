import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { createFixture } from 'fs-fixture'
import { repositoryVitest, type VitestMajor } from './majors.ts'
import type { TestProject } from './project.ts'

/** Options of setpriv for a user that owns nothing. */
const NOBODY = ['--reuid=65534', '--regid=65534', '--clear-groups']

/** Who can run a project here: only root can become another user, and only where that one may read the repository. */
export const USERS: readonly string[] =
  process.getuid?.() === 0 && mayRead(repositoryVitest().vitestBin) ? ['this user', 'another user'] : ['this user']

/** The repository's own Vitest as run by one of {@link USERS}. */
export interface VitestOfUser extends AsyncDisposable {
  readonly major: VitestMajor
  /** Gives the project and further folders to that user. */
  own(project: TestProject, ...folders: readonly string[]): void
}

/** Makes a Vitest that a user runs. */
export async function vitestOf(user: string): Promise<VitestOfUser> {
  const major = repositoryVitest()
  if (user === 'this user') return { major, own: () => {}, [Symbol.asyncDispose]: () => Promise.resolve() }

  const wrapper = await createFixture({
    node: `#!/bin/sh\nexec setpriv ${NOBODY.join(' ')} ${process.execPath} "$@"\n`,
  })
  const node = wrapper.getPath('node')
  for (const path of [wrapper.path, node]) chmodSync(path, 0o755)
  return {
    major: { ...major, node },
    own: ({ root, home }, ...folders) => void execFileSync('chown', ['-R', '65534:65534', root, home, ...folders]),
    [Symbol.asyncDispose]: () => wrapper.rm(),
  }
}

function mayRead(file: string): boolean {
  return spawnSync('setpriv', [...NOBODY, 'test', '-r', file]).status === 0
}
