import { existsSync, realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { allOf, type Engines } from '../engines/registry.ts'
import { foldersUpwards } from '../files.ts'
import { AgentEvalsError } from '../errors.ts'

/** Where workspaces are made. */
export interface WorkspaceParent {
  /** Absolute path without links. */
  readonly dir: string
  /** One sentence when it is not the system's temporary folder. */
  readonly notice: string | null
}

/**
 * Chooses a folder outside every repository: agents read CLAUDE.md, rules, skills and MCP servers from every
 * folder above them, and such a file in the temporary folder would change what is measured.
 */
export function findWorkspaceParent(
  candidates: readonly string[] = defaultCandidates(),
  engines?: Engines,
): WorkspaceParent {
  const markers = ['.git', ...allOf('readAbove', engines)]
  const found: string[] = []
  for (const candidate of candidates) {
    if (!existsSync(candidate)) continue
    const dir = realpathSync(candidate)
    const marker = markerAbove(dir, markers)
    if (marker === null) {
      const notice =
        found[0] === undefined
          ? null
          : `Workspaces are made in ${dir}: agents would read ${found[0]}, which is above the temporary folder.`
      return { dir, notice }
    }
    found.push(marker)
  }
  throw new AgentEvalsError(
    'workspace-failed',
    `No safe directory for workspaces: ${found.join(', ') || candidates.join(', ')} ` +
      `${found.length === 0 ? 'does not exist' : 'contains instructions that agents would read'}. Remove that, or set TMPDIR to a folder outside every repository.`,
  )
}

function defaultCandidates(): readonly string[] {
  const runtime = process.env['XDG_RUNTIME_DIR']
  return [tmpdir(), '/tmp', '/var/tmp', ...(runtime === undefined ? [] : [runtime]), '/dev/shm']
}

function markerAbove(dir: string, markers: readonly string[]): string | null {
  const paths = foldersUpwards(dir).flatMap((folder) => markers.map((name) => join(folder, name)))
  return paths.find((path) => existsSync(path)) ?? null
}
