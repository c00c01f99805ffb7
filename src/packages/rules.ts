import { join } from 'node:path'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { Rule } from './package.ts'
import { fileFinding, joinLoaded, type Loaded } from './finding.ts'

const MAX_LEVELS = 8

/** Finds every `RULE.md` and `*.rule.md` below the folder. */
export async function loadRules(folder: string, fs: TrackedFs, parents: readonly string[] = []): Promise<Loaded<Rule>> {
  const entries = await fs.list(folder)
  const loaded = await Promise.all(
    entries.map(async (entry): Promise<Loaded<Rule>> => {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && parents.length < MAX_LEVELS) return loadRules(path, fs, [...parents, entry.name])
      const name = ruleName(entry.name, parents)
      if (name === null) return { parts: [], findings: [] }
      if (entry.isFile()) return { parts: [{ name, file: path }], findings: [] }
      const message = 'is not a regular file; links are not followed'
      return { parts: [], findings: [fileFinding({ kind: 'rule', name }, 'error', path, 'not-a-file', message)] }
    }),
  )
  return joinLoaded(loaded)
}

function ruleName(fileName: string, parents: readonly string[]): string | null {
  if (fileName === 'RULE.md' && parents.length > 0) return parents.join('/')
  if (!fileName.endsWith('.rule.md')) return null
  return [...parents, fileName.slice(0, -'.rule.md'.length)].join('/')
}
