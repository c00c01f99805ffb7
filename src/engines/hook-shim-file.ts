import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the compiled hook shim, from the built package as from its sources. */
export function hookShimFile(): string {
  const beside = fileURLToPath(new URL('hook-shim.js', import.meta.url))
  return existsSync(beside) ? beside : fileURLToPath(new URL('../../dist/engines/hook-shim.js', import.meta.url))
}

/** The shim with the file that it imports: where each lies and where a sandbox shows it. */
export function shimFiles(from: string, to: string): readonly { readonly from: string; readonly to: string }[] {
  return [
    { from, to },
    { from: join(dirname(from), IMPORTED), to: join(dirname(to), IMPORTED) },
  ]
}

const IMPORTED = 'hook-shim-payload.js'
