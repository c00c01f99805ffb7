import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { allOf, type Engines } from '../engines/registry.ts'
import { listEntries, readTextFile } from '../files.ts'
import type { AgentPackage } from '../packages/package.ts'
import type { Workspace } from '../workspace/create-workspace.ts'

/**
 * Ids and aliases of models that a package names for its parts: agents, skills, commands and prompt hooks. They are read
 * from the parts as staged for the engine and as the package has them. A session that goes on may ask the models of its
 * first run: what it has written since names none.
 */
export function findNamedModels(
  pkg: Pick<AgentPackage, 'root'>,
  workspace: Workspace,
  engines?: Engines,
): readonly string[] {
  const known = NAMED.get(workspace)
  if (known !== undefined) return known
  const ofEngines = allOf('modelFolders', engines)
  const folders = [
    ...ofEngines.map((folder) => join(workspace.workspace, folder)),
    ...[...ofEngines, ...PARTS].map((folder) => join(pkg.root, folder)),
  ]
  const texts = folders.flatMap((folder) => textsBelow(folder, MAX_DEPTH))
  const found = [...new Set(texts.flatMap(modelsIn))]
  NAMED.set(workspace, found)
  return found
}

const NAMED = new WeakMap<Workspace, readonly string[]>()
const PARTS = ['agents', 'commands', 'hooks', 'skills']
const MAX_DEPTH = 6
const MAX_BYTES = 256 * 1024

function textsBelow(folder: string, depth: number): readonly string[] {
  return listEntries(folder).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return depth > 0 && entry.name !== 'node_modules' ? textsBelow(path, depth - 1) : []
    const isText = entry.isFile() && /\.(?:md|json|toml|ya?ml)$/.test(entry.name)
    return isText && lstatSync(path).size <= MAX_BYTES ? [readTextFile(path)] : []
  })
}

/** Values of fields called `model`, in YAML, JSON and TOML. */
function modelsIn(text: string): readonly string[] {
  return Array.from(
    text.matchAll(/(?:^|[\s{,])["']?model["']?\s*[:=]\s*["']?([\w.:/@[\]-]+)/gm),
    ([, name = '']) => name,
  )
}
