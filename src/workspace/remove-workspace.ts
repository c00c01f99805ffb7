import { renameSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { runProcess } from '../process.ts'
import { removeTree } from './remove-tree.ts'

/**
 * Removes what a run left, however hostile: folders without permissions, trees too deep for a path, a million files.
 * Returns a warning instead of throwing, since a finished result must not be lost over rubbish.
 */
export async function removeWorkspace(root: string, options: RemovalOptions = {}): Promise<string | null> {
  const deadline = performance.now() + (options.deadlineMs ?? 20_000)
  const first = await removeTree(root, deadline)
  if (first === null) return null
  const left = deadline - performance.now()
  if (left > 0) await removeWithRm(root, left)
  const last = await removeTree(root, deadline)
  return last === null ? null : setAside(root, last)
}

/** How long a removal may take. */
export interface RemovalOptions {
  /** Milliseconds. @default 20000 */
  readonly deadlineMs?: number
}

// Walks by descriptors, so that no path is ever too long for it.
async function removeWithRm(root: string, deadlineMs: number): Promise<void> {
  const flags = process.platform === 'linux' ? ['-rf', '--one-file-system'] : ['-rf', '-x']
  await runProcess('/bin/rm', [...flags, '--', root], { cwd: '/', env: {}, deadlineMs, graceMs: 0 })
}

function setAside(root: string, problem: string): string {
  if (basename(root).startsWith(TRASH)) return `${root} could not be removed: ${problem}.`
  const trash = join(dirname(root), `${TRASH}${basename(root)}`)
  try {
    renameSync(root, trash)
    return `The workspace could not be removed: ${problem}. The rest is in ${trash}; remove it manually.`
  } catch {
    return `The workspace could not be removed: ${problem}. The rest is in ${root}; remove it manually.`
  }
}

/** Begins the name of what could not be removed. */
export const TRASH = '.trash-'
