import { join } from 'node:path'
import { z } from 'zod'
import { readDocument } from '../documents/read-document.ts'
import { errorAt, type ReadDocument } from '../documents/document.ts'
import { validate } from '../documents/validate.ts'
import { checkRelativePath, normalizeRelativePath } from '../documents/relative-path.ts'
import { isJsonObject } from '../json.ts'
import { nearestName } from '../documents/nearest-name.ts'
import type { Issue } from '../documents/issue.ts'
import type { TrackedFs } from '../documents/tracked-fs.ts'
import type { PackageFinding, PackageManifest } from './package.ts'
import { findingsOf } from './finding.ts'
import { MANIFEST_NAMES } from './manifest-names.ts'
import { stringOrNull } from '../json-fields.ts'

/** Where the parts of a package lie, absolute. */
export interface ComponentPaths {
  readonly skills: string
  readonly commands: string
  readonly agents: string
  readonly rules: string
  readonly hooks: string
  readonly mcp: string
}

/** The manifest with what follows from it. */
export interface LoadedManifest {
  readonly manifest: PackageManifest | null
  readonly paths: ComponentPaths
  /** Names that the manifest requires. */
  readonly dependencies: readonly string[]
  readonly findings: readonly PackageFinding[]
}

const DEFAULT_PATHS: ComponentPaths = {
  skills: 'skills',
  commands: 'commands',
  agents: 'agents',
  rules: 'rules',
  hooks: 'hooks/hooks.json',
  mcp: 'mcp/servers.json',
}

// The manifest has many more fields; they are the package manager's to check.
const manifestSchema = z.looseObject({
  name: z.string().min(1),
  version: z.string().min(1),
  dependencies: z.record(z.string(), z.string()).optional(),
  skills: z.string().optional(),
  commands: z.string().optional(),
  agents: z.string().optional(),
  rules: z.string().optional(),
  hooks: z.string().optional(),
  mcp: z.string().optional(),
})

/** Reads `package.agent.json`, else `package.agent.yaml`. Without one the usual folders are looked at. */
export async function loadManifest(root: string, fs: TrackedFs): Promise<LoadedManifest> {
  const file = MANIFEST_NAMES.map((name) => join(root, name)).find((path) => fs.look(path) !== null)
  if (file === undefined) return without(root, [])

  const { text, issue } = await fs.readText(file)
  if (issue !== null) return without(root, [{ ...issue, part: null }])

  const document = readDocument(text, { kind: file.endsWith('.json') ? 'json' : 'yaml', file, what: 'manifest' })
  const { value, issues } = validate(document, manifestSchema)
  const raw = isJsonObject(document.value) ? document.value : null
  const located = locateComponents(root, document, fs)
  return {
    manifest:
      raw === null ? null : { file, name: stringOrNull(raw['name']), version: stringOrNull(raw['version']), raw },
    paths: located.paths,
    dependencies: Object.keys(value?.dependencies ?? {}),
    findings: [...findingsOf(null, [...issues, ...misspelt(document)]), ...located.findings],
  }
}

// Other fields are the package manager's, but one that is nearly the place of a part would leave that part out.
function misspelt(document: ReadDocument): readonly Issue[] {
  if (!isJsonObject(document.value)) return []
  const unknown = Object.keys(document.value).filter((key) => !OTHER_FIELDS.has(key) && !(key in DEFAULT_PATHS))
  return unknown.flatMap((key) => {
    const near = nearestName(key, Object.keys(DEFAULT_PATHS))
    if (near === null) return []
    const issue = errorAt(document, [key], 'unknown-field', `unknown field. Did you mean ${JSON.stringify(near)}?`)
    return [{ ...issue, ...document.keyPositionOf([key]) }]
  })
}

// Close to the name of a part by chance.
const OTHER_FIELDS: ReadonlySet<string> = new Set(['skill', 'agent', 'command', 'rule', 'roles', 'repo'])

function without(root: string, findings: readonly PackageFinding[]): LoadedManifest {
  return { manifest: null, paths: absolute(root, DEFAULT_PATHS), dependencies: [], findings }
}

function absolute(root: string, paths: ComponentPaths): ComponentPaths {
  const entries = Object.entries(paths).map(([key, path]: [string, string]) => [key, join(root, path)])
  return Object.fromEntries(entries) as ComponentPaths
}

function locateComponents(
  root: string,
  document: ReadDocument,
  fs: TrackedFs,
): { readonly paths: ComponentPaths; readonly findings: readonly PackageFinding[] } {
  const paths: Record<keyof ComponentPaths, string> = { ...absolute(root, DEFAULT_PATHS) }
  const findings: PackageFinding[] = []
  for (const key of Object.keys(DEFAULT_PATHS) as (keyof ComponentPaths)[]) {
    const written = isJsonObject(document.value) ? document.value[key] : undefined
    if (typeof written !== 'string') continue
    const problem = checkRelativePath(written)
    if (problem !== null) {
      findings.push({ ...errorAt(document, [key], 'unsafe-path', `the path ${problem}`), part: null })
      continue
    }

    paths[key] = join(root, normalizeRelativePath(written))
    if (fs.look(paths[key]) !== null) continue
    findings.push({ ...errorAt(document, [key], 'file-missing', `${written} does not exist`), part: null })
  }

  return { paths, findings }
}
