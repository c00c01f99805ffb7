import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { REPOSITORY } from './repository.ts'

/** The files that a page shows, by path: a code block below a line that is a path in bold. */
export async function docFiles(page: string): Promise<Readonly<Record<string, string>>> {
  const text = await readFile(join(REPOSITORY, page), 'utf8')
  const found = text.matchAll(/^\*\*(\S+)\*\*\n\n```\w+\n([\S\s]*?)```$/gm)
  return Object.fromEntries([...found].map(([, path = '', content = '']) => [path, content]))
}
