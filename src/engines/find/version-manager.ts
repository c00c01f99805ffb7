import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runProcess } from '../../process.ts'
import { isFile, readTextFile } from '../../files.ts'

/** Where a version manager is asked. */
export interface ManagerPlace {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Absolute path of the project: it decides the version. */
  readonly root: string
}

/**
 * The program behind the shim of a version manager (asdf, mise, nodenv, volta), by asking the manager; a file that is no
 * shim is returned as it is.
 */
export async function resolveShim(file: string, { environment, root }: ManagerPlace): Promise<string> {
  const manager = managerOf(file)
  if (manager === null) return file
  const env = Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
  const asked = await runProcess(manager, ['which', basename(file)], {
    env,
    cwd: root,
    deadlineMs: SECONDS * 1000,
    coverInherited: false,
  })
  const found = asked.stdoutTail.trim()
  return asked.exitCode === 0 && isOther(found, file) ? found : file
}

const SECONDS = 30

// A shim is a link to the manager, or a script that starts it.
function managerOf(file: string): string | null {
  const real = realpathSync(file)
  if (basename(real) === 'mise' || basename(real) === 'rtx') return real
  if (basename(real) === 'volta-shim') return join(dirname(real), 'volta')
  if (statSync(real).size > MAX_SCRIPT_BYTES) return null
  const text = readTextFile(real)
  if (!text.startsWith('#!')) return null
  return /(?:^|[\s"'/])(asdf|mise|nodenv|rtx)["']?\s+(?:exec|x)\b/.exec(text)?.[1] ?? null
}

const MAX_SCRIPT_BYTES = 65_536

function isOther(found: string, file: string): boolean {
  return isFile(found) && realpathSync(found) !== realpathSync(file)
}
