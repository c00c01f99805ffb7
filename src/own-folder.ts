import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Absolute path of one of our own files, given below the folder of the sources or of what is built from them.
 *
 * The one module that knows its own place: others are bundled and may end up anywhere.
 */
export function ownFile(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url))
}

/** Absolute path of one of our own programs as it was built, from the built package as from its sources. */
export function ownProgram(path: string): string {
  const beside = ownFile(path)
  return existsSync(beside) ? beside : ownFile(`../dist/${path}`)
}
