import { readFileSync } from 'node:fs'

/** What a SKILL.md calls itself; `null` when it does not say. */
export function declaredName(file: string): string | null {
  const [, front = ''] = /^---\r?\n([\S\s]*?)\r?\n---/.exec(readFileSync(file, 'utf8')) ?? []
  return /^name:\s*(['"]?)(.+?)\1\s*$/m.exec(front)?.[2] ?? null
}
