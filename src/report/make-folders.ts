import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a folder and those above it. What it throws says why: on a read-only disk Node says that nothing is there. */
export function makeFolders(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    accessSync(nearestExisting(path), constants.W_OK)
    throw error
  }
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}
