import { lstatSync, readdirSync, realpathSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { PREFIX } from './create-workspace.ts'
import { isElsewhere, isGone, isThisProcess, OWNER_FILE, parseOwner } from './owner.ts'
import { readWorkspaceFile } from './read-file.ts'
import { removeWorkspace, TRASH } from './remove-workspace.ts'
import { killLeftoverProcesses } from './leftover-processes.ts'
import { findWorkspaceParent } from './workspace-parent.ts'

/** What a sweep did. */
export interface Sweep {
  /** Absolute paths. */
  readonly removed: readonly string[]
  readonly warnings: readonly string[]
}

/** Where and how long a sweep may work. */
export interface SweepOptions {
  /** Folder that holds workspaces; by default the one that new ones are made in. */
  readonly parent?: string
  /** Milliseconds for everything. @default 10000 */
  readonly deadlineMs?: number
  /** Whether this process has no run any more, so that its own workspaces may go too. @default false */
  readonly own?: boolean
}

/** Removes the workspaces of runs that were killed: only ours, only when their process has gone, never kept ones. */
export async function sweepWorkspaces(options: SweepOptions = {}): Promise<Sweep> {
  const parent = options.parent === undefined ? findWorkspaceParent().dir : realpathSync(options.parent)
  const deadline = performance.now() + (options.deadlineMs ?? 10_000)
  const removed: string[] = []
  const warnings: string[] = []
  for (const name of readdirSync(parent)) {
    const left = deadline - performance.now()
    if (left <= 0) break
    const root = join(parent, name)
    if (!LEFTOVER.test(name) || !isOurFolder(root) || !(await isAbandoned(root, options.own ?? false))) continue
    await killLeftoverProcesses(root)
    const warning = await removeWorkspace(root, { deadlineMs: left })
    if (warning === null) removed.push(root)
    else warnings.push(warning)
  }
  return { removed, warnings }
}

const LEFTOVER = new RegExp(`^(?:${TRASH.replace('.', '\\.')})?${PREFIX}[A-Za-z0-9]{6}$`)
const MINUTE = 60_000
const DAY = 86_400_000

// Everybody may write to the temporary folder, so the name alone says nothing.
function isOurFolder(root: string): boolean {
  const found = stat(root)
  return found?.isDirectory() === true && found.uid === process.getuid?.()
}

async function isAbandoned(root: string, own: boolean): Promise<boolean> {
  const read = await readWorkspaceFile(root, OWNER_FILE, 4096)
  const owner = read.status === 'read' ? parseOwner(read.bytes.toString()) : null
  const age = Date.now() - (stat(root)?.mtimeMs ?? Date.now())
  // Made a moment ago and not yet labelled, or already half removed.
  if (owner === null) return age > 10 * MINUTE
  if (owner.kept) return false
  if (own && isThisProcess(owner)) return true
  return isElsewhere(owner) ? age > 2 * DAY : isGone(owner)
}

function stat(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
