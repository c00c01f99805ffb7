import { accessSync, constants, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

/** Makes a folder and those above it. What it throws says why: on a read-only disk Node says that nothing is there. */
export function makeFolders(path: string): void {
  try {
    makeFirst(path)
    mkdirSync(path, { recursive: true })
  } catch (error) {
    accessSync(nearestExisting(path), constants.W_OK)
    throw error
  }
}

// Where nothing can be made, such as below /proc, Node's own way to make all of them tries for ever.
function makeFirst(path: string): void {
  const parent = dirname(path)
  if (existsSync(path)) return
  if (!existsSync(parent)) return makeFirst(parent)
  try {
    mkdirSync(path)
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error
  }
}

function nearestExisting(path: string): string {
  const parent = dirname(path)
  return existsSync(path) || parent === path ? path : nearestExisting(parent)
}
