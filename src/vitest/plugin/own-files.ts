import { fileURLToPath } from 'node:url'

/** Our own files. Outside node_modules, as where the package is linked, Vite would transform each for each worker. */
export const OWN_FILES: RegExp = new RegExp(`^${escapePattern(fileURLToPath(new URL('../..', import.meta.url)))}`)

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
