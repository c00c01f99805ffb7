import { readTextFile, tryStat } from '../files.ts'
import { dirname, join, resolve } from 'node:path'
import { documentAt, valueAt, type ReadDocument } from '../documents/document.ts'
import { readJson } from '../documents/read-json.ts'
import { isJsonObject } from '../json.ts'
import { MARKETPLACE_FILE } from './manifest-names.ts'
import { stringOrNull } from '../json-fields.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'

/** A marketplace's word on the plugin in one folder: each entry is a manifest, or adds to one. */
export interface MarketplaceEntries {
  readonly name: string | null
  readonly entries: readonly ReadDocument[]
}

/** What the nearest marketplace upwards says about the plugin in a folder; `null` when none lists it. */
export async function findMarketplaceEntries(root: string, fs: TrackedFs): Promise<MarketplaceEntries | null> {
  for (let folder = root; ; folder = dirname(folder)) {
    const file = join(folder, MARKETPLACE_FILE)
    if (fs.look(file)?.isFile() === true) {
      const { text } = await fs.readText(file)
      const document = readJson(text ?? '', { file, what: 'marketplace' })
      const entries = pluginsOf(document.value, folder).filter(({ dir }) => dir === root)
      if (entries.length > 0)
        return {
          name: stringOrNull(valueAt(document.value, 'name')),
          entries: entries.map(({ index }) => documentAt(document, ['plugins', index])),
        }
    }
    if (fs.look(join(folder, '.git')) !== null || folder === dirname(folder)) return null
  }
}

/** Absolute paths of the plugins that the marketplace in a folder lists and that are folders of the same repository. */
export function listedPlugins(folder: string): readonly string[] {
  const file = join(folder, MARKETPLACE_FILE)
  const stats = tryStat(file)
  if (stats?.isFile() !== true) return []
  const stamp = `${stats.mtimeMs} ${stats.size}`
  const kept = listings.get(file)
  if (kept?.stamp === stamp) return kept.plugins
  const plugins = pluginsOf(parse(file), folder).map(({ dir }) => dir)
  listings.set(file, { stamp, plugins })
  return plugins
}

// Every suite file asks for its package.
const listings = new Map<string, { readonly stamp: string; readonly plugins: readonly string[] }>()

function parse(file: string): unknown {
  try {
    return readJson(readTextFile(file), { file }).value
  } catch {
    return undefined
  }
}

function pluginsOf(value: unknown, folder: string): readonly { readonly dir: string; readonly index: number }[] {
  const plugins = valueAt(value, 'plugins')
  if (!Array.isArray(plugins)) return []
  const base = stringOrNull(valueAt(valueAt(value, 'metadata'), 'pluginRoot')) ?? '.'
  return plugins.flatMap((plugin: unknown, index) => {
    const source = isJsonObject(plugin) ? plugin['source'] : undefined
    if (typeof source !== 'string') return []
    // A source that starts with `./` is relative to the marketplace, a bare name to its folder of plugins.
    const dir = source.startsWith('.') ? resolve(folder, source) : resolve(folder, base, source)
    return dir === folder || dir.startsWith(`${folder}/`) ? [{ dir, index }] : []
  })
}
