import { dirname, join } from 'node:path'
import { z } from 'zod'
import { documentAt, errorAt, errorAtKey, valueAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import { nearestName } from '../lib/documents/nearest-name.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { validate } from '../lib/documents/validate.ts'
import { isJsonObject, objectOf, stringOrNull } from '../lib/json.ts'
import { PLACE_FIELDS, listSources, type LayoutName, type Source } from './layouts.ts'
import { MANIFEST_NAMES, MARKETPLACE_FILE, PLUGIN_FILE, PROJECT_FOLDER, pluginsOf } from './package-root.ts'
import { findingsOf, type PackageFinding, type PackageManifest } from './package.ts'
import { readData } from './read-files.ts'

/** The layout of a folder, with what its manifests say. */
interface FoundLayout {
  readonly layout: LayoutName
  readonly manifest: PackageManifest | null
  readonly sources: readonly Source[]
  readonly findings: readonly PackageFinding[]
}

/** Finds out which layout a folder has; one without a manifest is a plugin where that is asked for. */
export async function findLayout(root: string, isPlugin: boolean, fs: TrackedFs): Promise<FoundLayout> {
  const found = (await readOwnManifest(root, fs)) ?? (await readPlugin(root, fs))
  if (found !== null) return found
  const without = (layout: LayoutName): readonly Source[] => listSources(layout, root, [], fs).sources
  if (isPlugin) return { layout: 'plugin', manifest: null, sources: without('plugin'), findings: [] }
  const folder = join(root, PROJECT_FOLDER)
  const isProject = (await fs.list(folder)).length > 0 || fs.look(folder)?.isDirectory() === true
  const sources = [...without('package'), ...(isProject ? without('project') : [])]
  return { layout: isProject ? 'project' : 'package', manifest: null, sources, findings: [] }
}

// A manifest has many more fields; they are the package manager's to check.
const ownSchema = z.looseObject({
  name: z.string().min(1),
  version: z.string().min(1),
  ...Object.fromEntries(PLACE_FIELDS.map((field) => [field, z.string().optional()])),
})

/** Reads `package.agent.json`, else `package.agent.yaml`. */
async function readOwnManifest(root: string, fs: TrackedFs): Promise<FoundLayout | null> {
  const file = MANIFEST_NAMES.map((name) => join(root, name)).find((path) => fs.look(path) !== null)
  if (file === undefined) return null
  const { document, issues: unread } = await readData(file, 'manifest', fs)
  const { sources, issues } = listSources('package', root, document === null ? [] : [document], fs)
  const wrong = document === null ? unread : [...validate(document, ownSchema).issues, ...misspelt(document)]
  return {
    layout: 'package',
    manifest: isJsonObject(document?.value) ? manifestOf(document) : null,
    sources,
    findings: findingsOf(null, [...wrong, ...issues]),
  }
}

// Other fields are the package manager's, but one that is nearly the place of a part would leave that part out.
function misspelt(document: ReadDocument): readonly Issue[] {
  if (!isJsonObject(document.value)) return []
  const unknown = Object.keys(document.value).filter((key) => !OTHER_FIELDS.has(key) && !PLACE_FIELDS.includes(key))
  return unknown.flatMap((key) => {
    const near = nearestName(key, PLACE_FIELDS)
    if (near === null) return []
    return [errorAtKey(document, [key], 'unknown-field', `unknown field. Did you mean ${JSON.stringify(near)}?`)]
  })
}

// Close to the name of a part by chance.
const OTHER_FIELDS: ReadonlySet<string> = new Set(['skill', 'agent', 'command', 'rule', 'roles', 'repo'])

const pluginSchema: z.ZodType<{ readonly name: string }> = z.looseObject({ name: z.string().min(1) })

/** Reads the manifest of a Claude Code plugin, or what a marketplace says instead of one; `null` where no plugin is. */
async function readPlugin(root: string, fs: TrackedFs): Promise<FoundLayout | null> {
  const file = join(root, PLUGIN_FILE)
  const hasManifest = fs.look(file) !== null
  const { document, issues: unread } = await readData(file, 'manifest', fs)
  const listed = await findMarketplaceEntries(root, fs)
  if (!hasManifest && listed === null) return null

  const own = isJsonObject(document?.value) ? [document] : []
  const entries = listed?.entries ?? []
  const [first, second] = [...own, ...entries]
  const { sources, issues } = listSources('plugin', root, [...own, ...entries], fs)
  const wrong = document === null ? unread : validate(document, pluginSchema).issues
  const refused = entries.flatMap((entry) => refusedParts(entry, hasManifest))
  // Several entries of a marketplace are one plugin, which has the name of the marketplace.
  const isMarket = !hasManifest && second !== undefined
  const manifest = first === undefined ? null : manifestOf(first)
  return {
    layout: 'plugin',
    manifest: manifest === null || !isMarket ? manifest : { ...manifest, name: listed?.name ?? null },
    sources,
    findings: findingsOf(null, [...wrong, ...refused, ...issues]),
  }
}

function manifestOf({ file, value }: ReadDocument): PackageManifest {
  const raw = objectOf(value)
  return { file, name: stringOrNull(raw['name']), version: stringOrNull(raw['version']), raw }
}

// Names what Claude Code refuses of a marketplace's entry.
function refusedParts(entry: ReadDocument, hasManifest: boolean): readonly Issue[] {
  const refuse = (path: readonly string[], message: string): readonly Issue[] => [
    errorAt(entry, path, 'invalid-value', message),
  ]
  const isAlone = valueAt(entry.value, 'strict') === false
  const path = PARTS.find((names) => Boolean(documentAt(entry, names).value))
  if (hasManifest && isAlone && path !== undefined) return refuse(path, CONFLICT)
  const hooks = valueAt(entry.value, 'hooks')
  return hooks === undefined || isJsonObject(hooks) ? [] : refuse(['hooks'], NO_PATH)
}

const PARTS = [
  ['commands'],
  ['agents'],
  ['skills'],
  ['hooks'],
  ['outputStyles'],
  ['themes'],
  ['experimental', 'themes'],
]
const CONFLICT = `Claude Code does not load a plugin that has a ${PLUGIN_FILE} and whose entry has parts and \`strict: false\`; remove one of the two`
const NO_PATH =
  'Claude Code loads no hooks from a path in a marketplace; name the file in the manifest of the plugin, or write the hooks here'

/** A marketplace's word on the plugin in one folder: each entry is a manifest, or adds to one. */
interface MarketplaceEntries {
  readonly name: string | null
  readonly entries: readonly ReadDocument[]
}

/** Finds what the nearest marketplace upwards says about the plugin in a folder; `null` when none lists it. */
async function findMarketplaceEntries(root: string, fs: TrackedFs): Promise<MarketplaceEntries | null> {
  for (let folder = root; ; folder = dirname(folder)) {
    const file = join(folder, MARKETPLACE_FILE)
    const { document } = await readData(file, 'marketplace', fs)
    const plugins = document === null ? [] : pluginsOf(document.value, folder).filter(({ dir }) => dir === root)
    if (document !== null && plugins.length > 0) {
      const entries = plugins.map(({ index }) => documentAt(document, ['plugins', index]))
      return { name: stringOrNull(valueAt(document.value, 'name')), entries }
    }
    if (fs.look(join(folder, '.git')) !== null || folder === dirname(folder)) return null
  }
}
