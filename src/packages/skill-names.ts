import { checkRelativePath } from '../lib/documents/relative-path.ts'
import { readTextFile } from '../lib/files.ts'
import type { Skill } from './package.ts'

/** What a SKILL.md calls itself; `null` when it does not say. */
export function declaredName(file: string): string | null {
  const [, front = ''] = /^---\r?\n([\S\s]*?)\r?\n---/.exec(readTextFile(file)) ?? []
  const written = /^name:\s*(\S.*)$/m.exec(front)?.[1]?.trimEnd()
  return written === undefined ? null : (/^(['"])(.+)\1$/.exec(written)?.[2] ?? written)
}

/**
 * The names of a skill: that of its folder first, and for a folder that may be called anything, such as that of a plugin
 * which is one skill, that of its front matter.
 */
export function nameSkill(
  folder: string,
  declared: string | null,
  isCalledAnything: boolean,
): Pick<Skill, 'alias' | 'name'> {
  const isFolderName = declared !== null && !declared.includes('/') && checkRelativePath(declared) === null
  const name = isCalledAnything && isFolderName ? declared : folder
  const alias = name === folder ? declared : folder
  return alias === null || alias === name ? { name } : { name, alias }
}
