import { join } from 'node:path'
import { documentAt, warningAt, type Issue, type ReadDocument } from '../lib/documents/document.ts'
import type { TrackedFs } from '../lib/documents/read-text.ts'
import { isJsonObject } from '../lib/json.ts'
import { SERVERS_FILE } from './package-root.ts'
import { readPath } from './read-files.ts'

/** A way in which the files of a package lie: that of the package format, and two of Claude Code. */
export type LayoutName = 'package' | 'plugin' | 'project'

/** A kind of part that lies in a place of its own. */
type PartKind = 'agents' | 'commands' | 'hooks' | 'mcp' | 'rules' | 'skills'

interface Place {
  /** Path below the root. */
  readonly usual: string
  /** The field of a manifest that names other places. @default the kind */
  readonly field?: string
  /** The usual place counts beside those that a manifest names. @default false */
  readonly isAlwaysRead?: true
}

const LAYOUTS: Readonly<Record<LayoutName, Readonly<Partial<Record<PartKind, Place>>>>> = {
  package: {
    skills: { usual: 'skills' },
    commands: { usual: 'commands' },
    agents: { usual: 'agents' },
    rules: { usual: 'rules' },
    hooks: { usual: 'hooks/hooks.json' },
    mcp: { usual: 'mcp/servers.json' },
  },
  plugin: {
    skills: { usual: 'skills', isAlwaysRead: true },
    commands: { usual: 'commands' },
    agents: { usual: 'agents' },
    hooks: { usual: 'hooks/hooks.json', isAlwaysRead: true },
    mcp: { usual: SERVERS_FILE, field: 'mcpServers', isAlwaysRead: true },
  },
  // Its rules are copied with the rest of its `.claude` folder.
  project: {
    skills: { usual: '.claude/skills' },
    commands: { usual: '.claude/commands' },
    agents: { usual: '.claude/agents' },
    hooks: { usual: '.claude/settings.json' },
    mcp: { usual: SERVERS_FILE },
  },
}

/** The fields of the package format's manifest that name places. */
export const PLACE_FIELDS: readonly string[] = Object.keys(LAYOUTS.package)

/** A place that parts of one kind are read from. */
export interface Source {
  readonly kind: PartKind
  readonly layout: LayoutName
  /** Absolute path of a folder or file, which may be missing. */
  readonly path: string
  /** The part of a manifest that replaces a file. */
  readonly inline?: ReadDocument
  /** The name of a command that a manifest lists by name. */
  readonly name?: string
}

interface Sources {
  readonly sources: readonly Source[]
  readonly issues: readonly Issue[]
}

/** Lists where the parts of a layout lie, by the usual places and by manifests. */
export function listSources(
  layout: LayoutName,
  root: string,
  manifests: readonly ReadDocument[],
  fs: TrackedFs,
): Sources {
  const places = Object.entries(LAYOUTS[layout]) as readonly [PartKind, Place][]
  const listed = places.map(([kind, { usual, field = kind, isAlwaysRead = false }]): Sources => {
    const items = manifests.flatMap((manifest) => listItems(documentAt(manifest, [field]), kind))
    const found = items.map((item) => locate(root, item, fs))
    const named = found.flatMap((one) => one.places.map((place) => ({ kind, layout, ...place })))
    const path = isOneSkill(root, layout, kind, fs) ? root : join(root, usual)
    const isRead = isAlwaysRead || named.length === 0
    return {
      sources: isRead ? [{ kind, layout, path }, ...named] : named,
      issues: found.flatMap(({ issues }) => issues),
    }
  })
  const all = listed.flatMap(({ sources }) => sources)
  return {
    // A manifest may name the file that is read anyway.
    sources: [...new Map(all.map((one) => [one.inline ?? `${one.kind} ${one.path}`, one])).values()],
    issues: listed.flatMap(({ issues }) => issues),
  }
}

// A plugin may be one skill.
function isOneSkill(root: string, layout: LayoutName, kind: PartKind, fs: TrackedFs): boolean {
  if (layout !== 'plugin' || kind !== 'skills') return false
  return fs.look(join(root, 'skills')) === null && fs.look(join(root, 'SKILL.md')) !== null
}

/** A path in a manifest, or what is written there instead of a file. */
interface Item {
  readonly written: ReadDocument
  readonly name?: string
  readonly isInline: boolean
}

function listItems(written: ReadDocument, kind: PartKind): readonly Item[] {
  const { value } = written
  if (Array.isArray(value)) return value.flatMap((_, index) => listItems(documentAt(written, [index]), kind))
  if (typeof value === 'string') return [{ written, isInline: false }]
  if (!isJsonObject(value)) return []
  if (kind === 'hooks' || kind === 'mcp') return [{ written, isInline: true }]
  if (kind !== 'commands') return []
  return Object.keys(value).map((name) => ({ written: documentAt(written, [name, 'source']), name, isInline: false }))
}

interface Located {
  readonly places: readonly Pick<Source, 'inline' | 'name' | 'path'>[]
  readonly issues: readonly Issue[]
}

function locate(root: string, { written, isInline, ...name }: Item, fs: TrackedFs): Located {
  const { file, value } = written
  if (isInline) return { places: [{ path: file, inline: written }], issues: [] }
  if (typeof value !== 'string') return { places: [], issues: [warningAt(written, [], 'not-read', NO_SOURCE)] }
  if (/^(?:\.\/*)?$/.test(value)) return { places: [{ path: root }], issues: [] }
  const { path, issues } = readPath(root, written, fs)
  return { places: path === null ? [] : [{ path, ...name }], issues }
}

const NO_SOURCE = 'the command is not read; write it in a file and name that as its source'
