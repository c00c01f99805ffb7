import { readTextFile } from '../files.ts'

/** What a SKILL.md calls itself; `null` when it does not say. */
export function declaredName(file: string): string | null {
  const [, front = ''] = /^---\r?\n([\S\s]*?)\r?\n---/.exec(readTextFile(file)) ?? []
  const written = /^name:\s*(\S.*)$/m.exec(front)?.[1]?.trimEnd()
  return written === undefined ? null : (/^(['"])(.+)\1$/.exec(written)?.[2] ?? written)
}
