import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathFrom } from '../../packages/package-root.ts'
import { foldersUpwards } from '../../files.ts'

/** A file that `init` writes unless it is there. */
export interface NewFile {
  /** Absolute path. */
  readonly file: string
  readonly text: string
}

/** A value as YAML: JSON is YAML, so that no text needs other quotes. */
export function yamlText(value: string): string {
  return /^[A-Za-z][\w ,./'-]*$/.test(value) && !value.endsWith(' ') ? value : JSON.stringify(value)
}

/** Path of one of the package's schemas from a file, as editors want it; the package may be installed further up. */
export function schemaPath(file: string, name: string): string {
  const folders = foldersUpwards(dirname(file))
  const isInstalled = (folder: string): boolean => existsSync(join(folder, INSTALLED))
  const home = folders.find(isInstalled) ?? folders.find((folder) => existsSync(join(folder, 'package.json')))
  const up = home === undefined ? '.' : pathFrom(dirname(file), home)
  return `${up === '' ? '.' : up}/${INSTALLED}/${name}.schema.json`
}

const INSTALLED = 'node_modules/vitest-agent-evals/schemas'
