import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Absolute path of the compiled hook shim, from the built package as from its sources. */
export function hookShimFile(): string {
  const beside = fileURLToPath(new URL('hook-shim.js', import.meta.url))
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/engines/hook-shim.js', import.meta.url))
}
