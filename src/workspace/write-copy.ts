import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { AgentEvalsError } from '../errors.ts'

/** A file to copy. */
export interface CopySource {
  readonly file: string
  readonly mode: number
  /** What a link within the copied tree says, relative to its folder. */
  readonly link?: string
}

/** Copies a file to a path below a folder, sharing its blocks where the file system can. A link stays one. */
export function copyInto(root: string, to: string, source: CopySource): void {
  if (source.link !== undefined) return linkInto(root, to, source.link)
  const file = join(root, to)
  replaceLink(file)
  inFolder(file, () => copyFileSync(source.file, file, constants.COPYFILE_FICLONE))
  const mode = plainMode(source.mode)
  if ((source.mode & 0o7777) !== mode) chmodSync(file, mode)
}

/**
 * Makes a link at a path below a folder; `link` is relative to its folder.
 *
 * @throws {AgentEvalsError} `unsafe-path` for a link that would lead out: what is copied later is written through it.
 */
export function linkInto(root: string, to: string, link: string): void {
  const file = join(root, to)
  mkdirSync(dirname(file), { recursive: true })
  // Below another link, a link starts from somewhere else than its path says.
  const target = resolve(realpathSync(dirname(file)), link)
  if (!`${target}${sep}`.startsWith(`${realpathSync(root)}${sep}`)) {
    throw new AgentEvalsError(
      'unsafe-path',
      `The link ${JSON.stringify(to)} would lead out of the workspace, because a folder above it is a link of another part. Copy the folder instead of linking it.`,
    )
  }
  rmSync(file, { force: true })
  symlinkSync(link, file)
}

/** Writes a text file at a path below a folder. */
export function writeInto(root: string, to: string, content: string): void {
  const file = join(root, to)
  replaceLink(file)
  inFolder(file, () => writeFileSync(file, content, { mode: 0o644 }))
}

// A file that takes the place of a link does not change what the link leads to.
function replaceLink(file: string): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true) rmSync(file)
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
