import { chmodSync, constants, copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Copies a file to a path below a folder, sharing its blocks where the file system can. Never makes a link. */
export function copyInto(root: string, to: string, source: { readonly file: string; readonly mode: number }): void {
  const file = join(root, to)
  inFolder(file, () => copyFileSync(source.file, file, constants.COPYFILE_FICLONE))
  const mode = plainMode(source.mode)
  if ((source.mode & 0o7777) !== mode) chmodSync(file, mode)
}

/** Writes a text file at a path below a folder. */
export function writeInto(root: string, to: string, content: string): void {
  const file = join(root, to)
  inFolder(file, () => writeFileSync(file, content, { mode: 0o644 }))
}

// Most files land in a folder that is there.
function inFolder(file: string, write: () => void): void {
  try {
    write()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    mkdirSync(dirname(file), { recursive: true })
    write()
  }
}

// Whatever bits a source carries: a script stays a script, a file a file.
function plainMode(mode: number): number {
  return (mode & 0o111) === 0 ? 0o644 : 0o755
}
