import { existsSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path'
import { MANIFEST_NAMES, PLUGIN_FILE, PROJECT_FOLDER } from './manifest-names.ts'
import { listedPlugins } from './marketplace.ts'
import { foldersUpTo, isFolder } from '../files.ts'

/** The package that owns a file: the nearest folder upwards that is one, else the Vitest root. */
export function packageRootOf(file: string, vitestRoot: string): string {
  for (const folder of foldersUpTo(vitestRoot, dirname(file))) {
    const listed = listedPlugins(folder).filter((plugin) => pathBelow(plugin, file) !== null)
    const [deepest] = listed.toSorted((a, b) => b.length - a.length)
    if (deepest !== undefined) return deepest
    if (isPackage(folder)) return folder
  }
  return vitestRoot
}

/** Whether a folder is a package: by a manifest, or by skills or a `.claude` folder in it. */
export function isPackage(folder: string): boolean {
  if ([...MANIFEST_NAMES, PLUGIN_FILE].some((name) => existsSync(join(folder, name)))) return true
  // What is below `.claude` is part of the project around it.
  if (basename(folder) === PROJECT_FOLDER) return false
  return isFolder(join(folder, 'skills')) || isFolder(join(folder, PROJECT_FOLDER))
}

/** Path of `file` below `folder` with `/` between its parts, or `null` when it is elsewhere. */
export function pathBelow(folder: string, file: string): string | null {
  const start = `${folder}/`
  // Most paths are written the same way, and thousands of them are asked for.
  if (sep === '/' && file.startsWith(start) && !UNTIDY.test(file)) return file.slice(start.length)
  const path = relative(folder, file)
  if (path === '' || isAbsolute(path) || path === '..' || path.startsWith(`..${sep}`)) return null
  return path.split(sep).join('/')
}

/** Path of `file` from `folder` with `/` between its parts, wherever it is. */
export function pathFrom(folder: string, file: string): string {
  return pathBelow(folder, file) ?? relative(folder, file).split(sep).join('/')
}

// What `relative` would still have to resolve.
const UNTIDY = /\/(?:\.{0,2}(?:\/|$))/
