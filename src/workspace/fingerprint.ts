import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * One text that differs when anything in a folder was added, removed, replaced or written, without reading content.
 * `null` when it is unknown, which nothing equals.
 */
export function fingerprint(
  root: string,
  isKept: (path: string, isFolder: boolean) => boolean = () => true,
): string | null {
  const stamps: string[] = []
  const folders = ['']
  try {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
      for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
        const path = folder === '' ? entry.name : `${folder}/${entry.name}`
        if (!isKept(path, entry.isDirectory())) continue
        // A folder is its contents; its own times change with things that do not count.
        if (entry.isDirectory()) folders.push(path)
        const { mtimeMs, ctimeMs, size, ino, mode } = lstatSync(join(root, path))
        stamps.push(entry.isDirectory() ? `${path}/ ${mode}` : `${path} ${mtimeMs} ${ctimeMs} ${size} ${ino} ${mode}`)
      }
    }
  } catch {
    return null
  }
  return stamps.toSorted().join('\n')
}
