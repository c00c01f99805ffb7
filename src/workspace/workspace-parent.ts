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
 * folder above them, and such a file in the temporary folder would change what is measured. Nor is it below a project
 * whose tests would include what a session has left.
 *
 * @param project - absolute path of that project, where the workspace stays.
 */
export function findWorkspaceParent(
  candidates: readonly string[] = defaultCandidates(),
  engines?: Engines,
  project?: string,
): WorkspaceParent {
  const markers = ['.git', ...allOf('readAbove', engines)]
  const root = project !== undefined && existsSync(project) ? realpathSync(project) : null
  const refused: { readonly place: string; readonly notice: string }[] = []
  for (const candidate of candidates) {
    if (!existsSync(candidate)) continue
    const dir = realpathSync(candidate)
    const marker = markerAbove(dir, markers)
    if (marker !== null)
      refused.push({
        place: `${marker} contains instructions that agents would read`,
        notice: `agents would read ${marker}, which is above the temporary folder`,
      })
    else if (root !== null && foldersUpwards(dir).includes(root)) {
      const place = `${dir} is below the project, whose tests would include what a session leaves`
      refused.push({ place, notice: place })
    } else {
      const [first] = refused
      return { dir, notice: first === undefined ? null : `Workspaces are made in ${dir}: ${first.notice}.` }
    }
  }
  const reason = refused.map(({ place }) => place).join('; ') || `${candidates.join(', ')} does not exist`
  throw new AgentEvalsError(
    'workspace-failed',
    `No safe directory for workspaces: ${reason}. Remove that, or set TMPDIR to a folder outside every repository.`,
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
