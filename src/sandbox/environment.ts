import { delimiter, dirname, isAbsolute } from 'node:path'
import { INSIDE } from './inside.ts'
import type { SandboxPaths } from './sandbox.ts'
import type { Environment } from './detect-environment.ts'

/** What every session has, unless the request says otherwise; nothing else of the parent's environment is passed. */
export function insideEnvironment(): Readonly<Record<string, string>> {
  return {
    ...COMMON,
    HOME: INSIDE.home,
    TMPDIR: INSIDE.tmp,
    PATH: `${INSIDE.bin}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin`,
  }
}

/** As {@link insideEnvironment} for a session that sees the host: programs are found where the parent finds them. */
export function hostEnvironment(
  { home, tmp, node }: Pick<SandboxPaths, 'home' | 'tmp' | 'node'>,
  parent: Environment,
): Readonly<Record<string, string>> {
  const needed = NEEDED_ON_WINDOWS.flatMap((name) => {
    const value = parent[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...COMMON,
    ...Object.fromEntries(needed),
    HOME: home,
    TMPDIR: tmp,
    PATH: [dirname(node), parent['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'].join(delimiter),
  }
}

/** Folders of `PATH` that no package has a hand in. */
export function trustedFolders(environment: Environment): readonly string[] {
  const folders = (environment['PATH'] ?? '/usr/local/bin:/usr/bin:/bin').split(':')
  return folders.filter((folder) => isAbsolute(folder) && !folder.includes('node_modules'))
}

const COMMON = { LANG: 'C.UTF-8', LOGNAME: 'agent', SHELL: '/bin/bash', TERM: 'dumb', USER: 'agent' }
const NEEDED_ON_WINDOWS = ['SYSTEMROOT', 'COMSPEC', 'PATHEXT', 'WINDIR']
