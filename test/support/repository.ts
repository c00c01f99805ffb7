import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of this repository. */
export const REPOSITORY: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** What the tests install or build for themselves; ignored by git, shared by all processes. */
export const CACHE = `${REPOSITORY}/.cache`
