import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { dirSync } from 'tmp'
import { AgentEvalsError } from '../errors.ts'
import type { Engines } from '../engines/registry.ts'
import { currentOwner, OWNER_FILE } from './owner.ts'
import { removeWorkspace } from './remove-workspace.ts'
import { findWorkspaceParent } from './workspace-parent.ts'

/** The folders of one run. Disposing of it removes them, unless they are kept. */
export interface Workspace extends AsyncDisposable {
  /** Unique among the workspaces of this machine. */
  readonly id: string
  /** Absolute path of the folder that holds all others, without links; only this user may enter it. */
  readonly root: string
  /** Where the agent works. */
  readonly workspace: string
  readonly home: string
  /** The engine's config folder. */
  readonly config: string
  readonly tmp: string
  /** Plan of the hook shim and its decisions. */
  readonly hooks: string
  /** Copy of the package without evals and tests. */
  readonly package: string
  /** One sentence to show once; `null` when there is nothing to say. */
  readonly notice: string | null
  /** Removes it, kept or not, and returns a warning instead of throwing when something is left. */
  remove(): Promise<string | null>
}

/** How a workspace is made. */
export interface WorkspaceOptions {
  /** Whether it stays after its run. @default false */
  readonly keep?: boolean
  /** Folders to choose from, instead of the system's temporary ones. */
  readonly parents?: readonly string[]
  /** Whose files in folders above would be read. @default the built-in ones */
  readonly engines?: Engines
  /** Absolute path of the Vitest root, below which no workspace is kept. */
  readonly project?: string
}

/** Makes the empty folders of one run, outside every repository. */
export function createWorkspace(options: WorkspaceOptions = {}): Workspace {
  const keep = options.keep ?? false
  const parent = findWorkspaceParent(options.parents, options.engines, keep ? options.project : undefined)
  const root = makeFolders(parent.dir, keep)
  let removal: Promise<string | null> | undefined
  const remove = (): Promise<string | null> => (removal ??= removeWorkspace(root))
  return {
    id: basename(root).slice(PREFIX.length),
    root,
    workspace: join(root, 'workspace'),
    home: join(root, HOME),
    config: join(root, 'config'),
    tmp: join(root, 'tmp'),
    hooks: join(root, 'hooks'),
    package: join(root, 'package'),
    notice: parent.notice,
    remove,
    async [Symbol.asyncDispose]() {
      if (!keep) await remove()
    },
  }
}

/** Begins the name of every workspace. */
export const PREFIX = 'agent-evals-'

/** The folder that a session's HOME is, outside of a sandbox. */
export const HOME = 'home'

const FOLDERS = ['workspace', HOME, 'config', 'tmp', 'hooks', 'package']

function makeFolders(parent: string, keep: boolean): string {
  try {
    const root = dirSync({ tmpdir: parent, template: `${PREFIX}XXXXXX`, mode: 0o700, keep: true, tries: 20 }).name
    writeFileSync(join(root, OWNER_FILE), JSON.stringify(currentOwner(keep)))
    for (const name of FOLDERS) mkdirSync(join(root, name))
    return root
  } catch (cause) {
    throw new AgentEvalsError(
      'workspace-failed',
      `Cannot create a workspace in ${parent}: ${(cause as Error).message}. Free some space there, or set TMPDIR to another folder.`,
      { cause },
    )
  }
}
