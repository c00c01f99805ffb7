import { closeSync, openSync, readSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { foldersUpwards, isFile, readTextFile } from '../lib/files.ts'

/**
 * Follows links and wrapper scripts to the native program of an npm package. npm links to it, pnpm and cmd-shim write a
 * script, and where install scripts are off only the platform's own package holds it. `programs` are its places below a
 * `node_modules`.
 */
export function resolveNativeProgram(file: string, programs: readonly string[]): string {
  const real = realpathSync(file)
  if (isNativeProgram(real)) return real
  const candidates = scriptTargets(real, programs).flatMap((target) => [target, ...platformPrograms(target, programs)])
  return (
    [...platformPrograms(real, programs), ...candidates].find(
      (candidate) => isFile(candidate) && isNativeProgram(candidate),
    ) ?? real
  )
}

/** Whether a file is a program of the machine, not a script. */
export function isNativeProgram(file: string): boolean {
  const descriptor = openSync(file, 'r')
  try {
    const start = Buffer.alloc(4)
    readSync(descriptor, start, 0, 4, 0)
    return MAGIC.some((magic) => start.subarray(0, magic.length).equals(magic))
  } finally {
    closeSync(descriptor)
  }
}

// The scripts of pnpm and cmd-shim name their target relative to their own folder: `"$basedir/..."` or `"$basedir_abs"/'...'`.
// Another wrapper may name the program itself, or a file of its package, by an absolute path.
function scriptTargets(script: string, programs: readonly string[]): readonly string[] {
  if (statSync(script).size > 65_536) return []
  const text = readTextFile(script)
  const beside = [...text.matchAll(/\$basedir\w*"?\/'?([^"'\s]+)/g)].map((match) =>
    resolve(dirname(script), match[1] ?? ''),
  )
  const names = new Set(programs.map((program) => nameOf(program)))
  const absolute = [...text.matchAll(/(?<![\w.$}])\/[^"'\s$;|&()<>]+/g)].flatMap(([path]) =>
    names.has(nameOf(path)) || path.includes('/node_modules/') ? [path] : [],
  )
  const targets = [...beside, ...absolute]
  return targets.filter(isFile).map((target) => realpathSync(target))
}

function nameOf(path: string): string {
  return basename(path, '.exe')
}

function platformPrograms(file: string, programs: readonly string[]): readonly string[] {
  return foldersUpwards(dirname(file)).flatMap((folder) =>
    programs.map((program) => join(folder, 'node_modules', program)),
  )
}

const MAGIC: readonly Buffer[] = [
  Buffer.from('\u007fELF', 'latin1'),
  Buffer.from('cffaedfe', 'hex'),
  Buffer.from('cafebabe', 'hex'),
  Buffer.from('MZ', 'latin1'),
]
