import type { TrackedFs } from '../lib/documents/read-text.ts'
import type { Source } from './layouts.ts'
import type { Loaded, Rule } from './package.ts'
import { filesBelow } from './read-files.ts'

/** Finds every `RULE.md` and `*.rule.md` below the folder. */
export async function loadRules({ path }: Source, fs: TrackedFs): Promise<Loaded<Rule>> {
  const rules = (await filesBelow(path, fs)).flatMap(({ file, name, below }) => {
    if (name === 'RULE.md' && below.length > 0) return [{ name: below.join('/'), file }]
    return name.endsWith('.rule.md') ? [{ name: [...below, name.slice(0, -'.rule.md'.length)].join('/'), file }] : []
  })
  return { parts: rules, findings: [] }
}
