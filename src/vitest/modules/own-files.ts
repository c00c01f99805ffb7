import { ownFile } from '../../own-folder.ts'
import { escapePattern } from '../../texts.ts'

/** Our own files. Outside node_modules, as where the package is linked, Vite would transform each for each worker. */
export const OWN_FILES: RegExp = new RegExp(`^${escapePattern(ownFile('.'))}`)
