import { basename, dirname } from 'node:path'
import { pathFrom } from '../packages/package-root.ts'
import { PLUGIN_FOLDERS } from '../packages/manifest-names.ts'
import { declaredName } from './declared-name.ts'
import type { TreeFile } from './list-tree.ts'

/** The skill that is to be missed. */
export interface MissedSkill {
  readonly name: string
  /** Absolute path of its folder. */
  readonly dir: string
}

/**
 * The files of a folder without those of a skill, of its copies under any path, and what lists it as part of a plugin.
 *
 * @param root - absolute path of the folder; a skill that is the folder itself takes all of it.
 */
export function withoutSkill<File extends TreeFile>(
  files: readonly File[],
  skill: MissedSkill,
  root: string,
): readonly File[] {
  const copies = files.flatMap(({ path, file }) => {
    if (basename(path) !== 'SKILL.md') return []
    const folder = dirname(path)
    return basename(folder) === skill.name || declaredName(file) === skill.name ? [folder] : []
  })
  const folders = [...new Set([pathFrom(root, skill.dir) || '.', ...copies])]
  return files.filter(
    ({ path }) =>
      !PLUGIN_FOLDERS.some((folder) => path.startsWith(`${folder}/`)) &&
      !folders.some((folder) => folder === '.' || path.startsWith(`${folder}/`)),
  )
}
