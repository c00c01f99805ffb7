import { ownFile } from '../../own-folder.ts'

/** Our own files. Outside node_modules, as where the package is linked, Vite would transform each for each worker. */
export const OWN_FILES: RegExp = new RegExp(`^${escapePattern(ownFile('.'))}`)

function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}
